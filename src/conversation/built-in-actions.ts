import type { Conversation } from './conversation';
import type { EditorPort } from './editor-port';
import { describeSession, lastAnswerText } from './session-facts';
import type { BuiltInActions } from './slash-commands';

/** What the built-in slash commands do in a conversation. */
export function builtInActions(conversation: Conversation, editor: EditorPort): BuiltInActions {
  return {
    newSession: () => conversation.sessions.newSession(),
    resume: () => {
      editor.pickSession();
    },
    compact: instructions => conversation.compact(instructions),
    pickModel: () => {
      editor.pickModel();
    },
    rename: name => {
      conversation.rename(name);
    },
    showSession: () => {
      conversation.notice('info', describeSession(conversation.store, conversation.status));
    },
    reload: () => conversation.reloadHooks(),
    copyLast: () => {
      editor.copy(lastAnswerText(conversation.messages));
    },
    setThinkingLevel: level => {
      conversation.setThinkingLevel(level);
    },
  };
}
