import { join } from 'node:path';
import * as vscode from 'vscode';
import { readExampleHooks, type ExampleHook } from '../../hook-authoring/example-hooks';
import { shortPath } from '../short-path';
import { showFile } from '../show-file';
import type { TextDocuments } from '../text-documents';
import { writeNew } from './new-hook';

/** Where examples are, and where they may be added. All paths are absolute. */
export interface ExamplePlaces {
  /** Folder of the examples that ship with the extension. */
  readonly examplesDir: string;
  /** The open folder; undefined when none is open. */
  readonly folder: string | undefined;
  readonly agentDir: string;
}

/**
 * Asks for an example, shows its code, and writes it when the user then chooses where: into `.pi/extensions` of the open
 * folder, or into `extensions` of the agent folder. Resolves with its absolute path, or undefined when the user cancels.
 * Rejects when a file of that name exists, and leaves that file unchanged.
 */
export async function addExampleHook(places: ExamplePlaces, texts: TextDocuments): Promise<string | undefined> {
  const example = await pickExample(await readExampleHooks(places.examplesDir));
  if (example === undefined) return undefined;
  const preview = texts.add(example.text, example.fileName);
  await vscode.window.showTextDocument(preview, { preview: true, preserveFocus: true });
  const dir = await pickFolder(example, places);
  await closeTab(preview);
  if (dir === undefined) return undefined;
  const file = join(dir, example.fileName);
  await writeNew(dir, file, example.text);
  await showFile(file, {}, { preview: false });
  return file;
}

async function pickExample(examples: readonly ExampleHook[]): Promise<ExampleHook | undefined> {
  const items = examples.map(example => ({ label: example.fileName, detail: example.summary, example }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which example do you want to add?'),
    placeHolder: vscode.l10n.t('You see the code before it is added'),
    matchOnDetail: true,
  });
  return chosen?.example;
}

async function pickFolder({ fileName }: ExampleHook, { folder, agentDir }: ExamplePlaces): Promise<string | undefined> {
  const here = folder === undefined ? undefined : join(folder, '.pi', 'extensions');
  const everywhere = join(agentDir, 'extensions');
  const items = [
    ...(here === undefined
      ? []
      : [{ label: vscode.l10n.t('Add to this workspace'), detail: shortPath(join(here, fileName)), dir: here }]),
    {
      label: vscode.l10n.t('Add to all my workspaces'),
      detail: shortPath(join(everywhere, fileName)),
      dir: everywhere,
    },
    { label: vscode.l10n.t('Cancel'), dir: undefined },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Add {0}?', fileName),
    placeHolder: vscode.l10n.t('Read its code in the editor first. A hook can do whatever your user account can.'),
    // The pick stays open while the user scrolls the code.
    ignoreFocusOut: true,
  });
  return chosen?.dir;
}

async function closeTab(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
  await vscode.window.tabGroups.close(tabs);
}
