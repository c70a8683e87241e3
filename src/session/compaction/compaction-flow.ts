import * as l10n from '@vscode/l10n';
import type { Api, Model } from '@mariozechner/pi-ai';
import { compact } from '../../agent/compaction/compact';
import { estimateTokens } from '../../agent/compaction/tokens';
import { CompactionCancelled } from '../../agent/compaction/summarize';
import { compactionFor } from '../../agent/settings/model-settings';
import {
  hasNothingToSummarize,
  NOTHING_TO_COMPACT,
  prepareCompaction,
  type CompactionPlan,
} from '../../agent/compaction/plan';
import { isFailedOrAborted, type AgentMessage, type AssistantMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import { answeringModel } from '../../agent/models/virtual-models';
import type { CompactionEntry, EntryId, StoredEntry } from '../../agent/session/entry';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { CompactionResult, HookResults } from '../../hook-contract/hook-event';
import { compactionProblem, CompactionRefused } from './compaction-problem';
import { compactionNeed, summarizer, type AnswerFault, type CompactionNeed } from './compactor';
import { modelForSummary } from '../requests/model-routing';
import type { ConversationPorts } from '../ports/ports';
import type {
  CompactionEnd,
  CompactionOutcome,
  CompactionReason,
  Notice,
  SessionEvents,
} from '../ports/session-events';
import type { SessionState } from '../state/session-state';

/** The messages for programs when a compaction did not help, in pi's words. */
const DID_NOT_HELP: Readonly<Record<AnswerFault, string>> = {
  'did not fit':
    'Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.',
  'was cut short': 'Truncated response recovery failed after one compact-and-retry attempt.',
};
/** When it is looked whether the context must shrink, or when it does. */
export type CompactionTime = 'after a run' | 'before a prompt' | 'between turns';

/** Why a conversation is summarized; `willRetry`: the request is sent again then. */
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
  readonly when?: 'between turns' | undefined;
}

export interface CompactionParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly conversation: HookConversation;
  readonly events: SessionEvents;
}

interface MadeCompaction {
  readonly result: CompactionResult;
  readonly preserveData?: Record<string, unknown>;
}

/** How a compaction ended; `fromHook`: it was about to take the summary of a hook. */
type Ended =
  | { readonly kind: 'done'; readonly outcome: CompactionOutcome }
  | { readonly kind: 'failed'; readonly error: unknown; readonly fromHook: boolean };

/** Replaces old conversation by a summary, a hook's or the model's. */
export class CompactionFlow {
  /** What came after the latest compaction of the session; `answer` as well where there is none. */
  private since: 'nothing' | 'failed answer' | 'answer' = 'answer';

  constructor(private readonly parts: CompactionParts) {}

  /** A compaction happened and no answer was counted since: the last usage numbers mention the time before it. */
  get isFresh(): boolean {
    return this.since !== 'answer';
  }

  noteMessage(message: AgentMessage): void {
    if (message.role !== 'assistant') return;
    if (!isFailedOrAborted(message)) this.since = 'answer';
    else if (this.since === 'nothing') this.since = 'failed answer';
  }

  /** To be called after the conversation went to another session or to another place in it. */
  follow(): void {
    const { store } = this.parts.state;
    const { since, compacted } = lookBack(store.getPathIds(), id => store.getEntry(id));
    this.since = compacted ? since : 'answer';
  }

  /** To be called when a compaction is in the session: counts its usage and shows it. */
  follows({ summary, tokensBefore, usage }: CompactionEntry): void {
    const { state, events } = this.parts;
    this.since = 'nothing';
    state.spending.use(usage);
    const text = l10n.t('Earlier conversation summarized ({0} tokens)', tokensBefore);
    events.notice('info', text, { detail: summary, about: 'compaction' });
  }

  /** Whether the context must shrink after this answer, and why. After a run that was stopped it does not. */
  need(
    message: AssistantMessage,
    context: readonly AgentMessage[],
    when: CompactionTime,
  ): Promise<CompactionNeed | undefined> {
    const { state, ports } = this.parts;
    if (this.since === 'nothing' || state.model === undefined) return Promise.resolve(undefined);
    if (when !== 'before a prompt' && message.stopReason === 'aborted') return Promise.resolve(undefined);
    return compactionNeed(
      message,
      context,
      answeringModel(state.model, context, (provider, id) => ports.models.find(provider, id)),
      compactionFor(ports.settings.current.compaction, state.model),
    );
  }

