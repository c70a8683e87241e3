import * as l10n from '@vscode/l10n';
import type { AssistantMessageEvent, ImageContent } from '@mariozechner/pi-ai';
import type { AgentEvent } from '../agent/events';
import type { AgentMessage, AssistantMessage, CustomMessage, UserMessage } from '../agent/messages';
import { toolCallsOf } from '../agent/tool-calls';
import type { ToolResult } from '../agent/tools/tool';
import type { DispatchRecord } from '../hooks/record';
import type { AssistantBlock, AssistantItem, ChatItem, NoticeItem, ToolItem, ToolState } from '../protocol/chat-item';
import { attachedNames, typedText } from './attached-files';
import type { ChatModel } from './chat-model';
import { CallClock } from './call-records/call-clock';
import type { SessionCalls } from './call-records/session-calls';
import { endState, verdictOf } from './present-verdict';
import { restoredCall } from './call-records/restored-call';
import { recordedCall } from './run-again';
import { blocksOf, plainText, shownName } from './message-parts';
import { argumentFields, newToolItem, outputText, resultFields, toolItemId } from './present-tool';
import type { Drawings } from './terminal/drawings';

/** What the presenter needs to know of its conversation. */
export interface PresenterFacts {
  readonly cwd: string;
  /** Name of a model as people see it. */
  modelName(provider: string, id: string): string;
  /** True when some hook looks at this tool before it runs. */
  isGated(toolName: string): boolean;
  /** What is known of calls beyond their session. */
  calls?(): Pick<SessionCalls, 'of' | 'keep'>;
  /** Files that a call changed. */
  touchedBy?(toolCallId: string): ToolItem['touched'];
  /** How hooks draw their own messages and tools. */
  drawings?(): Pick<Drawings, 'message' | 'call' | 'result' | 'reset'>;
}

/** Turns what happens in a run into changes of the chat. Holds only what the current answer needs. */
export class Presenter {
  private count = 0;
  private answer:
    { readonly id: string; readonly blocks: Map<number, number>; item: AssistantItem | undefined } | undefined;
  /** To be told when a tool itself begins and ends. */
  readonly clock = new CallClock();
  private readonly announced = new Map<AgentMessage, { readonly id: string; readonly queued: boolean }>();
  private readonly messageOfItem = new Map<string, AgentMessage>();

  constructor(
    private readonly chat: ChatModel,
    private readonly facts: PresenterFacts,
  ) {}

  /** Draws a conversation that was read from disk; the items get fresh ids. */
  show(messages: readonly AgentMessage[]): void {
    this.answer = undefined;
    this.clock.clear();
    this.announced.clear();
    this.messageOfItem.clear();
    this.facts.drawings?.().reset();
    const items = new Map<string, ChatItem>();
    for (const message of messages) {
      const drawn = this.itemsOf(message, items);
      for (const item of drawn) items.set(item.id, item);
      if (drawn[0] !== undefined) this.messageOfItem.set(drawn[0].id, message);
    }
    this.chat.reset([...items.values()]);
  }

