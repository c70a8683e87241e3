import * as l10n from '@vscode/l10n';
import type { Api, Model } from '@mariozechner/pi-ai';
import { compact } from '../../agent/compaction/run';
import { estimateTokens } from '../../agent/compaction/tokens';
import { CompactionCancelled } from '../../agent/compaction/summarize';
import { compactionFor } from '../../agent/settings/model-settings';
import {
  hasNothingToSummarize,
  NOTHING_TO_COMPACT,
  prepareCompaction,
  type CompactionPlan,
  type CompactionPreparation,
} from '../../agent/compaction/plan';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import type { CompactionEntry, EntryId, StoredEntry, StoredUsage } from '../../agent/session/entry';
import { messageOf } from '../../base/errors';
import type { Emitter } from '../../base/event';
import type { HookConversation } from '../../hooks/conversation-port';
import type { CompactionResult, HookResults } from '../../hooks/events/hook-event';
import { compactionReason, completeWith, metered } from './compactor';
import type { ConversationPorts } from '../ports';
import type { ChatModel } from '../cards/chat-model';
import type { CompactionOutcome, CompactionReason, SessionEvent } from '../session/session-events';
import type { SessionState } from '../session/session-state';

/** What programs hear when it did not help; pi's words. */
const STILL_TOO_LONG =
  'Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.';

/** Why a conversation is summarised; `willRetry`: the request that did not fit is sent again. */
interface CompactionCause {
  readonly reason: CompactionReason;
  readonly willRetry: boolean;
}

type Refusal = Extract<CompactionPlan, { readonly kind: 'refused' }>;

/** A compaction that can begin. */
type PlannedCompaction = Extract<CompactionPlan, { readonly kind: 'ready' }> & {
  readonly path: readonly StoredEntry[];
  readonly model: Model<Api>;
};

interface CompactionRequest {
  readonly customInstructions: string | undefined;
  readonly why: CompactionCause;
  readonly signal: AbortSignal;
}

export interface CompactionParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly conversation: HookConversation;
  readonly chat: ChatModel;
  /** Tells whoever watches the conversation from outside. */
  readonly events: Emitter<SessionEvent>;
}

interface MadeCompaction {
  readonly result: CompactionResult;
  /** What the model used for it; undefined for a hook's. */
  readonly usage: StoredUsage | undefined;
  readonly preserveData?: Record<string, unknown>;
}

/** Replaces old conversation by a summary, a hook's or the model's. */
export class CompactionFlow {
  /** What came after the latest compaction of the session; `answer` as well where there is none. */
  private since: 'nothing' | 'failed answer' | 'answer' = 'answer';

  constructor(private readonly parts: CompactionParts) {}

  /** A compaction happened and no answer was counted since: the last usage numbers speak of the time before it. */
  get isFresh(): boolean {
    return this.since !== 'answer';
  }

  noteMessage(message: AgentMessage): void {
    if (message.role !== 'assistant') return;
    if (!isFailed(message)) this.since = 'answer';
    else if (this.since === 'nothing') this.since = 'failed answer';
  }

  /** To be called when another session, or another place in it, is gone on from. */
  follow(): void {
    const { store } = this.parts.state;
    const { since, compacted } = lookBack(store.getPathIds(), id => store.getEntry(id));
    this.since = compacted ? since : 'answer';
  }

  /** Whether the context must shrink after this answer, and why. After a run that was stopped it does not. */
  reason(
    message: AssistantMessage,
    context: readonly AgentMessage[],
    when: 'after a run' | 'before a prompt',
  ): Promise<'threshold' | 'overflow' | undefined> {
    const { state, ports } = this.parts;
    if (this.since === 'nothing' || state.model === undefined) return Promise.resolve(undefined);
    if (when === 'after a run' && message.stopReason === 'aborted') return Promise.resolve(undefined);
    return compactionReason(
      message,
      context,
      state.model,
      compactionFor(ports.settings.current.compaction, state.model),
    );
  }