  /** Requested by the user or a hook. Rejects with the reason when it cannot be done or was cancelled. */
  async manual(customInstructions: string | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const why = { reason: 'manual', willRetry: false } as const;
    this.parts.events.fire({ type: 'compaction_start', reason: 'manual' });
    const plan = this.plan();
    const ended =
      plan.kind === 'refused'
        ? failed(new CompactionRefused(plan.reason))
        : await this.compact(plan, { customInstructions, why, signal });
    await this.reportEnd(why, ended, 'Compaction failed');
    if (ended.kind === 'failed') throw ended.error;
    return ended.outcome;
  }

  /**
   * Shrinks the context. Resolves with false if that failed or was declined, which is shown. Between turns, the caller
   * gives the new context to the running agent.
   */
  async run({ reason, willRetry }: CompactionNeed, signal: AbortSignal, when?: 'between turns'): Promise<boolean> {
    const { ports, conversation, events } = this.parts;
    const why = { reason, willRetry };
    const plan = this.plan();
    if (plan.kind === 'refused') {
      if (reason === 'overflow') {
        this.tell(new CompactionRefused(plan.reason), [{ label: l10n.t('Choose Model'), command: 'pickModel' }]);
      }
      return false;
    }
    const action = 'context-full';
    events.fire({ type: 'compaction_start', reason });
    await ports.hooks.runner.emit({ type: 'auto_compaction_start', reason, action }, conversation);
    const ended = await this.compact(plan, { customInstructions: undefined, why, signal, when });
    const what = reason === 'overflow' ? 'Context overflow recovery failed' : 'Auto-compaction failed';
    await this.reportEnd(why, ended, what);
    const end = endOf(ended, willRetry);
    await ports.hooks.runner.emit({ type: 'auto_compaction_end', action, ...end }, conversation);
    if (ended.kind === 'failed') this.tell(ended.error);
    return ended.kind === 'done';
  }

  /** Shows why a compaction did not happen. `actions`: what else helps than another try. */
  private tell(error: unknown, actions?: Notice['actions']): void {
    const { level, text, ...more } = compactionProblem(error);
    this.parts.events.notice(level, text, { ...more, ...defined({ actions }) });
  }

  /** Shows why the context is about to shrink, in the provider's words where it said some. */
  reportOverflow({ errorMessage }: AssistantMessage): void {
    if (errorMessage === undefined) return;
    const text = l10n.t('The conversation does not fit the context of this model. It is summarized and sent again.');
    this.parts.events.notice('warning', text, { detail: errorMessage });
  }

  /** Tells that an answer failed in the same way once more, right after the context was shrunk for that. */
  async giveUp(answer: AnswerFault): Promise<void> {
    await this.reportEnd({ reason: 'overflow', willRetry: false }, failed(new Error(DID_NOT_HELP[answer])));
    this.parts.events.notice(
      'error',
      answer === 'did not fit'
        ? l10n.t('The conversation still does not fit the context of this model after it was summarized.')
        : l10n.t('The answer was cut off again after the conversation was summarized.'),
      { actions: [{ label: l10n.t('Choose Model'), command: 'pickModel' }] },
    );
  }

  /** Tells programs and hooks. `what` introduces the reason of a failure. */
  private async reportEnd({ reason, willRetry }: CompactionCause, ended: Ended, what?: string): Promise<void> {
    const { events, ports, conversation } = this.parts;
    const { result, errorMessage: text, ...end } = endOf(ended, willRetry);
    const why = text === undefined ? {} : { errorMessage: what === undefined ? text : `${what}: ${text}` };
    events.fire({ type: 'compaction_end', reason, result, ...end, ...why });
    if (ended.kind === 'done') return;
    await ports.hooks.runner.emit(
      { type: 'session_compact_failed', reason, ...end, ...why, fromExtension: ended.fromHook },
      conversation,
    );
  }

