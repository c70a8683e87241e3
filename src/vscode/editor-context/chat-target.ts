import type { Conversation } from '../../conversation/conversation';
import type { ChatView } from '../chat/chat-view';

/** The chat as commands of the editor reach it. */
export interface ChatTarget {
  /** Brings the chat to the front, with the caret in the composer. */
  focus(): Promise<void>;
  /** Puts mentions of files into the composer. */
  mention(uris: readonly string[]): Promise<void>;
  /** Puts a text into the composer, where its caret stands. */
  insert(text: string): Promise<void>;
  /** Attaches a text to the draft. */
  attach(name: string, text: string): Promise<void>;
  /** Sends a prompt as it is, with nothing in it expanded: it quotes code. What is in the composer stays. */
  ask(text: string): Promise<void>;
}

/** The chat of this window; `active` starts conversations if that has not happened yet. */
export function chatTarget(view: Pick<ChatView, 'focus'>, active: () => Promise<Conversation>): ChatTarget {
  const focus = async (): Promise<void> => {
    await view.focus();
    (await active()).chat.apply({ type: 'focusComposer' });
  };
  return {
    focus,
    mention: async uris => {
      const { composerRequests } = await active();
      await focus();
      await composerRequests.mention(uris);
    },
    insert: async text => {
      const conversation = await active();
      await focus();
      conversation.composer.insert(text);
    },
    attach: async (name, text) => {
      const conversation = await active();
      await focus();
      conversation.composer.attach([{ name, text }]);
    },
    ask: async text => {
      const conversation = await active();
      await focus();
      // Without a run it starts one, beside one it waits for its end; the run itself is not waited for.
      void conversation.inbox.submit(text, { delivery: 'followUp', keepsDraft: true, literal: true });
    },
  };
}
