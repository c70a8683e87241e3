import type { Agent } from '../../agent/run/agent';
import { convertToLlm } from '../../agent/llm-messages';
import type { FinishedTurn, Turn } from '../../agent/run/loop';
import type { AgentMessage, AssistantMessage, CustomMessage, Message, SystemMessage } from '../../agent/messages';
import { isSessionEntry, type StoredEntry } from '../../agent/session/entry';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { BoundaryContextPreview } from '../../hook-typings/session/event-parts';
import { copyMessages } from '../../hook-contract/copy';
import type { HookEventOf, TurnProposal } from '../../hook-contract/hook-event';
import { appendDrafts, withDrafts } from '../state/boundary-entries';
import { queueForHooks, type RunParts } from './run-parts';

type Boundary = 'turn_end' | 'agent_before_settle';
type Outcome = HookEventOf<Boundary>['outcome'];

const STAYS: FinishedTurn = { goesOn: false };

/** Lets hooks change a message, a turn and a whole run at its end, before it takes effect. */
export class TurnBoundaries {
  /** Messages of hooks that join the conversation when the turn is over, and cause no request. */
  private afterTurn: CustomMessage[] = [];

  constructor(
    private readonly parts: RunParts,
    private readonly agent: Agent,
  ) {}

  /** What the model would get next with these entries; throws when one of them cannot be added. */
  context(at: Boundary, drafts: readonly unknown[]): BoundaryContextPreview {
    const { store } = this.parts.state;
    const { entries, messages } = withDrafts(store, drafts).buildSessionProjection();
    const llmMessages = copyMessages(messages).flatMap((message): readonly (Message | SystemMessage)[] =>
      message.role === 'system' ? [message] : convertToLlm([message]),
    );
    const pendingMessages = copyMessages([...this.queued, ...this.afterTurn]);
    const last = llmMessages.at(-1)?.role;
    const hasMessages = llmMessages.some(({ role }) => role !== 'system');
    const canContinue =
      (hasMessages && last !== 'assistant') ||
      (pendingMessages.length > 0 && (at === 'turn_end' || last === 'assistant'));
    const contextEntries = entries.map(entry => ({ ...entry, messages: copyMessages(entry.messages) }));
    const preview = {
      contextEntries,
      contextMessages: copyMessages(messages),
      llmMessages,
      pendingMessages,
      canContinue,
    };
    return preview as unknown as BoundaryContextPreview;
  }

  /** A message between a call and its result would be refused: it waits for the end of the turn, or of the run. */
  addAfterTurn(message: CustomMessage): void {
    this.afterTurn.push(message);
  }

  /** Puts what waited for the end of the turn into the conversation. */
  addWaiting(): void {
    for (const message of this.afterTurn.splice(0)) this.add(message);
  }

  /** Puts a message of a hook into the conversation, without a request. Clients are notified and hooks are not, as in pi. */
  add(message: CustomMessage): void {
    const { events, writing } = this.parts;
    this.agent.append(message);
    writing.persist(message);
    events.fire({ type: 'step', step: { type: 'message_end', message }, byUser: false });
    for (const type of ['message_start', 'message_end'] as const) events.fire({ type, message });
  }

  /**
   * Lets hooks replace a complete message in place, because the run and the chat already refer to it. True when one
   * did.
   */
  async endMessage(message: AgentMessage, signal: AbortSignal): Promise<boolean> {
    const { ports, conversation, hookEvents } = this.parts;
    const { runner } = ports.hooks;
    if (!runner.hasHandlers('message_end')) return false;
    await hookEvents.whenDelivered(signal);
    const { message: replacement } = await runner.emit({ type: 'message_end', message }, conversation);
    if (replacement === message) return false;
    for (const name of Object.keys(message)) Reflect.deleteProperty(message, name);
    Object.assign(message, replacement);
    return true;
  }

