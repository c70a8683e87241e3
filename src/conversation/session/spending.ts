import { hasEstimatedUsage } from '../../agent/models/editor-models';
import { estimateContext } from '../../agent/compaction/tokens';
import type { AgentMessage } from '../../agent/messages';
import type { RunStatus } from '../../protocol/messages';

/** What answers used so far, see {@link RunStatus.usage}. */
export type Spending = NonNullable<RunStatus['usage']>;

const NOTHING: Spending = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  answers: 0,
  estimated: false,
  partial: false,
};

/**
 * Adds up what the answers of a session used, as providers counted it; abandoned branches and what was summarised away
 * count as well, for they were paid for. Adding is O(1).
 */
export class SpendingMeter {
  private sum: Spending = NOTHING;
  private session: unknown;

  /** Undefined before the first answer. */
  get current(): Spending | undefined {
    return this.sum.answers === 0 ? undefined : this.sum;
  }

  /**
   * Begins anew with what is in a session, unless it is the one that is being counted. `partial`: more is in it than is
   * given here.
   */
  follow(session: unknown, messages: readonly AgentMessage[], partial: boolean): void {
    if (session === this.session) return;
    this.session = session;
    this.sum = { ...NOTHING, partial };
    for (const message of messages) this.add(message);
  }

  /** Counts an answer; other messages use nothing. */
  add(message: AgentMessage): void {
    if (message.role !== 'assistant') return;
    const { usage } = message;
    const { sum } = this;
    this.sum = {
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
      cost: {
        input: sum.cost.input + usage.cost.input,
        output: sum.cost.output + usage.cost.output,
        cacheRead: sum.cost.cacheRead + usage.cost.cacheRead,
        cacheWrite: sum.cost.cacheWrite + usage.cost.cacheWrite,
        total: sum.cost.total + usage.cost.total,
      },
      answers: sum.answers + 1,
      estimated: sum.estimated || hasEstimatedUsage(message),
      partial: sum.partial,
    };
  }
}

/** True when the size of the context is, as a whole or in part, a guess and not what a provider counted. */
export function isContextEstimated(messages: readonly AgentMessage[]): boolean {
  const { lastUsageIndex, trailingTokens } = estimateContext(messages);
  if (lastUsageIndex === null) return messages.length > 0;
  const counted = messages[lastUsageIndex];
  return trailingTokens > 0 || (counted?.role === 'assistant' && hasEstimatedUsage(counted));
}
