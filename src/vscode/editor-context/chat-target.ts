import type { ChatEditors } from '../chat/chat-editors';
import type { TextFile } from '../../protocol/composer/composer';

/** What commands of the editor can do in the chat. */
export interface ChatTarget {
  /** Opens the chat and focuses the composer. */
  focus(): Promise<void>;
  /** Adds mentions of files to the composer; takes their URIs. */
  mention(uris: readonly string[]): Promise<void>;
  /** Inserts a text into the composer at its cursor. */
  insert(text: string): Promise<void>;
  /** Attaches a text to the draft. */
  attach(name: string, text: string): Promise<void>;
  /**
   * Sends a prompt without expanding mentions or commands in it, because it quotes code, with texts that go along. The draft in
   * the composer stays.
   */
  ask(text: string, files?: readonly TextFile[]): Promise<void>;
}

/** The active conversation of this window, in the page where its composer gets the focus. Starts the window if necessary. */
export function chatTarget(editors: Pick<ChatEditors, 'focusComposer'>): ChatTarget {
  return {
    focus: async () => {
      await editors.focusComposer();
    },
    mention: async uris => (await editors.focusComposer()).composerRequests.mention(uris),
    insert: async text => (await editors.focusComposer()).composer.insert(text),
    attach: async (name, text) => (await editors.focusComposer()).composer.attach([{ name, text }]),
    ask: async (text, files = []) => {
      const chat = await editors.focusComposer();
      // Starts a run, or waits in the queue until the current run ends. The command does not wait for the run.
      void chat.submit(text, { delivery: 'followUp', keepsDraft: true, literal: true, files });
    },
  };
}
