import { hasEstimatedUsage } from '../../agent/models/editor-models';
import { estimateContext } from '../../agent/compaction/tokens';
import type { AgentMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import type { StoredEntry, StoredUsage } from '../../agent/session/entry';
import { addUsage, NO_USAGE, toolUsage, usageOf } from '../../agent/session/usage';
import type { RunStatus } from '../../protocol/messages';

/** The usage so far, see {@link RunStatus.usage}. */
export type Spending = NonNullable<RunStatus['usage']>;

const NO_SPENDING: Spending = { ...NO_USAGE, answers: 0, estimated: false, partial: false };

/**
 * Adds up what a session used, as providers counted it: answers, tools, summaries and the rest; abandoned branches and
 * compacted messages count as well, because they were paid for. Adding is O(1).
 */
export class SpendingMeter {
  private sum: Spending = NO_SPENDING;
  private session: unknown;

  /** Undefined before the first answer. */
  get current(): Spending | undefined {
    return this.sum.answers === 0 ? undefined : this.sum;
  }

  /**
   * Counts the entries of a session from the start, unless it is the current one. `partial`: the session has more
   * entries than these.
   */
  follow(session: unknown, entries: () => Iterable<StoredEntry>, partial: boolean): void {
    if (session === this.session) return;
    this.session = session;
    this.sum = { ...NO_SPENDING, partial };
    for (const entry of entries()) {
      const message = messageOfEntry(entry);
      if (message?.role === 'assistant') this.add(message);
      else this.use(usageOf(entry));
    }
  }

  /** Counts an answer, and what a tool used; other messages use nothing. */
  add(message: AgentMessage): void {
    if (message.role === 'toolResult') this.use(toolUsage(message));
    if (message.role !== 'assistant') return;
    this.use(message.usage);
    const { answers, estimated } = this.sum;
    this.sum = { ...this.sum, answers: answers + 1, estimated: estimated || hasEstimatedUsage(message) };
  }

  /** Counts usage outside of answers. */
  use(usage: StoredUsage | undefined): void {
    if (usage !== undefined) this.sum = { ...this.sum, ...addUsage(this.sum, usage) };
  }
}

/** True when the size of the context is, as a whole or in part, a guess and not what a provider counted. */
export function isContextEstimated(messages: readonly AgentMessage[]): boolean {
  const { lastUsageIndex, trailingTokens } = estimateContext(messages);
  if (lastUsageIndex === null) return messages.length > 0;
  const counted = messages[lastUsageIndex];
  return trailingTokens > 0 || (counted?.role === 'assistant' && hasEstimatedUsage(counted));
}
