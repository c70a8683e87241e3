import { anySignal } from '../../base/wait';
import { formatFileLists, fileLists, type FileLists } from './file-ops';
import { hasNothingToSummarize, NOTHING_TO_COMPACT, type CompactionPreparation } from './plan';
import { summarizeHistory, summarizeTurnPrefix, type SummaryOptions } from './summarize';

/** What a compaction entry is made of. */
export interface CompactionResult<D = unknown> {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: D;
}

/** Everything but what the preparation's settings say. */
export type CompactionOptions = Omit<SummaryOptions, 'reserveTokens'>;

/**
 * Makes the default summary of a planned compaction: history and the beginning of a split turn
 * side by side, then the files that were read and changed. Throws `Nothing to compact (session too small)`,
 * `Compaction cancelled` or `Summarization failed: …`; the session is not touched.
 */
export async function compact(
  preparation: CompactionPreparation,
  options: CompactionOptions,
): Promise<CompactionResult<FileLists>> {
  if (hasNothingToSummarize(preparation)) throw new Error(NOTHING_TO_COMPACT);
  const { firstKeptEntryId, tokensBefore, fileOps } = preparation;
  const text = await summaryOf(preparation, options);
  const details = fileLists(fileOps);
  return { summary: text + formatFileLists(details), firstKeptEntryId, tokensBefore, details };
}

async function summaryOf(preparation: CompactionPreparation, options: CompactionOptions): Promise<string> {
  const { messagesToSummarize, turnPrefixMessages, previousSummary, settings } = preparation;
  const failure = new AbortController();
  const signal = anySignal(failure.signal, options.signal);
  const summary = { ...options, reserveTokens: settings.reserveTokens, signal };
  if (turnPrefixMessages.length === 0) return summarizeHistory(messagesToSummarize, previousSummary, summary);
  const history =
    messagesToSummarize.length === 0
      ? Promise.resolve(previousSummary ?? 'No prior history.')
      : summarizeHistory(messagesToSummarize, previousSummary, summary);
  const prefix = summarizeTurnPrefix(turnPrefixMessages, summary);
  try {
    const [before, turn] = await Promise.all([history, prefix]);
    return `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${turn}`;
  } finally {
    // When one question fails, the other must not go on in the background.
    failure.abort();
    await Promise.allSettled([history, prefix]);
  }
}
