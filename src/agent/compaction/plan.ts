import { isConversation, type AgentMessage, type ConversationMessage } from '../messages';
import { buildContext, contextEditsOn, latestCompaction, messageOfEntry, type ReadEntry } from '../session/context';
import { editedMessage, type ContextEdits } from '../session/context-edits';
import { isSessionEntry, type CompactionEntry, type EntryId, type StoredEntry } from '../session/entry';
import type { EntryNode } from '../session/tree';
import { addFileDetails, addFileOps, createFileOps, type FileOps } from './file-ops';
import { estimateContext, estimateTokens } from './tokens';

export interface CompactionSettings {
  readonly enabled: boolean;
  /** Tokens left free for the prompt and the answer. */
  readonly reserveTokens: number;
  /** Tokens of recent conversation that stay word for word. */
  readonly keepRecentTokens: number;
}

/** Used where pi's settings name no others; tokens. */
export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = {
  enabled: true,
  reserveTokens: 16384,
  keepRecentTokens: 20000,
};

/** True when so full a context must be compacted before it goes on. */
export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean {
  return settings.enabled && contextTokens > contextWindow - settings.reserveTokens;
}

/** Where history ends and what is kept begins; indices into the path, header not counted. */
export interface CutPoint {
  readonly firstKeptEntryIndex: number;
  /** Where the turn begins that the cut goes through; -1 when it goes through none. */
  readonly turnStartIndex: number;
  readonly isSplitTurn: boolean;
}

/** Entries by index; a plain array is one. Unusable entries are undefined. */
export interface EntryList {
  at(index: number): StoredEntry | undefined;
}

