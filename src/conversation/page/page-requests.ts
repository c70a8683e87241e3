import type { ChangesToHost } from '../../protocol/changes';
import type { WebviewToHost } from '../../protocol/messages';
import type { SessionChanges } from '../changes/session-changes';
import type { EditorPort } from '../editor-port';

/** What a page asks of the editor around it. */
export type EditorRequest =
  | Extract<WebviewToHost, { type: 'focused' | 'resumeSession' | 'pickModel' | 'showHooks' | 'getStarted' }>
  | Extract<WebviewToHost, { type: 'openFile' | 'openLink' | 'openText' | 'openDiagram' | 'openTerminal' }>
  | Extract<WebviewToHost, { type: 'insertAtCursor' | 'copy' | 'applyCode' | 'revealFile' }>;

/** Hands on what a page asks of the editor; what an editor does not offer is skipped. */
export function askEditor(editor: EditorPort, message: EditorRequest): void {
  switch (message.type) {
    case 'focused':
      editor.chatFocused?.(message.focused);
      return;
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
    case 'openTerminal':
      editor.openTerminal?.(message.command);
      return;
    case 'insertAtCursor':
      editor.insertAtCursor(message.text);
      return;
    case 'copy':
      editor.copy(message.text);
      return;
    case 'applyCode':
      editor.applyCode?.(message.text, message.language, message.path);
      return;
    case 'revealFile':
      editor.revealFile?.(message.path);
  }
}

/** Hands on what a page asks of the files that the agent touched; nothing happens where that is not kept. */
export function askChanges(changes: SessionChanges | undefined, message: ChangesToHost): Promise<void> | undefined {
  switch (message.type) {
    case 'loadDiff':
      return changes?.loadDiff(message.path);
    case 'openChange':
      return changes?.open(message.path);
    case 'revertFile':
      return changes?.revertFile(message.path);
    case 'revertAll':
      return changes?.revertAll();
    case 'revertCall':
      return changes?.revertCall(message.id);
    case 'revertTo':
      return changes?.revertTo(message.id);
    case 'undoRevert':
      return changes?.undoRevert();
  }
}