  /** Emits the end of a turn and does what hooks decide. */
  async endTurn(turn: Turn, signal: AbortSignal): Promise<FinishedTurn> {
    const { ports, conversation, state, hookEvents } = this.parts;
    const { runner } = ports.hooks;
    if (!runner.hasHandlers('turn_end')) return STAYS;
    const { message, toolResults } = turn;
    const event: HookEventOf<'turn_end'> = {
      type: 'turn_end',
      ...turn,
      messageEntryId: state.entryIdOf(message) ?? '',
      toolResultEntryIds: toolResults.flatMap(result => state.entryIdOf(result) ?? []),
      outcome: outcomeOf(message),
      entries: [],
      continue: false,
    };
    if (!runner.handles('turn_end', ({ dialect }) => dialect.decidesTurns)) {
      queueForHooks(this.parts, event);
      await hookEvents.whenDelivered(signal);
      return STAYS;
    }
    await hookEvents.whenDelivered(signal);
    const proposal: TurnProposal = await runner.emit(event, conversation);
    const context = this.commit('turn_end', proposal);
    const goesOn = event.outcome === 'completed' && proposal.continue && this.canContinue('turn_end', proposal);
    return { goesOn, ...defined({ context }) };
  }

  /**
   * Asks hooks before a run settles; true when another request follows. Entries that hooks add still count after the
   * signal fires.
   */
  async beforeSettle(last: AssistantMessage, signal: AbortSignal): Promise<boolean> {
    const { ports, conversation, hookEvents } = this.parts;
    const { runner } = ports.hooks;
    if (!runner.hasHandlers('agent_before_settle')) return false;
    await hookEvents.whenDelivered(signal);
    const proposal: TurnProposal = await runner.emit(
      { type: 'agent_before_settle', outcome: outcomeOf(last), entries: [], continue: false },
      conversation,
      { signal },
    );
    const context = this.commit('agent_before_settle', proposal);
    if (context !== undefined) this.agent.setMessages(context);
    this.addWaiting();
    if (signal.aborted) return false;
    if (!proposal.continue) return this.queued.length > 0;
    return this.canContinue('agent_before_settle', proposal);
  }

  private get queued(): readonly AgentMessage[] {
    return [...this.agent.steering.messages, ...this.agent.followUps.messages];
  }

  private canContinue(at: Boundary, { by = '' }: TurnProposal): boolean {
    const { canContinue } = this.context(at, []);
    if (!canContinue) this.report(at, by, `${at} requested continuation without runnable model context`);
    return canContinue;
  }

  /** Adds the entries to the session and shows them; returns the context if it changed. */
  private commit(at: Boundary, { entries, by = '' }: TurnProposal): readonly AgentMessage[] | undefined {
    if (entries.length === 0) return undefined;
    const { state, events } = this.parts;
    let appended: readonly StoredEntry[];
    try {
      appended = appendDrafts(state.store, entries);
    } catch (error) {
      this.report(at, by, `The entries could not be written: ${messageOf(error)}`);
      return undefined;
    }
    const context = state.rebuildContext();
    for (const entry of appended) {
      this.show(entry, context);
      events.fire({ type: 'entry_appended', entry });
    }
    return context;
  }

  private show(entry: StoredEntry, context: readonly AgentMessage[]): void {
    const { state, events, compaction } = this.parts;
    if (!isSessionEntry(entry)) return;
    if (entry.type === 'compaction') compaction.follows(entry);
    if (entry.type !== 'custom_message') return;
    const message = context.find(message => state.entryIdOf(message) === entry.id);
    if (message === undefined) return;
    events.fire({ type: 'step', step: { type: 'message_end', message }, byUser: false });
  }

  private report(event: Boundary, hookPath: string, message: string): void {
    const { ports, conversation } = this.parts;
    ports.hooks.runner.services.report({ hookPath, event, message, conversation: conversation.id });
  }
}

function outcomeOf({ stopReason }: AssistantMessage): Outcome {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}