/** Finds the cut for the range `[startIndex, endIndex)` of a path. */
export function findCutPoint(
  entries: EntryList,
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPoint {
  const range = { entries, startIndex, endIndex };
  const anchor = findAnchor(range, keepRecentTokens);
  if (anchor === undefined) return { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
  const firstKeptEntryIndex = overSettings(range, anchor);
  const turnStartIndex = findTurnStart(range, firstKeptEntryIndex, anchor);
  return { firstKeptEntryIndex, turnStartIndex, isSplitTurn: turnStartIndex !== -1 };
}

interface Range {
  readonly entries: EntryList;
  readonly startIndex: number;
  readonly endIndex: number;
}

const CUTTABLE_ROLES: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/** Steps 1 to 4: the message to cut before; undefined when nothing in the range may stand at a cut. */
function findAnchor(range: Range, keepRecentTokens: number): number | undefined {
  let tokens = 0;
  for (let index = range.endIndex - 1; index >= range.startIndex; index--) {
    const message = storedMessage(range.entries.at(index));
    if (!message) continue;
    tokens += estimateTokens(message);
    if (tokens < keepRecentTokens) continue;
    // Tool results alone may fill the budget: then the call that they answer stays with them.
    return nextCuttable(range, index) ?? lastCuttable(range, index);
  }
  return nextCuttable(range, range.startIndex);
}

function lastCuttable(range: Range, before: number): number | undefined {
  for (let index = before - 1; index >= range.startIndex; index--) {
    if (isCuttable(range.entries.at(index))) return index;
  }
  return undefined;
}

function nextCuttable(range: Range, from: number): number | undefined {
  for (let index = from; index < range.endIndex; index++) if (isCuttable(range.entries.at(index))) return index;
  return undefined;
}

function isCuttable(entry: StoredEntry | undefined): boolean {
  const message = storedMessage(entry);
  return message ? CUTTABLE_ROLES.has(message.role) : isInsertedMessage(entry);
}

/** Step 5: entries that are no messages go with the message they stand in front of. */
function overSettings(range: Range, anchor: number): number {
  let index = anchor;
  while (index > range.startIndex) {
    const type = range.entries.at(index - 1)?.type;
    if (type === 'message' || type === 'compaction') break;
    index--;
  }
  return index;
}

/**
 * Step 6, without pi's quirk: when step 5 went back from a user message to a setting in front of it, the cut is still
 * at that user message, so it goes through no turn.
 */
function findTurnStart(range: Range, cut: number, anchor: number): number {
  const atCut = range.entries.at(cut);
  if (isUser(atCut)) return -1;
  if (isUser(range.entries.at(anchor)) && !startsTurn(atCut)) return -1;
  for (let index = cut; index >= range.startIndex; index--) if (startsTurn(range.entries.at(index))) return index;
  return -1;
}

function startsTurn(entry: StoredEntry | undefined): boolean {
  return isUser(entry) || storedMessage(entry)?.role === 'bashExecution' || isInsertedMessage(entry);
}

function isUser(entry: StoredEntry | undefined): boolean {
  return storedMessage(entry)?.role === 'user';
}

function isInsertedMessage(entry: StoredEntry | undefined): boolean {
  return entry?.type === 'branch_summary' || entry?.type === 'custom_message';
}

function storedMessage(entry: StoredEntry | undefined): AgentMessage | undefined {
  return entry && isSessionEntry(entry) && entry.type === 'message' ? entry.message : undefined;
}

/**
 * Everything a compaction needs to know; handed to hooks with the union of all dialects' fields (docs/dialects.md, C8).
 */
export interface CompactionPreparation {
  readonly cutPoint: CutPoint;
  /** Index on the path where the range began that the cut was looked for in. */
  readonly boundaryStart: number;
  readonly firstKeptEntryId: EntryId;
  /** What the summary replaces, without the beginning of a split turn. */
  readonly messagesToSummarize: ConversationMessage[];
  readonly messagesToKeep: ConversationMessage[];
  /** The beginning of a split turn; summarised by itself, neither in the one nor in the other list. */
  readonly turnPrefixMessages: ConversationMessage[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  readonly previousSummary?: string;
  readonly fileOps: FileOps;
  readonly settings: CompactionSettings;
}

/** A plan, or why there is none. */
export type CompactionPlan =
  | { readonly kind: 'ready'; readonly preparation: CompactionPreparation }
  | { readonly kind: 'refused'; readonly reason: string };

const ALREADY_COMPACTED = 'Already compacted';
/** Said when the default summary would have nothing to work on. */
export const NOTHING_TO_COMPACT = 'Nothing to compact (session too small)';

/** Whether a summary could replace nothing: files of older dialects may compact all the same (docs/dialects.md, P4). */
export function hasNothingToSummarize({ messagesToSummarize, turnPrefixMessages }: CompactionPreparation): boolean {
  return messagesToSummarize.length + turnPrefixMessages.length === 0;
}

/** Plans the compaction of the entries of a path, root first. */
export function prepareCompaction(path: readonly StoredEntry[], settings: CompactionSettings): CompactionPlan {
  const nodes = path.map(entry => ({ id: entry.id, parentId: entry.parentId, type: entry.type, entry }));
  return planCompaction(nodes, node => node.entry, settings);
}

/** As {@link prepareCompaction}, for a path whose entries lie unread in a file; reads no more of it than it needs. */
export function planCompaction(
  path: readonly EntryNode[],
  read: ReadEntry,
  settings: CompactionSettings,
): CompactionPlan {
  if (path.at(-1)?.type === 'compaction') return { kind: 'refused', reason: ALREADY_COMPACTED };
  const list = listOf(path, read);
  const { previous, boundaryStart } = findBoundary(path, read);
  const cutPoint = findCutPoint(list, boundaryStart, path.length, settings.keepRecentTokens);
  const { firstKeptEntryIndex: cut, isSplitTurn, turnStartIndex } = cutPoint;
  const firstKept = path[cut];
  if (!firstKept) return { kind: 'refused', reason: NOTHING_TO_COMPACT };

  const historyEnd = isSplitTurn ? turnStartIndex : cut;
  const edits = contextEditsOn(path, read);
  const between = (from: number, to: number): ConversationMessage[] => messagesBetween(list, edits, from, to);
  const messagesToSummarize = between(boundaryStart, historyEnd);
  const turnPrefixMessages = between(historyEnd, cut);
  const fileOps = createFileOps();
  if (previous && previous.fromHook !== true) addFileDetails(fileOps, previous.details);
  for (const message of [...messagesToSummarize, ...turnPrefixMessages]) addFileOps(fileOps, message);
  const preparation: CompactionPreparation = {
    cutPoint,
    boundaryStart,
    firstKeptEntryId: firstKept.id,
    messagesToSummarize,
    messagesToKeep: between(cut, path.length),
    turnPrefixMessages,
    isSplitTurn,
    tokensBefore: estimateContext(buildContext(path, read).messages).tokens,
    ...(previous ? { previousSummary: previous.summary } : {}),
    fileOps,
    settings,
  };
  return { kind: 'ready', preparation };
}

/** The range to cut in begins with what the latest compaction kept: it may be kept again, if it fits. */
function findBoundary(
  path: readonly EntryNode[],
  read: ReadEntry,
): { readonly previous: CompactionEntry | undefined; readonly boundaryStart: number } {
  const previous = latestCompaction(path, read);
  if (!previous) return { previous: undefined, boundaryStart: 0 };
  const { entry, index } = previous;
  const kept = path.findIndex(node => node.id === entry.firstKeptEntryId);
  return { previous: entry, boundaryStart: kept >= 0 && kept < index ? kept : index + 1 };
}

function listOf(path: readonly EntryNode[], read: ReadEntry): EntryList {
  return {
    at: index => {
      const node = path[index];
      return node && read(node);
    },
  };
}

/** The system prompt is no part of what is summarised or kept. */
function messagesBetween(entries: EntryList, edits: ContextEdits, start: number, end: number): ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  for (let index = start; index < end; index++) {
    const entry = entries.at(index);
    const stored = entry && entry.type !== 'compaction' ? messageOfEntry(entry) : undefined;
    const message = entry && stored && editedMessage(stored, entry.id, edits);
    if (message && isConversation(message)) messages.push(message);
  }
  return messages;
}
