import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Completion, ComposerToHost, ComposerToPage } from '../../protocol/composer';
import { mentionsOf } from './completion/dropped';
import { Mentions, type MentionParts } from './completion/mentions';
import type { ChatModel } from '../cards/chat-model';
import type { ComposerState } from './composer-state';
import type { Inbox } from '../run/inbox';
import type { HookHost } from '../../hooks/host/host';

export interface ComposerRequestsParts extends MentionParts {
  readonly hooks: Pick<HookHost, 'commands'>;
  readonly chat: ChatModel;
  readonly composer: ComposerState;
  readonly log: Log;
  readonly inbox: Inbox;
}

/** What one conversation's composer asks of the host: what it may complete, and changes of what waits to be sent. */
export class ComposerRequests {
  private readonly mentions: Mentions;
  private question: AbortController | undefined;

  constructor(private readonly parts: ComposerRequestsParts) {
    this.mentions = new Mentions(parts);
  }

  /** A message of a page; answers to its questions go to `post`. */
  receive(message: Exclude<ComposerToHost, { type: 'getStarted' }>, post: (answer: ComposerToPage) => void): void {
    switch (message.type) {
      case 'complete':
        this.complete(message, post);
        return;
      case 'endComplete':
        this.question?.abort();
        this.mentions.end();
        return;
      case 'dropped':
        void this.mention(message.uris);
        return;
      case 'editQueued':
        this.parts.inbox.waiting.edit(message.id);
        return;
      case 'removeQueued':
        this.parts.inbox.waiting.remove(message.id);
        return;
      case 'deliverQueued':
        this.parts.inbox.waiting.deliver(message.id, message.delivery);
        return;
    }
  }

  /** Only the newest question matters: an older one is given up. */
  private complete(
    { id, what, text }: Extract<ComposerToHost, { type: 'complete' }>,
    post: (answer: ComposerToPage) => void,
  ): void {
    this.question?.abort();
    const question = (this.question = new AbortController());
    const tell = (items: readonly Completion[], final: boolean): void => {
      if (!question.signal.aborted) post({ type: 'completions', id, items, final });
    };
    const work = what === 'mention' ? this.mentions.find(text, question.signal, tell) : this.argumentsFor(text, tell);
    work.catch((error: unknown) => {
      this.parts.log.warn(`Completion of "${text.slice(0, 100)}" failed: ${messageOf(error)}`);
      tell([], true);
    });
  }

  private async argumentsFor(
    text: string,
    tell: (items: readonly Completion[], final: boolean) => void,
  ): Promise<void> {
    const blank = text.indexOf(' ');
    const offered = await this.parts.hooks.commands.completions(text.slice(0, blank), text.slice(blank + 1));
    const items = offered.map(({ value, label, description }): Completion => ({
      kind: 'argument',
      label,
      detail: description ?? (value === label ? '' : value),
      insert: value,
    }));
    tell(items, true);
  }

  /** Puts mentions of files into the composer, where the caret stands; what cannot be attached is told. */
  async mention(uris: readonly string[]): Promise<void> {
    const { text, problems } = await mentionsOf(uris, this.parts.cwd);
    if (text !== '') this.parts.composer.insert(text);
    if (problems.length > 0) this.parts.chat.notice('warning', problems.join(' '));
  }
}
