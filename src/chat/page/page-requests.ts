import type { ChangesToHost } from '../../protocol/panels/changes';
import type { CommandsToHost } from '../../protocol/panels/running-commands';
import type { WebviewToHost } from '../../protocol/messages';
import type { Chat } from '../chat';
import type { SessionChanges } from '../changes/session-changes';
import type { EditorPort } from '../editor/editor-port';

/** The requests of a page to the editor. */
export type EditorRequest =
  | Extract<WebviewToHost, { type: 'resumeSession' | 'pickModel' | 'showHooks' | 'getStarted' | 'openPlan' }>
  | Extract<WebviewToHost, { type: 'showAnswerTab' | 'showWriteDiff' }>
  | Extract<WebviewToHost, { type: 'openFile' | 'openLink' | 'openText' | 'openDiagram' | 'openTerminal' }>
  | Extract<WebviewToHost, { type: 'insertAtCursor' | 'copy' | 'applyCode' | 'revealFile' }>;

/** Passes a page's request to the editor; requests that the editor does not support are ignored. */
export function askEditor(editor: EditorPort, message: EditorRequest): void {
  switch (message.type) {
    case 'resumeSession':
      editor.pickSession();
      return;
    case 'pickModel':
      editor.pickModel();
      return;
    case 'showHooks':
      editor.showHooks();
      return;
    case 'getStarted':
      editor.run('getStarted');
      return;
    case 'showAnswerTab':
      editor.showQuestion();
      return;
    case 'showWriteDiff':
      editor.showWriteDiff(message.id);
      return;
    case 'openFile':
      editor.openFile(message.path, message.line, message.column);
      return;
    case 'openLink':
      editor.openLink(message.href);
      return;
    case 'openText':
      editor.openText(message.text, message.language);
      return;
    case 'openDiagram':
      editor.openDiagram(message.text);
      return;
    case 'openPlan':
      editor.openPlan(message.text);
      return;
    case 'openTerminal':
      editor.openTerminal(message.command);
      return;
    case 'insertAtCursor':
      editor.insertAtCursor(message.text);
      return;
    case 'copy':
      editor.copy(message.text);
      return;
    case 'applyCode':
      editor.applyCode(message.text, message.language, message.path);
      return;
    case 'revealFile':
      editor.revealFile(message.path);
  }
}

/** Passes a page's request about changed files. */
export function askChanges(changes: SessionChanges, message: ChangesToHost): Promise<void> | undefined {
  switch (message.type) {
    case 'loadDiff':
      return changes.loadDiff(message.path);
    case 'openChange':
      return changes.open(message.path);
    case 'reviewAll':
      return changes.reviewAll();
    case 'keepFile':
      return changes.keepFiles(message.path);
    case 'keepAll':
      return changes.keepFiles();
    case 'revertFile':
      return changes.revertFile(message.path);
    case 'revertAll':
      return changes.revertAll();
    case 'revertCall':
      return changes.revertCall(message.id);
    case 'revertTo':
      return changes.revertTo(message.id);
    case 'undoRevert':
      return changes.undoRevert();
  }
}

/** Passes a page's request about the command of a call; one that has ended is ignored. */
export function askCommands(chat: Chat, message: CommandsToHost): void {
  const item = chat.model.get(message.id);
  const { commands } = chat.conversation;
  if (item?.kind !== 'tool' || commands === undefined) return;
  switch (message.type) {
    case 'showCommand':
      chat.showCommand(item.toolCallId);
      return;
    case 'runCommandOn':
      commands.runOn(item.toolCallId);
      return;
    case 'stopCommand':
      commands.stop(item.toolCallId);
  }
}
