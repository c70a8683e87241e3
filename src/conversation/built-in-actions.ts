import * as l10n from '@vscode/l10n';
import type { Conversation } from './conversation';
import type { EditorPort } from './editor-port';
import { exportTo } from './export/write-export';
import type { Neighbours } from './ports';
import { describeSession, lastAnswerText } from './session/session-facts';
import type { BuiltInActions } from './run/slash-commands';

/** What the built-in slash commands do in a conversation. */
export function builtInActions(
  conversation: Conversation,
  editor: EditorPort,
  neighbours: Neighbours | undefined,
): BuiltInActions {
  return {
    newSession: () => neighbours?.newSession() ?? conversation.sessions.newSession(),
    resume: () => editor.pickSession(),
    compact: instructions => conversation.compact(instructions),
    pickModel: () => editor.pickModel(),
    rename: name => {
      if (name === '' && editor.renameSession !== undefined) editor.renameSession();
      else conversation.rename(name);
    },
    exportSession: path => exportSession(conversation, editor, path),
    showTree: () => {
      editor.showTree?.();
    },
    showSession: () => conversation.notice('info', describeSession(conversation.store, conversation.status)),
    reload: () => conversation.reloadHooks(),
    copyLast: () => editor.copy(lastAnswerText(conversation.messages)),
    setThinkingLevel: level => conversation.setThinkingLevel(level),
  };
}

async function exportSession(conversation: Conversation, editor: EditorPort, path: string): Promise<void> {
  if (path === '' && editor.exportSession !== undefined) {
    editor.exportSession();
    return;
  }
  const file = await exportTo(conversation.store, conversation.cwd, unquoted(path));
  conversation.notice('info', l10n.t('Session exported to {0}', file), { file: { path: file } });
}

/** Paths with blanks may be quoted, as in pi. */
function unquoted(path: string): string {
  return /^(["'])(.*)\1$/.exec(path)?.[2] ?? path;
}
