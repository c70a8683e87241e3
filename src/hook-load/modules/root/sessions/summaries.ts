import type { Api, AssistantMessage, Context, Model, SimpleStreamOptions } from '@mariozechner/pi-ai';
import { collectBranchEntries, prepareBranch, summarizeBranch } from '../../../../agent/compaction/branch-summary';
import type { CompactionPreparation } from '../../../../agent/compaction/plan';
import { compact } from '../../../../agent/compaction/compact';
import { CompactionCancelled, summarizeHistory, type Complete } from '../../../../agent/compaction/summarize';
import { isFailedOrAborted, type AgentMessage } from '../../../../agent/messages';
import { loadPiAi } from '../../../../agent/models/pi-ai';
import { messageOfEntry } from '../../../../agent/session/context';
import { isSessionEntry, type StoredEntry, type StoredUsage } from '../../../../agent/session/entry';
import type { ReadableSession } from '../../../../agent/session/readable-session';
import { addUsage, NO_USAGE } from '../../../../agent/session/usage';
import { defined } from '../../../../base/defined';
import { messageOf } from '../../../../base/errors';

type StreamFn = (
  model: Model<Api>,
  context: Context,
  options: SimpleStreamOptions,
) => { result(): Promise<AssistantMessage> } | Promise<{ result(): Promise<AssistantMessage> }>;

/** The model that writes a summary, and how to call it. */
interface Asking {
  readonly model: Model<Api>;
  readonly apiKey?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly streamFn?: StreamFn | undefined;
  readonly env?: Record<string, string> | undefined;
}

type Usage = StoredUsage & { totalTokens: number };

const RESERVE_TOKENS = 16_384;

/** Calls the model and adds up the tokens of all calls. */
class Asker {
  private totals = NO_USAGE;
  private totalTokens = 0;

  constructor(private readonly asking: Asking) {}

  get usage(): Usage {
    return { ...this.totals, totalTokens: this.totalTokens };
  }

  readonly complete: Complete = async ({ systemPrompt, messages, signal }) => {
    const { model, apiKey, headers, thinkingLevel, env } = this.asking;
    const reasons = model.reasoning && thinkingLevel !== undefined && thinkingLevel !== 'off';
    const options: SimpleStreamOptions = {
      ...defined({ signal, apiKey, headers, env }),
      ...(reasons ? { reasoning: thinkingLevel as NonNullable<SimpleStreamOptions['reasoning']> } : {}),
    };
    const streamFn: StreamFn = this.asking.streamFn ?? (await loadPiAi()).streamSimple;
    const answer = await (await streamFn(model, { systemPrompt, messages }, options)).result();
    this.totals = addUsage(this.totals, answer.usage);
    this.totalTokens += answer.usage.totalTokens;
    return answer;
  };
}

/** The arguments of pi's `generateSummary` after the key; in 0.57 there are no headers. */
type SummaryRest = readonly [
  headers?: Record<string, string>,
  signal?: AbortSignal,
  customInstructions?: string,
  previousSummary?: string,
  thinkingLevel?: string,
  streamFn?: StreamFn,
  env?: Record<string, string>,
];

type FormerSummaryRest = readonly [signal: AbortSignal, customInstructions?: string, previousSummary?: string];

/** A summary of messages, and the tokens that it took. Rejects as `summarizeHistory` does. */
export async function generateSummaryWithUsage(
  messages: readonly AgentMessage[],
  model: Model<Api>,
  reserveTokens: number | undefined,
  apiKey: string | undefined,
  ...rest: SummaryRest | FormerSummaryRest
): Promise<{ text: string; usage: Usage }> {
  const given = (rest[0] instanceof AbortSignal ? [undefined, ...rest] : rest) as SummaryRest;
  const [headers, signal, customInstructions, previousSummary, thinkingLevel, streamFn, env] = given;
  const asker = new Asker({ model, apiKey, headers, thinkingLevel, streamFn, env });
  const text = await summarizeHistory(messages, previousSummary, {
    complete: asker.complete,
    reserveTokens: reserveTokens ?? RESERVE_TOKENS,
    contextWindow: model.contextWindow || undefined,
    customInstructions,
    signal,
  });
  return { text, usage: asker.usage };
}

