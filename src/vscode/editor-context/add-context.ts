import { isAbsolute, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { slashed } from '../../base/files/slashed';
import { mentionText } from '../../chat/composer/completion/mention-text';
import { lineSpan, placeOf, selectedText, type SelectedText } from './selection';
import { terminalSelection } from './terminal-selection';
import type { ChatTarget } from './chat-target';

/**
 * Adds the editor's selection to the composer: as a mention of its lines when the file is in `folder`, else as attached
 * text. `folder` is the folder that Hookline works in; undefined when none is open.
 */
export async function sendSelection(chat: ChatTarget, folder: vscode.WorkspaceFolder | undefined): Promise<void> {
  const selected = selectedText();
  if (selected === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select something in an editor first.'));
    return;
  }
  const place = placeIn(folder, selected);
  if (place !== undefined) await chat.insert(`${mentionText(place)} `);
  else await chat.attach(`selection of ${placeOf(selected, folder?.uri.fsPath)}`, selected.text);
}

/** Attaches the text that is selected in the terminal. */
export async function addTerminalSelection(chat: ChatTarget): Promise<void> {
  const selected = await terminalSelection();
  if (selected === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select something in the terminal first.'));
    return;
  }
  await chat.attach(selected.source, selected.text);
}

/**
 * Adds mentions of files and folders to the composer: those that a menu passes, else the file in the active editor.
 * `one` is the item that the menu was opened on, `all` are the selected items.
 */
export async function addFileToContext(chat: ChatTarget, one: unknown, all: unknown): Promise<void> {
  const many: readonly unknown[] = Array.isArray(all) ? all : [];
  const given = [...many, one].filter(isUri);
  const active = vscode.window.activeTextEditor?.document.uri ?? activeTab();
  const uris = given.length > 0 ? given : active === undefined ? [] : [active];
  if (uris.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file first, or choose files in the Explorer.'));
    return;
  }
  await chat.mention([...new Set(uris.map(uri => uri.toString()))]);
}

/** The file in the active tab, even when it is not a text, such as an image. */
function activeTab(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return typeof input === 'object' && input !== null && 'uri' in input && isUri(input.uri) ? input.uri : undefined;
}

function isUri(value: unknown): value is vscode.Uri {
  return value instanceof vscode.Uri;
}

/**
 * The place of a selection relative to the folder, such as `src/a.ts:3-8`. Undefined for a text outside of the folder: a
 * mention is read from the folder when it is sent.
 */
function placeIn(folder: vscode.WorkspaceFolder | undefined, selected: SelectedText): string | undefined {
  if (folder === undefined || selected.uri.scheme !== 'file') return undefined;
  const below = relative(folder.uri.fsPath, selected.uri.fsPath);
  if (below === '' || isAbsolute(below) || below.split(sep)[0] === '..') return undefined;
  return `${slashed(below)}:${lineSpan(selected)}`;
}
