import type { Conversation } from '../../session/conversation';
import { compactionProblem, CompactionRefused } from '../../session/compaction/compaction-problem';

/** Summarizes a conversation as its user asks. Never rejects: why it did not happen is shown, with what helps. */
export async function compactForUser({ run, events }: Conversation, instructions?: string): Promise<void> {
  try {
    await run.compact(instructions);
  } catch (error) {
    const { level, text, ...more } = compactionProblem(error);
    // Nothing failed where there is nothing to summarize.
    events.notice(error instanceof CompactionRefused ? 'info' : level, text, more);
  }
}
