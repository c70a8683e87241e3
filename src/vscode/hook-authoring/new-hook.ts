import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DialectId } from '../../hooks/hook';
import {
  freeHookName,
  hookNameProblem,
  shapeOf,
  TEMPLATES,
  writeHook,
  type HookTemplate,
} from '../../hook-authoring/templates';
import { showFile } from '../show-file';
import type { TypesPlace } from './hook-types';

/**
 * Asks what the hook is for, for which dialect it is written and what it is called, writes it into `.pi/hooks` of the
 * folder, and opens it where its author goes on. Resolves with its absolute path, or undefined when the person gives up on
 * the way. `wanted` names a template by its file, so that its purpose is not asked for.
 */
export async function createHook(place: TypesPlace, wanted?: string): Promise<string | undefined> {
  const template = TEMPLATES.find(({ fileName }) => fileName === wanted) ?? (await pickTemplate());
  if (template === undefined) return undefined;
  const dialect = await pickDialect(template);
  if (dialect === undefined) return undefined;
  const dir = join(place.folder, '.pi', 'hooks');
  const name = await askForName(dir, template.fileName);
  if (name === undefined) return undefined;
  const file = join(dir, `${name}.ts`);
  const hook = writeHook(template, dialect, name);
  await writeNew(dir, file, hook.text);
  await showFile(file, { line: hook.line + 1, column: hook.column + 1 }, { preview: false });
  return file;
}

async function pickTemplate(): Promise<HookTemplate | undefined> {
  const items = TEMPLATES.map(template => ({ label: template.label, detail: template.detail, template }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('What should the new hook do?'),
    placeHolder: vscode.l10n.t('Each template is a working hook that you can change'),
    matchOnDetail: true,
  });
  return chosen?.template;
}

async function pickDialect({ label, dialects }: HookTemplate): Promise<DialectId | undefined> {
  if (dialects.length === 1) return dialects[0];
  const items = dialects.map((dialect, index) => {
    const shape = shapeOf(dialect);
    const newest = index === 0 ? ` · ${vscode.l10n.t('newest')}` : '';
    return { label: shape.label, description: `${dialect}${newest}`, detail: shape.detail, dialect };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('New hook ({0}): which dialect?', label),
    // The tour, which may have asked for this, moves the focus by itself.
    ignoreFocusOut: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.dialect;
}

async function askForName(dir: string, wish: string): Promise<string | undefined> {
  const isTaken = (name: string): boolean => existsSync(join(dir, `${name}.ts`));
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Name of the new hook'),
    ignoreFocusOut: true,
    prompt: vscode.l10n.t('Name of its file in .pi/hooks, without .ts'),
    value: freeHookName(wish, isTaken),
    validateInput: text => hookNameProblem(nameIn(text), isTaken),
  });
  return given === undefined ? undefined : nameIn(given);
}

function nameIn(text: string): string {
  return text.trim().replace(/\.ts$/i, '');
}

/** Writes a hook that is not there yet; makes its folder (both absolute). Rejects when the file exists, which stays as it is. */
export async function writeNew(dir: string, file: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  try {
    // Fails if somebody else made it meanwhile.
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(vscode.l10n.t('{0} already exists and is not overwritten.', file));
  }
}