  /** At the person's or a hook's wish. Rejects with the reason when it cannot be done or was cancelled. */
  async manual(customInstructions: string | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    this.parts.events.fire({ type: 'compaction_start', reason: 'manual' });
    try {
      const plan = this.plan();
      if (plan.kind === 'refused') throw new Error(plan.reason);
      const why = { reason: 'manual', willRetry: false } as const;
      const result = await this.compact(plan, { customInstructions, why, signal });
      this.announceEnd('manual', result);
      return result;
    } catch (error) {
      this.announceEnd('manual', undefined, error, 'Compaction failed');
      throw error;
    }
  }

  /** Shrinks it; resolves false when that failed or was declined, which is shown. */
  async run(reason: 'threshold' | 'overflow', signal: AbortSignal): Promise<boolean> {
    const { ports, conversation, chat } = this.parts;
    const plan = this.plan();
    if (plan.kind === 'refused') {
      if (reason === 'overflow') {
        chat.notice('error', l10n.t('The conversation could not be summarised: {0}', plan.reason));
      }
      return false;
    }
    const action = 'context-full';
    const why = { reason, willRetry: reason === 'overflow' };
    this.parts.events.fire({ type: 'compaction_start', reason });
    await ports.hooks.runner.emit({ type: 'auto_compaction_start', reason, action }, conversation);
    let result: CompactionOutcome | undefined;
    let failure: unknown;
    try {
      result = await this.compact(plan, { customInstructions: undefined, why, signal });
    } catch (error) {
      failure = error;
    }
    const aborted = failure instanceof CompactionCancelled;
    const what = reason === 'overflow' ? 'Context overflow recovery failed' : 'Auto-compaction failed';
    this.announceEnd(reason, result, failure, what);
    await ports.hooks.runner.emit(
      {
        type: 'auto_compaction_end',
        action,
        result,
        aborted,
        willRetry: result !== undefined && reason === 'overflow',
        ...(result !== undefined || aborted ? {} : { errorMessage: messageOf(failure) }),
      },
      conversation,
    );
    if (result === undefined) {
      const text = messageOf(failure);
      chat.notice(
        aborted ? 'info' : 'error',
        aborted ? text : l10n.t('The conversation could not be summarised: {0}', text),
      );
    }
    return result !== undefined;
  }

  /** Tells that the context did not fit once more, right after it was shrunk for that. */
  giveUp(): void {
    this.announceEnd('overflow', undefined, new Error(STILL_TOO_LONG));
    this.parts.chat.notice(
      'error',
      l10n.t('The conversation still does not fit the context of this model after it was summarised.'),
      { action: { label: l10n.t('Choose Model'), command: 'pickModel' } },
    );
  }

  /** `what` introduces the reason of a failure. */
  private announceEnd(
    reason: CompactionReason,
    result: CompactionOutcome | undefined,
    failure?: unknown,
    what?: string,
  ): void {
    const aborted = failure instanceof CompactionCancelled;
    const willRetry = result !== undefined && reason === 'overflow';
    const why = what === undefined ? messageOf(failure) : `${what}: ${messageOf(failure)}`;
    const errorMessage = result === undefined && !aborted ? { errorMessage: why } : {};
    this.parts.events.fire({ type: 'compaction_end', reason, result, aborted, willRetry, ...errorMessage });
  }

  /** What would be summarised and kept now; or why nothing can be, of which nobody is told before it begins. */
  private plan(): PlannedCompaction | Refusal {
    const { state, ports } = this.parts;
    const { model } = state;
    if (model === undefined) return { kind: 'refused', reason: 'No model is chosen.' };
    const path = state.store.getBranch();
    const plan = prepareCompaction(path, compactionFor(ports.settings.current.compaction, model));
    if (plan.kind === 'refused') return plan;
    const isEmpty = hasNothingToSummarize(plan.preparation);
    if (isEmpty && !this.compactsAnyway) return { kind: 'refused', reason: NOTHING_TO_COMPACT };
    return { ...plan, path, model };
  }

  private get compactsAnyway(): boolean {
    return this.parts.ports.hooks.runner.handles('session_before_compact', ({ dialect }) => dialect.compactsNothing);
  }