  /** Applies one event of a run. */
  apply(event: AgentEvent): void {
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
        this.startTool(event.toolCallId, event.toolName, event.args);
        return;
      case 'tool_execution_update':
        this.updateOutput(event.toolCallId, event.partialResult);
        return;
      case 'tool_execution_end':
        this.endTool(event);
        return;
      case 'agent_start':
      case 'agent_end':
      case 'turn_start':
      case 'turn_end':
        return;
    }
  }

  /** The tool itself begins: all hooks let it pass. */
  toolRuns(toolCallId: string): void {
    this.setToolState(toolCallId, { type: 'running', startedAt: Date.now() });
  }

  /** A question about the call is answered: other hooks may look at it still. */
  stopsAsking(toolCallId: string): void {
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind === 'tool' && item.state.type === 'asking') this.setToolState(toolCallId, { type: 'checking' });
  }

  setToolState(toolCallId: string, state: ToolState): void {
    const id = toolItemId(toolCallId);
    if (this.chat.get(id) !== undefined) this.chat.apply({ type: 'toolState', id, state });
  }

  /** Shows what a call is about to get, where hooks have changed what the model asked for. */
  showInput(toolCallId: string, input: Readonly<Record<string, unknown>>): void {
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind !== 'tool') return;
    const shown = this.withInput(item, toolCallId, input);
    if (shown !== item) this.put(shown);
  }

  private withInput(item: ToolItem, toolCallId: string, input: Readonly<Record<string, unknown>>): ToolItem {
    const fields = argumentFields(item.name, input, this.facts.cwd);
    if (fields.args === item.args && fields.summary === item.summary) return item;
    const modelArgs = item.modelArgs ?? item.args;
    return { ...item, ...fields, modelArgs, ...this.facts.drawings?.().call(item.id, item.name, toolCallId, input) };
  }

  /** Adds a handler's verdict to the card of the call it was about, and what the handler made of its arguments. */
  addVerdict(record: DispatchRecord): void {
    if (record.toolCallId === undefined || !['tool_call', 'tool_result'].includes(record.event)) return;
    const item = this.chat.get(toolItemId(record.toolCallId));
    if (item?.kind !== 'tool') return;
    const { input } = record;
    const shown = input === undefined ? item : this.withInput(item, record.toolCallId, input);
    this.chat.apply({
      type: 'item',
      item: { ...shown, verdicts: [...item.verdicts, verdictOf(record, item.verdicts)] },
    });
  }

  /** Draws a message of the user before the agent has it: at once when it opens a run, marked when it is queued. */
  announce(message: UserMessage, state: 'sent' | 'steer' | 'followUp'): void {
    const item = this.userItem(message, state);
    this.announced.set(message, { id: item.id, queued: state !== 'sent' });
    this.put(item);
  }

  /** Takes away the answer that failed, when nothing of it had arrived: it is tried again, and the status says so. */
  dropFailedAnswer(): void {
    const last = this.chat.items.findLast(item => item.kind === 'assistant');
    if (last?.state === 'error' && last.blocks.length === 0) this.chat.apply({ type: 'remove', id: last.id });
  }

  /** Takes an announced message away again: it will not be sent. */
  withdraw(message: AgentMessage): void {
    const known = this.announced.get(message);
    if (known === undefined) return;
    this.announced.delete(message);
    this.chat.apply({ type: 'remove', id: known.id });
  }

  notice(
    level: NoticeItem['level'],
    text: string,
    more: Partial<Omit<NoticeItem, 'kind' | 'id' | 'level' | 'text'>> = {},
  ): void {
    this.put({ kind: 'notice', id: this.nextId('notice'), level, text, ...more });
  }

  nextId(kind: string): string {
    this.count += 1;
    return `${kind}:${this.count}`;
  }

  private openAnswer(): void {
    this.answer = { id: this.nextId('assistant'), blocks: new Map(), item: undefined };
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
        this.showCall(message, event);
        return;
      case 'start':
      case 'text_start':
      case 'text_end':
      case 'thinking_start':
      case 'thinking_end':
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
    answer.blocks.set(index, block);
    this.chat.apply({ type: 'text', id: answer.id, block, blockType, append });
  }

  /** A card appears as soon as the call has a name; its arguments are drawn once, when they are complete. */
  private showCall(
    message: AssistantMessage,
    event: Extract<AssistantMessageEvent, { type: 'toolcall_start' | 'toolcall_delta' | 'toolcall_end' }>,
  ): void {
    const part = event.type === 'toolcall_end' ? event.toolCall : message.content[event.contentIndex];
    if (part?.type !== 'toolCall' || part.id === '' || part.name === '') return;
    const known = this.chat.get(toolItemId(part.id)) !== undefined;
    if (known && event.type !== 'toolcall_end') return;
    const args = event.type === 'toolcall_end' ? part.arguments : {};
    this.chat.apply({ type: 'item', item: newToolItem({ id: part.id, name: part.name, args }, this.facts.cwd) });
  }

  private endMessage(message: AgentMessage): void {
    const known = this.announced.get(message);
    if (known?.queued === false) {
      this.announced.delete(message);
      return;
    }
    this.withdraw(message);
    if (message.role !== 'assistant') {
      if (message.role === 'toolResult') this.messageOfItem.set(toolItemId(message.toolCallId), message);
      else for (const item of this.itemsOf(message, new Map())) this.put(item, message);
      return;
    }
    const id = this.answer?.id ?? this.nextId('assistant');
    const item = this.answerItem(id, message, blocksOf(message));
    if (item.blocks.length > 0 || item.state === 'error') this.put(item, message);
    this.answer = undefined;
    if (item.state === 'done') return;
    for (const call of toolCallsOf(message)) {
      this.setToolState(call.id, {
        type: 'skipped',
        reason: l10n.t('The answer ended before this call was complete.'),
      });
    }
  }

  private startTool(toolCallId: string, name: string, args: Readonly<Record<string, unknown>>): void {
    const id = toolItemId(toolCallId);
    const known = this.chat.get(id);
    const fresh = known?.kind === 'tool' ? known : newToolItem({ id: toolCallId, name, args }, this.facts.cwd);
    const state: ToolState = this.facts.isGated(name)
      ? { type: 'checking' }
      : { type: 'running', startedAt: Date.now() };
    const drawn = this.facts.drawings?.().call(id, name, toolCallId, args);
    const who = toolCallId.startsWith('again-') ? { byUser: true as const } : {};
    this.put({ ...fresh, ...who, ...argumentFields(name, args, this.facts.cwd), ...drawn, state });
  }

  private updateOutput(toolCallId: string, partial: ToolResult): void {
    const id = toolItemId(toolCallId);
    const text = outputText(partial);
    const item = this.chat.get(id);
    if (item?.kind !== 'tool') return;
    const { drawing } = this.facts.drawings?.().result(id, partial, true, false) ?? {};
    if (drawing !== undefined) this.put({ ...item, drawing, output: text });
    if (drawing !== undefined || item.output === text) return;
    const grown = item.output !== '' && text.startsWith(item.output);
    this.chat.apply({ type: 'output', id, append: grown ? text.slice(item.output.length) : text, reset: !grown });
  }

  private endTool(event: Extract<AgentEvent, { type: 'tool_execution_end' }>): void {
    const item = this.chat.get(toolItemId(event.toolCallId));
    if (item?.kind !== 'tool') return;
    const fields = resultFields(event.result);
    const drawn = this.facts.drawings?.().result(item.id, event.result, false, event.isError);
    const state = endState(item, fields.output, event.isError, this.clock.take(event.toolCallId));
    const ended = { ...item, ...fields, ...this.touched(event.toolCallId), ...drawn, state };
    this.put(ended);
    this.facts.calls?.().keep(ended);
  }

  private touched(toolCallId: string): Pick<ToolItem, 'touched'> {
    const touched = this.facts.touchedBy?.(toolCallId) ?? [];
    return touched.length === 0 ? {} : { touched };
  }

  private put(item: ChatItem, message?: AgentMessage): void {
    if (message !== undefined) this.messageOfItem.set(item.id, message);
    this.chat.apply({ type: 'item', item });
  }

  /** The items of a complete message; tool results complete the card among `known`. */
  private itemsOf(message: AgentMessage, known: ReadonlyMap<string, ChatItem>): ChatItem[] {
    switch (message.role) {
      case 'user':
        return [this.userItem(message, 'sent')];
      case 'assistant':
        return this.answerItems(message);
      case 'toolResult': {
        const card = known.get(toolItemId(message.toolCallId));
        if (card?.kind !== 'tool') return [];
        const result = { content: message.content, details: message.details as unknown };
        const fields = resultFields(result);
        const drawn = this.facts.drawings?.().result(card.id, result, false, message.isError);
        const whole = { ...card, ...fields, ...this.touched(message.toolCallId), ...drawn };
        return [this.restored(whole, message.toolCallId, message)];
      }
      case 'custom':
        return this.customItems(message);
      case 'bashExecution':
        return [
          {
            kind: 'bash',
            id: this.nextId('bash'),
            command: message.command,
            output: message.output,
            ...(message.exitCode === undefined ? {} : { exitCode: message.exitCode }),
            state: message.cancelled ? 'cancelled' : 'done',
            hidden: message.excludeFromContext === true,
          },
        ];
      case 'branchSummary':
        return [this.summary(l10n.t('Summary of the branch that was left'), message.summary)];
      case 'compactionSummary':
        return [
          this.summary(l10n.t('Earlier conversation summarised ({0} tokens)', message.tokensBefore), message.summary),
        ];
    }
  }

  /** A call that the person ran again stands there as a card; while it lives, it has one already. */
  private customItems(message: CustomMessage): ChatItem[] {
    const again = recordedCall(message);
    if (again === undefined) return message.display ? [this.customItem(message)] : [];
    const card = { ...newToolItem(again, this.facts.cwd), byUser: true as const, ...resultFields(again.result) };
    if (this.chat.get(card.id) !== undefined) return [];
    const { isError } = again;
    return [this.restored({ ...card, ...this.touched(again.id) }, again.id, { isError, timestamp: message.timestamp })];
  }

  /** A card drawn from its session, with what else is known of the call. */
  private restored(
    card: ToolItem,
    toolCallId: string,
    result: { readonly isError: boolean; readonly timestamp: number },
  ): ToolItem {
    return restoredCall(card, result.isError, this.facts.calls?.().of(toolCallId, result.timestamp));
  }

  private customItem(message: CustomMessage): ChatItem {
    const id = this.nextId('custom');
    const drawn = this.facts.drawings?.().message(id, message);
    return { kind: 'custom', id, customType: message.customType, text: plainText(message.content), ...drawn };
  }

  private answerItems(message: AssistantMessage): ChatItem[] {
    const item = this.answerItem(this.nextId('assistant'), message, blocksOf(message));
    const cards = toolCallsOf(message).map((call): ToolItem => {
      const card = newToolItem({ id: call.id, name: call.name, args: call.arguments }, this.facts.cwd);
      const drawn = this.facts.drawings?.().call(card.id, call.name, call.id, call.arguments);
      return { ...card, ...drawn, state: { type: 'skipped', reason: l10n.t('No result was recorded.') } };
    });
    return item.blocks.length > 0 || item.state === 'error' ? [item, ...cards] : cards;
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
      message.stopReason !== 'error'
    ) {
      return { ...base, state: 'streaming' };
    }
    if (message.stopReason === 'aborted') return { ...base, state: 'aborted' };
    if (message.stopReason !== 'error') return { ...base, state: 'done' };
    return {
      ...base,
      state: 'error',
      error: message.errorMessage ?? l10n.t('The provider reported an error without a text.'),
    };
  }

  private userItem(message: UserMessage, state: 'sent' | 'steer' | 'followUp'): ChatItem {
    const images: readonly ImageContent[] =
      typeof message.content === 'string' ? [] : message.content.filter(part => part.type === 'image');
    const id = this.nextId('user');
    this.messageOfItem.set(id, message);
    const attached = attachedNames(message.content).map(name => shownName(name, this.facts.cwd));
    return {
      kind: 'user',
      id,
      text: typedText(message.content),
      images: images.map(({ mimeType, data }) => ({ mimeType, data })),
      ...(attached.length > 0 ? { attached } : {}),
      state,
    };
  }

  /** The item that stands for a message like this. */
  itemOf(isMeant: (message: AgentMessage) => boolean): string | undefined {
    return [...this.messageOfItem].find(([, message]) => isMeant(message))?.[0];
  }

  /** The message that a drawn item stands for. */
  messageOf(itemId: string): AgentMessage | undefined {
    return this.messageOfItem.get(itemId);
  }

  private summary(text: string, detail: string): ChatItem {
    return { kind: 'notice', id: this.nextId('notice'), level: 'info', text, detail };
  }
}
