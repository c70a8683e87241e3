import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { VIEWS } from '../ids';

const SHOWN = 'hookline.chatShownOnce';

/**
 * Brings the chat to the front of the secondary side bar when this VS Code has it for the first time: a new tab there is not
 * the selected one. The keyboard stays where it is. A side bar that the user keeps hidden stays hidden.
 */
export function revealChatOnce(memory: Pick<vscode.Memento, 'get' | 'update'>): Disposable {
  const visibility = vscode.workspace.getConfiguration('workbench').get('secondarySideBar.defaultVisibility');
  if (visibility === 'hidden' || memory.get(SHOWN) === true) return toDisposable(() => undefined);
  // Not while VS Code still starts other extensions.
  const timer = setTimeout(() => {
    void memory.update(SHOWN, true);
    void vscode.commands.executeCommand(`${VIEWS.chat}.focus`, { preserveFocus: true });
  }, 0);
  return toDisposable(() => clearTimeout(timer));
}