  /** What would be summarized and kept now; or the reason why nothing can be. No event is emitted. */
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

  /** Never rejects: what fails, a hook's summary included, is how it ended. */
  private async compact(planned: PlannedCompaction, request: CompactionRequest): Promise<Ended> {
    let fromHook = false;
    try {
      const given = await this.askHooks(planned, request);
      fromHook = given !== undefined;
      stopIfCancelled(request.signal);
      const made = given === undefined ? await this.summarize(planned, request) : { result: given };
      stopIfCancelled(request.signal);
      await this.apply(made, fromHook, request);
      const { messages } = this.parts.state.store.buildSessionContext();
      const estimatedTokensAfter = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
      return { kind: 'done', outcome: { ...made.result, estimatedTokensAfter } };
    } catch (error) {
      return { kind: 'failed', error, fromHook };
    }
  }

  /** The summary of a hook, if one makes it. */
  private async askHooks(
    { preparation, path, model }: PlannedCompaction,
    { customInstructions, why, signal }: CompactionRequest,
  ): Promise<CompactionResult | undefined> {
    const { ports, conversation } = this.parts;
    const before = await ports.hooks.runner.emit(
      {
        type: 'session_before_compact',
        preparation,
        branchEntries: path,
        previousCompactions: path.filter(entry => entry.type === 'compaction').reverse(),
        ...defined({ customInstructions }),
        ...why,
        model,
        signal,
      },
      conversation,
    );
    if (before.cancelled) throw new CompactionCancelled();
    return before.compaction;
  }

  private async summarize(
    { preparation, model: chosen }: PlannedCompaction,
    { customInstructions, why, signal }: CompactionRequest,
  ): Promise<MadeCompaction> {
    const { ports, conversation, state } = this.parts;
    const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
    const sessionId = state.store.getSessionId();
    const extra: HookResults['session_compacting'] = await ports.hooks.runner.emit(
      { type: 'session_compacting', sessionId, messages },
      conversation,
    );
    const writer = await modelForSummary(this.parts, chosen, signal);
    const { complete, used } = summarizer(this.parts, writer, { source: 'compaction', reason: why.reason });
    const result = await compact(preparation, {
      complete,
      customInstructions,
      prompt: extra.prompt,
      context: extra.context,
      contextWindow: writer.model.contextWindow,
      signal,
    });
    const usage = used();
    return {
      result: usage === undefined ? result : { ...result, usage },
      ...defined({ preserveData: extra.preserveData }),
    };
  }

  private async apply(
    { result, preserveData }: MadeCompaction,
    fromHook: boolean,
    { why, when }: CompactionRequest,
  ): Promise<void> {
    const { state, ports, conversation } = this.parts;
    const { store } = state;
    const { summary, firstKeptEntryId, tokensBefore, details, usage } = result;
    const id = store.appendCompaction({
      summary,
      firstKeptEntryId: firstKeptEntryId === '' ? null : firstKeptEntryId,
      tokensBefore,
      ...defined({ details }),
      fromHook,
      ...defined({ usage }),
      extra: preserveData && { preserveData },
    });
    if (when === undefined) state.readContext();
    const compactionEntry = store.getEntry(id) as StoredEntry & CompactionEntry;
    this.follows(compactionEntry);
    await ports.hooks.runner.emit(
      { type: 'session_compact', compactionEntry, tokensBefore, fromHook, ...why },
      conversation,
    );
  }
}

function failed(error: Error): Ended {
  return { kind: 'failed', error, fromHook: false };
}

/** In the words of events. */
function endOf(ended: Ended, willRetry: boolean): CompactionEnd {
  if (ended.kind === 'done') return { result: ended.outcome, aborted: false, willRetry };
  const aborted = ended.error instanceof CompactionCancelled;
  const why = aborted ? {} : { errorMessage: messageOf(ended.error) };
  return { result: undefined, aborted, willRetry: false, ...why };
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
    if (!isFailedOrAborted(message)) return { since: 'answer', compacted: false };
    since = 'failed answer';
  }
  return { since, compacted: false };
}

function stopIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new CompactionCancelled();
}
