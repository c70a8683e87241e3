import * as vscode from 'vscode';
import { mentionText } from '../../conversation/composer/completion/mention-text';
import { selectedText, shownPlace, type SelectedText } from './selection';
import { terminalSelection } from './terminal-selection';
import type { ChatTarget } from './chat-target';

/** Adds the editor's selection to the composer: as a mention of its lines when the file is on disk, else as attached text. */
export async function sendSelection(chat: ChatTarget): Promise<void> {
  const selected = selectedText();
  if (selected === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select something in an editor first.'));
    return;
  }
  if (isOnDisk(selected)) await chat.insert(`${mentionText(shownPlace(selected))} `);
  else await chat.attach(`selection of ${shownPlace(selected)}`, selected.text);
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

/** Whether a mention can stand for the selection: the mentioned file is read from the first folder when it is sent. */
function isOnDisk({ uri }: SelectedText): boolean {
  return uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri)?.index === 0;
}
