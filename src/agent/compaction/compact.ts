import { formatFileLists, fileLists, type FileLists } from './file-ops';
import { hasNothingToSummarize, NOTHING_TO_COMPACT, type CompactionPreparation } from './plan';
import { summarizeHistory, summarizeTurnPrefix, type SummaryOptions } from './summarize';

/** The content of a compaction entry. */
export interface CompactionResult<D = unknown> {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: D;
}

/** Everything but what the preparation's settings say. */
export type CompactionOptions = Omit<SummaryOptions, 'reserveTokens'>;

/**
 * Makes the default summary of a planned compaction: history, then the beginning of a split turn, then the files that were
 * read and changed. Throws `Nothing to compact (session too small)`,
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
  const summary = { ...options, reserveTokens: settings.reserveTokens };
  if (turnPrefixMessages.length === 0) return summarizeHistory(messagesToSummarize, previousSummary, summary);
  const before =
    messagesToSummarize.length === 0
      ? (previousSummary ?? 'No prior history.')
      : await summarizeHistory(messagesToSummarize, previousSummary, summary);
  const turn = await summarizeTurnPrefix(turnPrefixMessages, summary);
  return `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${turn}`;
}
