import * as l10n from '@vscode/l10n';
import type { AssistantMessageEvent, ToolCall } from '@mariozechner/pi-ai';
import type { AgentEvent } from '../../agent/run/events';
import {
  isFailedOrAborted,
  type AgentMessage,
  type AssistantMessage,
  type CustomMessage,
  type ToolResultMessage,
  type UserMessage,
} from '../../agent/messages';
import type { EntryId } from '../../agent/session/entry';
import { toolCallsOf } from '../../agent/run/tool-calls';
import type { CommandState } from '../../protocol/panels/running-commands';
import type {
  AssistantBlock,
  AssistantItem,
  ChatItem,
  ToolItem,
  ToolState,
  UserItem,
} from '../../protocol/items/chat-item';
import { attachedNames, typedText } from '../../session/attachments/attached-files';
import { toolItemId, type ChatModel } from '../model/chat-model';
import { helpFor, withOffersAtEnd, withoutOffer } from './offers';
import { foldTries, triesNotice, type FoldedPart } from './failed-tries';
import type { TranscriptPart } from '../../session/ports/session-events';
import { recordedCommandEnd, wasLetGo, type RecordedCommandEnd } from '../../transcript/command-end';
import { recordedCall } from '../../transcript/rerun-message';
import { notShownText, plainText } from '../../transcript/message-text';
import { blocksOf, saysSomething, shownName, withTimes } from './message-parts';
import { commandEndNotice, stateAtEnd } from './command-states';
import { recordedLines } from './nested-lines';
import { newToolItem, resultFields } from './present-tool';
import type { ShownTexts } from './shown-texts';
import { withThoughts } from '../call-records/thought-record';
import { ToolCards, type ToolCardContext } from './tool-cards';
import { defined } from '../../base/defined';
import { redactText } from '../../base/text/redact';

/** The most characters of a provider's text that are shown. */
const LONGEST_ERROR = 4_000;

/** What the presenter needs to know of its conversation. */
export interface PresenterContext extends ToolCardContext {
  /** Name of a model as people see it. */
  modelName(provider: string, id: string): string;
  /** Whether a user can log in to the provider. */
  readonly hasLogin: (provider: string) => boolean;
  /** The command of a call while it runs on. */
  runningState(toolCallId: string): CommandState | undefined;
  /** Which of how many versions of a message this is; undefined where there is one. */
  versionOf(message: UserMessage): UserItem['version'];
  /** Another window or program writes to the session. */
  isOpenElsewhere(): boolean;
  /** How hooks want texts shown. */
  readonly texts: Pick<ShownTexts, 'draw' | 'drawEnd' | 'grow'>;
}

/** Converts the events of a run to changes of the chat. Keeps only the state of the current answer. */
export class Presenter {
  private answer:
    { readonly id: string; readonly blocks: Map<number, number>; item: AssistantItem | undefined } | undefined;
  readonly cards: ToolCards;
  /** The failures of the notice that was drawn last. */
  private tries: { readonly id: string; readonly failed: readonly AssistantMessage[] } | undefined;
  /** Calls that wait or run where the session is open, by id. */
  private elsewhere: ReadonlySet<string> = new Set();
  private readonly announced = new Map<AgentMessage, { readonly id: string; readonly queued: boolean }>();

  constructor(
    private readonly chat: ChatModel,
    private readonly facts: PresenterContext,
  ) {
    this.cards = new ToolCards(chat, facts);
  }

  /** Draws a conversation that was read from disk; the items get fresh ids. */
  show(parts: readonly TranscriptPart[]): void {
    this.answer = undefined;
    this.cards.reset();
    this.announced.clear();
    this.chat.unlinkAll();
    this.facts.drawings.reset();
    this.elsewhere = this.facts.isOpenElsewhere() ? openCallsOf(parts) : new Set();
    const items = new Map<string, ChatItem>();
    for (const part of foldTries(parts)) {
      const drawn = this.itemsOfPart(part, items);
      for (const item of drawn) items.set(item.id, item);
      if (drawn[0] !== undefined && part.type === 'message') this.chat.link(drawn[0].id, part.message);
    }
    const drawn = withOffersAtEnd([...items.values()]);
    this.chat.reset(this.facts.texts.drawEnd(drawn));
  }

