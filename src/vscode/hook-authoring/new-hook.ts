import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DialectId } from '../../hook-contract/dialect-id';
import {
  NEWEST_FIRST,
  freeHookName,
  hookNameProblem,
  shapeOf,
  TEMPLATES,
  writeHook,
  type HookTemplate,
} from '../../hook-authoring/templates';
import { dialectName } from '../hooks-view/hook-words';
import { showFile } from '../show-file';
import type { TypesPlace } from './hook-types';

const NEWEST: DialectId = 'pi';

interface NewHookChoice {
  readonly template: HookTemplate;
  readonly dialect: DialectId;
}

type TemplateItem = vscode.QuickPickItem & { readonly template: HookTemplate | undefined };

/**
 * Asks for a template and a name, writes the hook into `.pi/hooks` of the folder, and opens it with the cursor where its
 * author continues. The hook is in the newest dialect unless the user chooses an older one. `wanted` is the file name of a
 * template, which is then not asked for. Resolves with the hook's absolute path, or undefined when the user cancels.
 */
export async function createHook(place: TypesPlace, wanted?: string): Promise<string | undefined> {
  const given = TEMPLATES.find(({ fileName }) => fileName === wanted);
  const chosen = given === undefined ? await pickTemplate() : { template: given, dialect: NEWEST };
  if (chosen === undefined) return undefined;
  const { template, dialect } = chosen;
  const dir = join(place.folder, '.pi', 'hooks');
  const name = await askForName(dir, template.fileName);
  if (name === undefined) return undefined;
  const file = join(dir, `${name}.ts`);
  const hook = writeHook(template, dialect, name);
  await writeNew(dir, file, hook.text);
  await showFile(file, { line: hook.line + 1, column: hook.column + 1 }, { preview: false });
  return file;
}

/** Asks for a template. The last row opens a list of templates in an older dialect. */
async function pickTemplate(): Promise<NewHookChoice | undefined> {
  const older = {
    label: `$(history) ${vscode.l10n.t('In an older dialect…')}`,
    detail: undefined,
    template: undefined,
  };
  const chosen = await pickFrom([...itemsIn(NEWEST), older], vscode.l10n.t('What should the new hook do?'));
  if (chosen === undefined) return undefined;
  if (chosen.template !== undefined) return { template: chosen.template, dialect: NEWEST };
  const dialect = await pickDialect();
  if (dialect === undefined) return undefined;
  const title = vscode.l10n.t('What should the new hook do? ({0})', dialectName(dialect));
  const template = (await pickFrom(itemsIn(dialect), title))?.template;
  return template && { template, dialect };
}

function itemsIn(dialect: DialectId): TemplateItem[] {
  const templates = TEMPLATES.filter(({ dialects }) => dialects.includes(dialect));
  return templates.map(template => ({ label: template.label, detail: template.detail, template }));
}

async function pickFrom(items: readonly TemplateItem[], title: string): Promise<TemplateItem | undefined> {
  return vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Each template is a working hook that you can change'),
    matchOnDetail: true,
  });
}

async function pickDialect(): Promise<DialectId | undefined> {
  const items = NEWEST_FIRST.filter(dialect => dialect !== NEWEST).map(dialect => {
    const { detail } = shapeOf(dialect);
    return { label: dialectName(dialect), description: dialect, detail, dialect };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which dialect?'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.dialect;
}

async function askForName(dir: string, wanted: string): Promise<string | undefined> {
  const isTaken = (name: string): boolean => existsSync(join(dir, `${name}.ts`));
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Name of the new hook'),
    ignoreFocusOut: true,
    prompt: vscode.l10n.t('Name of its file in .pi/hooks, without .ts'),
    value: freeHookName(wanted, isTaken),
    validateInput: text => hookNameProblem(nameIn(text), isTaken),
  });
  return given === undefined ? undefined : nameIn(given);
}

function nameIn(text: string): string {
  return text.trim().replace(/\.ts$/i, '');
}

/** Writes a new hook and creates its folder; paths are absolute. Rejects when the file exists, and leaves it unchanged. */
export async function writeNew(dir: string, file: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  try {
    // `wx` fails when the file exists.
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(vscode.l10n.t('{0} already exists and is not overwritten.', file));
  }
}