  private async compact(
    { preparation, path, model }: PlannedCompaction,
    { customInstructions, why, signal }: CompactionRequest,
  ): Promise<CompactionOutcome> {
    const { state, ports, conversation } = this.parts;
    const instructions = customInstructions === undefined ? {} : { customInstructions };
    const before = await ports.hooks.runner.emit(
      {
        type: 'session_before_compact',
        preparation,
        branchEntries: path,
        previousCompactions: path.filter(entry => entry.type === 'compaction').reverse(),
        ...instructions,
        ...why,
        model,
        signal,
      },
      conversation,
    );
    if (before.cancelled) throw new CompactionCancelled();
    stopIfCancelled(signal);
    const made =
      before.compaction === undefined
        ? await this.summarize(preparation, { ...instructions, model, signal })
        : { result: before.compaction, usage: undefined };
    stopIfCancelled(signal);
    await this.apply(made, before.compaction !== undefined, why);
    const { messages } = state.store.buildSessionContext();
    const estimatedTokensAfter = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
    return { ...made.result, estimatedTokensAfter };
  }

  private async summarize(
    preparation: CompactionPreparation,
    options: { readonly customInstructions?: string; readonly model: Model<Api>; readonly signal: AbortSignal },
  ): Promise<MadeCompaction> {
    const { ports, conversation, state } = this.parts;
    const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
    const sessionId = state.store.getSessionId();
    const extra: HookResults['session_compacting'] = await ports.hooks.runner.emit(
      { type: 'session_compacting', sessionId, messages },
      conversation,
    );
    const { complete, used } = metered(completeWith(ports.stream, options.model));
    const result = await compact(preparation, {
      complete,
      customInstructions: options.customInstructions,
      prompt: extra.prompt,
      context: extra.context,
      contextWindow: options.model.contextWindow,
      signal: options.signal,
    });
    return { result, usage: used(), ...(extra.preserveData === undefined ? {} : { preserveData: extra.preserveData }) };
  }

  private async apply(
    { result, usage, preserveData }: MadeCompaction,
    fromHook: boolean,
    why: CompactionCause,
  ): Promise<void> {
    const { state, ports, conversation, chat } = this.parts;
    const { store } = state;
    const kept = result.firstKeptEntryId === '' ? undefined : result.firstKeptEntryId;
    const id = store.appendCompaction({
      summary: result.summary,
      firstKeptEntryId: kept,
      tokensBefore: result.tokensBefore,
      ...(result.details === undefined ? {} : { details: result.details }),
      ...(fromHook ? { fromHook } : {}),
      ...(usage === undefined ? {} : { usage }),
      ...(preserveData === undefined ? {} : { extra: { preserveData } }),
    });
    state.spending.use(usage);
    state.readContext();
    this.since = 'nothing';
    chat.notice('info', l10n.t('Earlier conversation summarised ({0} tokens)', result.tokensBefore), {
      detail: result.summary,
    });
    const compactionEntry = store.getEntry(id) as StoredEntry & CompactionEntry;
    const { tokensBefore } = result;
    await ports.hooks.runner.emit(
      { type: 'session_compact', compactionEntry, tokensBefore, fromHook, ...why },
      conversation,
    );
  }
}

/** Walks from the leaf towards the root until an answer that counts, or a compaction, says enough. */
function lookBack(
  path: readonly { readonly id: EntryId; readonly type: string }[],
  read: (id: EntryId) => StoredEntry | undefined,
): { readonly since: 'nothing' | 'failed answer' | 'answer'; readonly compacted: boolean } {
  let since: 'nothing' | 'failed answer' = 'nothing';
  for (const { id, type } of [...path].reverse()) {
    if (type === 'compaction') return { since, compacted: true };
    if (type !== 'message') continue;
    const entry = read(id);
    const message = entry && messageOfEntry(entry);
    if (message?.role !== 'assistant') continue;
    if (!isFailed(message)) return { since: 'answer', compacted: false };
    since = 'failed answer';
  }
  return { since, compacted: false };
}

/** Its numbers, if there are any, do not say how full the context is. */
function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

function stopIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new CompactionCancelled();
}
