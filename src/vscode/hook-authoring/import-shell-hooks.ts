import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { readRegularText } from '../../base/files/regular-file';
import { messageOf } from '../../base/errors';
import { ADAPTER_MARK, adapterText, type AdapterContent } from '../../hook-load/shell/adapter-file';
import { readShellHooks } from '../../hook-load/shell/read-settings';
import type { ShellSettings } from '../../hook-load/shell/shell-hook';

/** A settings file that may contain shell hooks. */
interface Candidate {
  /** Absolute path. */
  readonly file: string;
  /** The path that is shown: relative to the folder, or with `~`. */
  readonly name: string;
  /** It is in the user's home folder. */
  readonly isOwn: boolean;
}

/**
 * Asks which settings files of Claude Code and `.github/hooks` to import, and whether a gate that fails blocks the call.
 * Then writes an adapter into `.pi/hooks` that runs their shell hooks. This function runs none of them. Resolves with the
 * adapter's absolute path, or undefined when the user cancels. Rejects without a folder and in Restricted Mode.
 */
export async function importShellHooks(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) {
    throw new Error(vscode.l10n.t('Open a folder first. Hookline stores hooks in its .pi/hooks folder.'));
  }
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('This folder is not trusted, so its shell hooks do not run and cannot be imported.'));
  }
  const sources = await pickSources(folder);
  if (sources === undefined) return undefined;
  const onFailure = await pickFailure();
  if (onFailure === undefined) return undefined;
  const file = vscode.Uri.file(join(folder, '.pi', 'hooks', 'shell-hooks.ts'));
  const text = adapterText({ onFailure, sources: sources.map(source => importedAs(folder, source)) });
  await write(file, text);
  await vscode.window.showTextDocument(file, { preview: false });
  return file.fsPath;
}

/** Asks for the files to import. The list says how many commands each file has, and what of it is not supported. */
async function pickSources(folder: string): Promise<readonly Candidate[] | undefined> {
  const found = await Promise.all(candidates(folder).map(async each => ({ each, read: await contentOf(each.file) })));
  const items = found.flatMap(({ each, read }) => {
    if (read === undefined) return [];
    const isEmpty = typeof read !== 'string' && read.hooks.length + read.problems.length === 0;
    if (isEmpty) return [];
    return [{ label: each.name, ...describe(read), picked: !each.isOwn && typeof read !== 'string', each }];
  });
  if (items.length === 0) {
    const text = vscode.l10n.t(
      'No shell hooks were found: looked at .github/hooks/*.json, .claude/settings.json and ~/.claude/settings.json.',
    );
    void vscode.window.showInformationMessage(text);
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Import shell hooks: from which files?'),
    placeHolder: vscode.l10n.t('Their commands run with your permissions whenever their event occurs'),
    canPickMany: true,
  });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ each }) => each);
}

function candidates(folder: string): readonly Candidate[] {
  const github = join(folder, '.github', 'hooks');
  const names = existsSync(github)
    ? readdirSync(github)
        .filter(name => name.endsWith('.json'))
        .sort()
    : [];
  const inside = [
    ...names.map(name => join(github, name)),
    join(folder, '.claude', 'settings.json'),
    join(folder, '.claude', 'settings.local.json'),
  ];
  return [
    ...inside.map(file => ({ file, name: relative(folder, file).replaceAll('\\', '/'), isOwn: false })),
    { file: join(homedir(), '.claude', 'settings.json'), name: '~/.claude/settings.json', isOwn: true },
  ];
}

/** The shell hooks in a file; a string says why it cannot be read; undefined when the file does not exist. */
async function contentOf(file: string): Promise<ShellSettings | string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return readShellHooks(JSON.parse(await readRegularText(file)), { platform: process.platform });
  } catch (error) {
    return messageOf(error);
  }
}

function describe(read: ShellSettings | string): Pick<vscode.QuickPickItem, 'description' | 'detail'> {
  if (typeof read === 'string') return { description: vscode.l10n.t('cannot be read: {0}', read) };
  const lost = read.problems.filter(({ severity }) => severity !== 'info').map(({ message }) => message);
  const { length } = read.hooks;
  const description = length === 1 ? vscode.l10n.t('1 command') : vscode.l10n.t('{0} commands', length);
  if (lost.length === 0) return { description };
  return { description, detail: vscode.l10n.t('Not supported: {0}', [...new Set(lost)].join(' ')) };
}

async function pickFailure(): Promise<AdapterContent['onFailure'] | undefined> {
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: vscode.l10n.t('Block the call'),
        detail: vscode.l10n.t('If the script fails, Hookline blocks the call.'),
        onFailure: 'block' as const,
      },
      {
        label: vscode.l10n.t('Let the call run'),
        detail: vscode.l10n.t(
          'Like Claude Code: only exit code 2 or a verdict blocks the call. You see a notice for each failure.',
        ),
        onFailure: 'allow' as const,
      },
    ],
    { title: vscode.l10n.t('When a gate crashes, times out, or returns something unreadable') },
  );
  return chosen?.onFailure;
}

function importedAs(folder: string, { file, name, isOwn }: Candidate): AdapterContent['sources'][number] {
  const path = relative(join(folder, '.pi', 'hooks'), file).replaceAll('\\', '/');
  return { specifier: isOwn ? file.replaceAll('\\', '/') : path, name };
}

/** Writes the adapter. An existing adapter is replaced so that the user can undo it; any other file is left unchanged. */
async function write(file: vscode.Uri, text: string): Promise<void> {
  if (!existsSync(file.fsPath)) {
    await mkdir(join(file.fsPath, '..'), { recursive: true });
    await writeFile(file.fsPath, text, { flag: 'wx' });
    return;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const before = document.getText();
  if (!before.startsWith(ADAPTER_MARK)) {
    throw new Error(vscode.l10n.t('{0} already exists and is not overwritten.', file.fsPath));
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(file, new vscode.Range(document.positionAt(0), document.positionAt(before.length)), text);
  await vscode.workspace.applyEdit(edit);
  await document.save();
}
