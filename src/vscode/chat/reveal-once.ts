import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { VIEWS } from '../ids';

const SHOWN = 'hookline.chatShownOnce';

/**
 * Selects the chat's tab in the secondary side bar the first time that Hookline runs, because VS Code does not select a new
 * tab there. The keyboard focus does not move. A side bar that is hidden by the user's setting stays hidden.
 */
export function revealChatOnce(memory: Pick<vscode.Memento, 'get' | 'update'>): Disposable {
  const visibility = vscode.workspace.getConfiguration('workbench').get('secondarySideBar.defaultVisibility');
  if (visibility === 'hidden' || memory.get(SHOWN) === true) return toDisposable(() => undefined);
  // Waits until VS Code has finished what it is doing, for example starting other extensions.
  const timer = setTimeout(() => {
    void memory.update(SHOWN, true);
    void vscode.commands.executeCommand(`${VIEWS.chat}.focus`, { preserveFocus: true });
  }, 0);
  return toDisposable(() => clearTimeout(timer));
}
