import type { AgentMessage } from '../../agent/messages';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { sleep } from '../../base/async/wait';
import type { Completion, ComposerToHost, ComposerToPage } from '../../protocol/composer/composer';
import type { ChatModel } from '../model/chat-model';
import type { Inbox } from '../../session/prompts/inbox';
import type { BuiltInCompletions } from './completion/built-in-completions';
import { mentionsOf } from './completion/dropped-files';
import type { HookCompletions, OfferedItems } from './completion/hook-completions';
import type { ComposerState } from './composer-state';

/** When hooks take longer for a list, what the composer completes by itself is offered first, ms. */
const HOOKS_FIRST_MS = 150;

export interface ComposerRequestsParts {
  /** Absolute; paths are mentioned relative to it. */
  readonly cwd: string;
  readonly builtIn: BuiltInCompletions;
  readonly fromHooks: HookCompletions;
  readonly chat: ChatModel;
  readonly composer: ComposerState;
  readonly log: Log;
  readonly inbox: Inbox;
}

type Complete = Extract<ComposerToHost, { type: 'complete' }>;
type CompletionListener = (items: readonly Completion[], final: boolean) => void;

/** Answers the requests of a conversation's composer: completions, and changes of waiting messages. */
export class ComposerRequests {
  private question: AbortController | undefined;
  /** The last list with items of hooks, and the text that it was offered for. */
  private offered: (OfferedItems & { readonly id: number; readonly text: string; readonly caret: number }) | undefined;

  constructor(private readonly parts: ComposerRequestsParts) {}

  /** A message of a page; answers to its questions go to `post`. */
  receive(message: Exclude<ComposerToHost, { type: 'getStarted' }>, post: (answer: ComposerToPage) => void): void {
    const { waiting } = this.parts.inbox;
    switch (message.type) {
      case 'complete':
        this.complete(message, post);
        return;
      case 'takeCompletion':
        this.take(message, post);
        return;
      case 'endComplete':
        this.question?.abort();
        this.parts.builtIn.mentions.end();
        return;
      case 'mentioned':
        void this.tellMentioned(message, post);
        return;
      case 'dropped':
        void this.mention(message.uris);
        return;
      case 'editQueued':
        this.queued(message.id, queued => waiting.edit(queued));
        return;
      case 'removeQueued':
        this.queued(message.id, queued => waiting.drop(queued));
        return;
      case 'deliverQueued':
        this.queued(message.id, queued => waiting.deliver(queued, message.delivery));
        return;
    }
  }

  private queued(itemId: string, use: (message: AgentMessage) => unknown): void {
    const message = this.parts.chat.messageOf(itemId);
    if (message !== undefined) use(message);
  }

  /** Only the newest question matters: an older one is given up. */
  private complete(message: Complete, post: (answer: ComposerToPage) => void): void {
    this.question?.abort();
    const { signal } = (this.question = new AbortController());
    const onFound: CompletionListener = (items, final) => {
      if (!signal.aborted) post({ type: 'completions', id: message.id, items, final });
    };
    this.find(message, signal, onFound).catch((error: unknown) => {
      this.parts.log.warn(`Completion of "${message.text.slice(0, 100)}" failed: ${messageOf(error)}`);
      onFound([], true);
    });
  }

  private async find(message: Complete, signal: AbortSignal, onFound: CompletionListener): Promise<void> {
    const { builtIn } = this.parts;
    const { what, text } = message;
    if (what === 'mention') await builtIn.mentions.find(text, signal, onFound);
    else if (what === 'text') await this.askHooks(message, signal, onFound);
    else {
      const blank = text.indexOf(' ');
      onFound(await builtIn.argumentsOf(text.slice(0, blank), text.slice(blank + 1)), true);
    }
  }

  private async askHooks(
    { id, text, caret = text.length }: Complete,
    signal: AbortSignal,
    onFound: CompletionListener,
  ): Promise<void> {
    const { builtIn, fromHooks } = this.parts;
    const asked = fromHooks.suggest(text, caret, signal);
    const first = await Promise.race([asked, sleep(HOOKS_FIRST_MS, signal)]);
    if (first === true) onFound(await builtIn.at(text, caret, signal), false);
    const found = await asked;
    if (signal.aborted) return;
    // Names of commands are known to the page.
    const items = found.items.filter(item => builtIn.ownOf(item) !== 'command');
    this.offered = { id, text, caret, items, prefix: found.prefix };
    const shown = items.map((item): Completion => {
      const own = builtIn.ownOf(item);
      if (own !== undefined && own !== 'command') return own;
      return { kind: 'hook', label: item.label, detail: item.description ?? '', insert: item.value };
    });
    onFound(shown, true);
  }

  private async tellMentioned(
    { id, words }: Extract<ComposerToHost, { type: 'mentioned' }>,
    post: (answer: ComposerToPage) => void,
  ): Promise<void> {
    post({ type: 'mentioned', id, found: await this.parts.builtIn.mentions.named(words) });
  }

  private take(
    { id, index }: Extract<ComposerToHost, { type: 'takeCompletion' }>,
    post: (answer: ComposerToPage) => void,
  ): void {
    const { offered } = this;
    const item = offered?.id === id ? offered.items[index] : undefined;
    if (offered === undefined || item === undefined) return;
    post({
      type: 'completed',
      id,
      ...this.parts.fromHooks.complete(offered.text, offered.caret, item, offered.prefix),
    });
  }

  /** Puts mentions of files into the composer, where the caret stands; what cannot be attached is reported. */
  async mention(uris: readonly string[]): Promise<void> {
    const { text, problems } = await mentionsOf(uris, this.parts.cwd);
    if (text !== '') this.parts.composer.insert(text);
    if (problems.length > 0) this.parts.chat.notice('warning', problems.join(' '));
  }
}
