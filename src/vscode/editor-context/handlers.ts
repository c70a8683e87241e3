import * as vscode from 'vscode';
import type { CommandArguments } from '../ids';
import { addFileToContext, addTerminalSelection, sendSelection } from './add-context';
import type { ChatTarget } from './chat-target';
import { askAboutProblem } from './problem-actions';

/** The tour, as VS Code names it. */
const WALKTHROUGH = 'hookline.hookline#hookline.start';

type Own =
  | 'hookline.focusInput'
  | 'hookline.sendSelection'
  | 'hookline.explainProblem'
  | 'hookline.fixProblem'
  | 'hookline.addFileToContext'
  | 'hookline.addTerminalSelection'
  | 'hookline.getStarted'
  | 'hookline.tryPrompt';

/** Commands that bring something of the editor into the chat, and the tour. */
export function editorHandlers(chat: ChatTarget): {
  readonly [Id in Own]: (...args: CommandArguments[Id]) => unknown;
} {
  return {
    'hookline.focusInput': () => chat.focus(),
    'hookline.sendSelection': () => sendSelection(chat),
    'hookline.explainProblem': (uri, problem) => askAboutProblem('explain', chat, uri, problem),
    'hookline.fixProblem': (uri, problem) => askAboutProblem('fix', chat, uri, problem),
    'hookline.addFileToContext': (one, all) => addFileToContext(chat, one, all),
    'hookline.addTerminalSelection': () => addTerminalSelection(chat),
    'hookline.getStarted': () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
    'hookline.tryPrompt': text => (typeof text === 'string' ? chat.insert(text) : chat.focus()),
  };
}
