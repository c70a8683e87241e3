import type { Agent } from '../../../agent/run/agent';
import type { AgentMessage, AssistantMessage } from '../../../agent/messages';
import { toolCallsOf } from '../../../agent/run/tool-calls';
import { sleep } from '../../../base/async/wait';
import type { HookEvent } from '../../../hook-contract/hook-event';
import type { CompactionNeed } from '../../compaction/compactor';
import type { ProgramEvent } from '../../ports/session-events';
import { planRetry, type RetryPlan } from '../../requests/retry-plan';
import type { RunRequests } from './run-requests';
import { queueForHooks, type RunParts } from '../run-parts';
import type { RunPhase } from '../run-phases';

/** Retries answers that failed for a temporary reason, after a delay that can be aborted. */
export class Retries {
  private attempts = 0;
  /** The context was compacted in order to repeat a request, and no complete answer came since. */
  private hasRecovered = false;

  constructor(
    private readonly parts: RunParts,
    private readonly agent: Agent,
    private readonly requests: Pick<RunRequests, 'noteFailed'>,
    private readonly beside: <T>(phase: RunPhase, work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
  ) {}

  /** A new run begins with all attempts left. */
  begin(): void {
    this.attempts = 0;
  }

  /** Whether the last answer will be retried. */
  get willFollow(): boolean {
    const last = lastAnswer(this.agent.messages);
    return last !== undefined && this.planFor(last) !== undefined;
  }

  /** Waits before a retry of a failed answer and removes the answer from the context; false when there is no retry. */
  async tryAgain(last: AssistantMessage, need: CompactionNeed | undefined): Promise<boolean> {
    if (need?.reason === 'overflow') return false;
    const plan = this.planFor(last);
    if (plan !== undefined) return this.waitFor(plan, last);
    if (this.attempts > 0) this.end({ success: false, finalError: last.errorMessage ?? '' });
    return false;
  }

  /**
   * Prepares to repeat a request after a compaction: its answer leaves the context. False when that was done already,
   * and no complete answer came since.
   */
  recover(last: AssistantMessage): boolean {
    if (this.hasRecovered) return false;
    this.hasRecovered = true;
    this.parts.compaction.reportOverflow(last);
    this.requests.noteFailed(last);
    this.leaveOut(last, 'too long');
    return true;
  }

  /** After a success, a later failure has all retries again. */
  noteProgress(message: AgentMessage): void {
    if (message.role === 'user') this.hasRecovered = false;
    if (message.role !== 'assistant' || message.stopReason === 'error') return;
    if (message.stopReason !== 'length') this.hasRecovered = false;
    if (this.attempts > 0) this.end({ success: true });
  }

  /**
   * Removes an answer and the results of its calls from the context, also for readers of the session; the file keeps
   * them. `why` decides what the chat still shows: a note about the retry, or nothing.
   */
  leaveOut(answer: AssistantMessage, why: 'asked again' | 'too long'): void {
    const { messages } = this.agent;
    const at = messages.lastIndexOf(answer);
    if (at < 0) return;
    const calls = new Set(toolCallsOf(answer).map(({ id }) => id));
    const left = messages
      .slice(at)
      .filter(message => message === answer || (message.role === 'toolResult' && calls.has(message.toolCallId)));
    for (const entry of this.parts.writing.leaveOut(left)) this.parts.events.fire({ type: 'entry_appended', entry });
    this.agent.setMessages(messages.filter(message => !left.includes(message)));
    this.parts.events.fire({ type: 'answer_dropped', retried: why === 'asked again' ? answer : undefined });
  }

  private planFor(answer: AssistantMessage): RetryPlan | undefined {
    return planRetry(answer, this.attempts, this.parts.ports.settings.current);
  }

  private async waitFor(plan: RetryPlan, last: AssistantMessage): Promise<boolean> {
    this.attempts = plan.attempt;
    const { attempt, maxAttempts, delayMs } = plan;
    const error = last.errorMessage ?? '';
    this.emit({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage: error });
    this.leaveOut(last, 'asked again');
    const phase: RunPhase = { type: 'retrying', attempt, maxAttempts, at: Date.now() + delayMs, error };
    if (await this.beside(phase, signal => sleep(delayMs, signal))) {
      this.requests.noteFailed(last);
      return true;
    }
    this.end({ success: false, finalError: 'Retry cancelled' });
    return false;
  }

  private end(how: { readonly success: true } | { readonly success: false; readonly finalError: string }): void {
    const attempt = this.attempts;
    this.attempts = 0;
    this.emit({ type: 'auto_retry_end', attempt, ...how });
  }

  private emit(event: HookEvent & ProgramEvent): void {
    this.parts.events.fire(event);
    queueForHooks(this.parts, event);
  }
}

/** The last answer of a model; undefined when there is none. */
export function lastAnswer(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast(message => message.role === 'assistant');
}