/** Like {@link generateSummaryWithUsage}, but returns only the text. */
export async function generateSummary(
  messages: readonly AgentMessage[],
  model: Model<Api>,
  reserveTokens: number | undefined,
  apiKey: string | undefined,
  ...rest: SummaryRest | FormerSummaryRest
): Promise<string> {
  return (await generateSummaryWithUsage(messages, model, reserveTokens, apiKey, ...rest)).text;
}

type CompactRest = readonly [
  headers?: Record<string, string>,
  customInstructions?: string,
  signal?: AbortSignal,
  thinkingLevel?: string,
  streamFn?: StreamFn,
  env?: Record<string, string>,
];

/** Summarizes the `preparation` that `session_before_compact` passes to hooks. Rejects as our own compaction does. */
async function compactByHand(
  preparation: CompactionPreparation,
  model: Model<Api>,
  apiKey: string | undefined,
  ...rest: CompactRest | readonly [string | undefined, AbortSignal?]
): Promise<object> {
  const given = (
    typeof rest[0] === 'string' || rest[1] instanceof AbortSignal ? [undefined, ...rest] : rest
  ) as CompactRest;
  const [headers, customInstructions, signal, thinkingLevel, streamFn, env] = given;
  const asker = new Asker({ model, apiKey, headers, thinkingLevel, streamFn, env });
  const result = await compact(preparation, {
    complete: asker.complete,
    contextWindow: model.contextWindow || undefined,
    customInstructions,
    signal,
  });
  return { ...result, usage: asker.usage };
}
export { compactByHand as compact };

/** The entries of the branch that is left when the session moves from one leaf to another. */
export function collectEntriesForBranchSummary(
  session: Pick<ReadableSession, 'getBranch'>,
  oldLeafId: string | null,
  targetId: string,
): ReturnType<typeof collectBranchEntries> {
  const branch = (id: string): StoredEntry[] => session.getBranch(id);
  const commonAncestor = (first: string | null, second: string | null): string | null => {
    const ids = new Set(first === null ? [] : branch(first).map(({ id }) => id));
    return (second === null ? undefined : branch(second).findLast(({ id }) => ids.has(id)))?.id ?? null;
  };
  return collectBranchEntries({ getBranch: branch, commonAncestor }, oldLeafId, targetId);
}

/** Selects the entries of a branch that go into a summary: the newest within the token budget; 0 means no limit. */
export function prepareBranchEntries(entries: readonly StoredEntry[], tokenBudget = 0): object {
  return prepareBranch(entries, tokenBudget > 0 ? tokenBudget : Infinity);
}

/** The options of pi's `generateBranchSummary`. */
interface BranchOptions extends Asking {
  readonly signal?: AbortSignal;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly reserveTokens?: number;
}

/** The summary of a branch that is left, or the reason why there is none; never rejects. */
export async function generateBranchSummary(entries: readonly StoredEntry[], options: BranchOptions): Promise<object> {
  const { model, signal, customInstructions, replaceInstructions, reserveTokens = RESERVE_TOKENS } = options;
  const asker = new Asker(options);
  const contextWindow = model.contextWindow || undefined;
  try {
    const how = { customInstructions, replaceInstructions, reserveTokens, contextWindow, signal };
    const made = await summarizeBranch(entries, { complete: asker.complete, ...how });
    if (made === undefined) return { summary: 'No content to summarize' };
    return { summary: made.summary, usage: asker.usage, ...made.details };
  } catch (error) {
    return error instanceof CompactionCancelled ? { aborted: true } : { error: messageOf(error) };
  }
}

/** The index where the turn of an entry begins; -1 when it begins before `startIndex`. */
export function findTurnStartIndex(entries: readonly StoredEntry[], entryIndex: number, startIndex: number): number {
  for (let index = entryIndex; index >= startIndex; index--) {
    const entry = entries[index];
    const role = entry && messageOfEntry(entry)?.role;
    if (role === 'user' || role === 'bashExecution' || role === 'custom' || role === 'branchSummary') return index;
  }
  return -1;
}

/** The token usage of the last answer that neither was aborted nor failed; undefined if there is none. */
export function getLastAssistantUsage(entries: readonly StoredEntry[]): unknown {
  for (const entry of entries.toReversed()) {
    if (!isSessionEntry(entry) || entry.type !== 'message' || entry.message.role !== 'assistant') continue;
    if (!isFailedOrAborted(entry.message)) return entry.message.usage;
  }
  return undefined;
}
