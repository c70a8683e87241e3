import type { Conversation } from '../../session/conversation';

/** What a started conversation asks of its folder. */
export interface StartedParts {
  /** Tells hooks of the start. */
  readonly begin: () => Promise<void>;
  /** Makes it the one that calls of hooks without a conversation go to. */
  readonly activate: () => void;
  /** Tells hooks of the end. */
  readonly farewell: () => Promise<void>;
  /** Closes what belongs to it beside the conversation itself. */
  readonly close: () => Promise<void>;
}

/** A conversation that is open in a folder. */
export class StartedConversation {
  private beginning: Promise<void> | undefined;
  private ending: Promise<void> | undefined;

  constructor(
    readonly conversation: Conversation,
    private readonly parts: StartedParts,
  ) {}

  /**
   * Tells hooks of the start, and resolves when they are done or their time is over. To be called as soon as their
   * questions can be asked; prompts should wait for it. Further calls get the same promise.
   */
  begin(): Promise<void> {
    return (this.beginning ??= this.parts.begin());
  }

  /** To be called when the user turns to this conversation: late calls of hooks and their errors go to it then. */
  activate(): void {
    if (this.ending === undefined) this.parts.activate();
  }

  /** Ends the run, tells hooks that have heard of it, and closes the session file. Errors of hooks do not make it reject. */
  end(): Promise<void> {
    return (this.ending ??= this.endOnce());
  }

  private async endOnce(): Promise<void> {
    await this.conversation.run.stop();
    if (this.beginning !== undefined) await this.parts.farewell();
    await this.conversation.dispose();
    await this.parts.close();
  }
}