  /** Applies one event of a run, or of a call that the user runs again. */
  apply(event: AgentEvent, byUser = false): void {
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') this.openAnswer();
        return;
      case 'message_update':
        this.applyDelta(event.message, event.assistantMessageEvent);
        return;
      case 'message_end':
        this.endMessage(event.message);
        return;
      case 'tool_execution_start':
        this.cards.start(event, byUser);
        return;
      case 'tool_execution_update':
        this.cards.showOutput(event.toolCallId, event.partialResult);
        return;
      case 'tool_execution_end':
        this.cards.end(event);
        return;
      case 'agent_start':
        this.withdrawOffers();
        return;
      case 'agent_end':
      case 'turn_start':
      case 'turn_end':
        return;
    }
  }

  /** A hook added an entry to the session; it is only visible if a hook draws it. */
  addEntry(entryId: EntryId): void {
    this.put(this.entryItem(entryId));
  }

  /** Draws a message of the user before the agent has it: at once when it opens a run, marked when it is queued. */
  announce(message: UserMessage, state: 'sent' | 'steer' | 'followUp'): void {
    const item = this.userItem(message, state);
    this.announced.set(message, { id: item.id, queued: state !== 'sent' });
    this.put(item);
  }

  /** A hook replaced a message: updates its items. `calls`: the calls that it had before. */
  replaced(message: AgentMessage, calls: readonly ToolCall[]): void {
    const known = this.announced.get(message);
    if (message.role === 'user' && known?.queued === false) {
      this.put({ ...this.userItem(message, 'sent'), id: known.id }, message);
    }
    if (message.role === 'toolResult') {
      const card = this.chat.get(toolItemId(message.toolCallId));
      const fields = resultFields(message.toolName, { content: message.content, details: message.details });
      if (card?.kind === 'tool') this.put({ ...card, ...fields }, message);
    }
    if (message.role !== 'assistant') return;
    const { answer } = this;
    if (answer?.item !== undefined && !saysSomething(this.answerItem(answer.id, message, blocksOf(message)))) {
      this.chat.apply({ type: 'remove', id: answer.id });
    }
    const left = new Set(toolCallsOf(message).map(({ id }) => id));
    for (const { id } of calls.filter(call => !left.has(call.id))) {
      this.cards.setState(id, { type: 'skipped', reason: l10n.t('A hook removed this call from the answer.') });
    }
  }

  /** Removes the answer that failed last. `tried`: it is retried, and one notice shows the failures in a row. */
  dropFailedAnswer(tried?: AssistantMessage): void {
    const last = this.chat.items.findLast(item => item.kind === 'assistant');
    if (last?.state === 'error') this.chat.apply({ type: 'remove', id: last.id });
    if (tried === undefined) return;
    const known = this.tries?.id === this.chat.items.at(-1)?.id ? this.tries : undefined;
    this.tries = { id: known?.id ?? this.chat.nextId('notice'), failed: [...(known?.failed ?? []), tried] };
    this.put(triesNotice(this.tries.id, this.tries.failed));
  }

  /** The conversation continues: removes the buttons of earlier answers. */
  private withdrawOffers(): void {
    for (const item of this.chat.items) {
      const left = withoutOffer(item);
      if (left !== item) this.chat.apply({ type: 'item', item: left });
    }
  }

  /** Removes an announced message that will not be sent. */
  withdraw(message: AgentMessage): void {
    const known = this.announced.get(message);
    if (known === undefined) return;
    this.announced.delete(message);
    this.chat.apply({ type: 'remove', id: known.id });
  }

  private openAnswer(): void {
    this.answer = { id: this.chat.nextId('assistant'), blocks: new Map(), item: undefined };
  }

  private applyDelta(message: AssistantMessage, event: AssistantMessageEvent): void {
    switch (event.type) {
      case 'text_delta':
        this.appendText(message, event.contentIndex, 'text', event.delta);
        return;
      case 'thinking_delta':
        this.appendText(message, event.contentIndex, 'thinking', event.delta);
        return;
      case 'toolcall_start':
      case 'toolcall_delta':
      case 'toolcall_end':
        this.cards.show(message, event);
        return;
      case 'thinking_end':
        this.endThought(event.contentIndex);
        return;
      case 'start':
      case 'text_start':
      case 'text_end':
      case 'thinking_start':
      case 'done':
      case 'error':
        return;
    }
  }

  private appendText(
    message: AssistantMessage,
    index: number,
    blockType: AssistantBlock['type'],
    append: string,
  ): void {
    if (this.answer === undefined) this.openAnswer();
    const answer = this.answer;
    if (answer === undefined) return;
    if (answer.item === undefined) {
      answer.item = this.answerItem(answer.id, message, []);
      this.chat.apply({ type: 'item', item: answer.item });
    }
    const block = answer.blocks.get(index) ?? answer.blocks.size;
    const begins = !answer.blocks.has(index);
    answer.blocks.set(index, block);
    const startedAt = begins && blockType === 'thinking' ? { startedAt: Date.now() } : {};
    this.chat.apply({ type: 'text', id: answer.id, block, blockType, append, ...startedAt });
    this.facts.texts.grow(answer.id, block);
  }

  private endThought(index: number): void {
    const block = this.answer?.blocks.get(index);
    if (this.answer === undefined || block === undefined) return;
    const item = this.chat.get(this.answer.id);
    const startedAt = item?.kind === 'assistant' ? item.blocks[block]?.startedAt : undefined;
    if (startedAt === undefined) return;
    this.chat.apply({ type: 'thought', id: this.answer.id, block, durationMs: Date.now() - startedAt });
  }

  private endMessage(message: AgentMessage): void {
    const known = this.announced.get(message);
    if (known?.queued === false) {
      this.announced.delete(message);
      // It has a place in the session only now, where others may have been before.
      const item = message.role === 'user' ? this.userItem(message, 'sent') : undefined;
      if (item?.version !== undefined) this.put({ ...item, id: known.id }, message);
      return;
    }
    this.withdraw(message);
    if (message.role !== 'assistant') {
      if (message.role === 'toolResult') this.chat.link(toolItemId(message.toolCallId), message);
      else for (const item of this.itemsOf(message, new Map())) this.put(item, message);
      return;
    }
    const id = this.answer?.id ?? this.chat.nextId('assistant');
    const item = this.answerItem(id, message, withTimes(blocksOf(message), this.chat.get(id)));
    if (saysSomething(item)) this.put(item, message);
    this.facts.calls.keepThoughts(item.blocks, message.timestamp);
    this.answer = undefined;
    if (!isFailedOrAborted(message)) return;
    for (const call of toolCallsOf(message)) this.cards.setState(call.id, stateWithoutResult(message));
  }

  private put(item: ChatItem, message?: AgentMessage): void {
    if (message !== undefined) this.chat.link(item.id, message);
    this.chat.apply({ type: 'item', item: this.facts.texts.draw(item, true) });
  }

  private itemsOfPart(part: FoldedPart, known: ReadonlyMap<string, ChatItem>): ChatItem[] {
    switch (part.type) {
      case 'message':
        return this.itemsOf(part.message, known);
      case 'entry':
        return [this.entryItem(part.entryId)];
      case 'tries':
        return [triesNotice(this.chat.nextId('notice'), part.failed)];
      case 'unknown':
        return [this.unknownLine(part.kinds)];
    }
  }

  private entryItem(entryId: EntryId): ChatItem {
    const id = this.chat.nextId('entry');
    return { kind: 'entry', id, ...this.facts.drawings.entry(id, entryId) };
  }

  /** The items of a complete message; tool results complete the card among `known`. */
  private itemsOf(message: AgentMessage, known: ReadonlyMap<string, ChatItem>): ChatItem[] {
    switch (message.role) {
      case 'system':
        return [];
      case 'user':
        return [this.userItem(message, 'sent')];
      case 'assistant':
        return this.answerItems(message);
      case 'toolResult': {
        const card = known.get(toolItemId(message.toolCallId));
        if (card?.kind !== 'tool') return [];
        const result = { content: message.content, details: message.details as unknown };
        const fields = resultFields(message.toolName, result);
        const { toolCallId, timestamp, isError } = message;
        const ran = defined({ durationMs: this.facts.calls.of(toolCallId, timestamp)?.ms });
        const drawn = this.facts.drawings.result(card.id, { value: result, isPartial: false, isError, ...ran });
        const complete = { ...card, ...fields, ...drawn, ...recordedLines(message), ...this.letGo(message) };
        return [this.cards.restored(complete, message)];
      }
      case 'custom':
        return this.customItems(message, known);
      case 'bashExecution':
        return [
          {
            kind: 'bash',
            id: this.chat.nextId('bash'),
            command: message.command,
            output: message.output,
            ...defined({ exitCode: message.exitCode }),
            state: message.cancelled ? 'cancelled' : 'done',
            hidden: message.excludeFromContext === true,
          },
        ];
      case 'branchSummary':
        return [this.summary(l10n.t('Summary of the branch you left'), message.summary)];
      case 'compactionSummary':
        return [
          this.summary(l10n.t('Earlier conversation summarized ({0} tokens)', message.tokensBefore), message.summary),
        ];
    }
  }

  /** A call that the user ran again is there as a card; while it lives, it has one already. */
  private customItems(message: CustomMessage, known: ReadonlyMap<string, ChatItem>): ChatItem[] {
    const end = recordedCommandEnd(message);
    if (end !== undefined) return this.endItems(end, known);
    const again = recordedCall(message);
    if (again === undefined) return message.display ? [this.customItem(message)] : [];
    const fields = resultFields(again.name, again.result);
    const card = { ...newToolItem(again, this.facts.cwd), byUser: true as const, ...fields };
    if (this.chat.get(card.id) !== undefined) return [];
    return [this.cards.restored(card, { isError: again.isError, timestamp: message.timestamp })];
  }

  /** Until the session says otherwise, a command that ran on and does not run any more ended with its conversation. */
  private letGo({ toolCallId, details }: ToolResultMessage): Pick<ToolItem, 'command'> {
    if (!wasLetGo(details)) return {};
    return { command: this.facts.runningState(toolCallId) ?? { type: 'left' } };
  }

  /** A line that says how a command ended; its card, if it is among `known`, says so, too. */
  private endItems(end: RecordedCommandEnd, known: ReadonlyMap<string, ChatItem>): ChatItem[] {
    const id = toolItemId(end.toolCallId);
    const drawn = known.get(id);
    const card = drawn ?? this.chat.get(id);
    const notice = commandEndNotice(this.chat.nextId('notice'), end, card?.kind === 'tool' ? card : undefined);
    return drawn?.kind === 'tool' ? [{ ...drawn, command: stateAtEnd(end) }, notice] : [notice];
  }

  private customItem(message: CustomMessage): ChatItem {
    const id = this.chat.nextId('custom');
    const drawn = this.facts.drawings.message(id, message);
    return { kind: 'custom', id, customType: message.customType, text: plainText(message.content), ...drawn };
  }

  private answerItems(message: AssistantMessage): ChatItem[] {
    const blocks = withThoughts(blocksOf(message), this.facts.calls.thoughts(message.timestamp));
    const item = this.answerItem(this.chat.nextId('assistant'), message, blocks);
    const cards = toolCallsOf(message).map((call): ToolItem => {
      const card = newToolItem({ id: call.id, name: call.name, args: call.arguments }, this.facts.cwd);
      const drawn = this.facts.drawings.call(card.id, call.name, call.id, call.arguments);
      const state: ToolState = this.elsewhere.has(call.id) ? { type: 'elsewhere' } : stateWithoutResult(message);
      return { ...card, ...drawn, state };
    });
    return saysSomething(item) ? [item, ...cards] : cards;
  }

  private answerItem(id: string, message: AssistantMessage, blocks: readonly AssistantBlock[]): AssistantItem {
    const base = {
      kind: 'assistant',
      id,
      blocks,
      model: this.facts.modelName(message.provider, message.model),
    } as const;
    if (
      this.answer?.id === id &&
      this.answer.item === undefined &&
      blocks.length === 0 &&
      !isFailedOrAborted(message)
    ) {
      return { ...base, state: 'streaming' };
    }
    if (message.stopReason === 'aborted') {
      return { ...base, state: 'aborted', help: [...helpFor(message, this.facts.hasLogin)] };
    }
    if (message.stopReason !== 'error') return { ...base, state: 'done' };
    return {
      ...base,
      state: 'error',
      error: errorText(message),
      help: [...helpFor(message, this.facts.hasLogin)],
    };
  }

  private userItem(message: UserMessage, state: 'sent' | 'steer' | 'followUp'): UserItem {
    const id = this.chat.nextId('user');
    this.chat.link(id, message);
    const { cwd } = this.facts;
    const attached = attachedNames(message.content, cwd).map(each => ({ ...each, name: shownName(each.name, cwd) }));
    return {
      kind: 'user',
      id,
      text: typedText(message.content),
      images: typeof message.content === 'string' ? [] : message.content.filter(part => part.type === 'image'),
      ...(attached.length > 0 ? { attached } : {}),
      ...this.versionOf(message),
      state,
    };
  }

  private versionOf(message: UserMessage): Pick<UserItem, 'version'> {
    const version = this.facts.versionOf(message);
    return defined({ version });
  }

  private unknownLine(kinds: readonly string[]): ChatItem {
    return { kind: 'notice', id: this.chat.nextId('notice'), level: 'info', text: notShownText(kinds) };
  }

  private summary(text: string, detail: string): ChatItem {
    return { kind: 'notice', id: this.chat.nextId('notice'), level: 'info', text, detail };
  }
}

/** The provider's own words, without secrets. */
function errorText({ errorMessage }: AssistantMessage): string {
  if (errorMessage === undefined) return l10n.t('The provider reported an error without a text.');
  return redactText(errorMessage.slice(0, LONGEST_ERROR));
}

/** The state of a call that has no result, by the end of its answer. */
function stateWithoutResult({ stopReason }: AssistantMessage): ToolState {
  if (stopReason === 'aborted') return { type: 'stopped' };
  const wasCut = stopReason === 'error';
  const reason = wasCut ? l10n.t('The answer ended before this call was complete.') : l10n.t('No result was recorded.');
  return { type: 'skipped', reason };
}

/** Calls of the last answer that have no result yet. */
function openCallsOf(parts: readonly TranscriptPart[]): ReadonlySet<string> {
  const messages = parts.flatMap(part => (part.type === 'message' ? [part.message] : []));
  const at = messages.findLastIndex(({ role }) => role !== 'toolResult');
  const last = messages[at];
  if (last?.role !== 'assistant') return new Set();
  const open = new Set(toolCallsOf(last).map(({ id }) => id));
  for (const message of messages.slice(at)) if (message.role === 'toolResult') open.delete(message.toolCallId);
  return open;
}
