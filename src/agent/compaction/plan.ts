import { isConversation, type AgentMessage, type ConversationMessage } from '../messages';
import {
  buildContext,
  contextEditsOn,
  latestCompaction,
  messageOfEntry,
  type ReadEntry,
  type SessionContext,
} from '../session/context';
import { editedMessage, type ContextEdits } from '../session/context-edits';
import { isSessionEntry, type CompactionEntry, type EntryId, type StoredEntry } from '../session/entry';
import type { EntryNode } from '../session/tree';
import { addFileDetails, addFileOps, createFileOps, type FileOps } from './file-ops';
import { estimateContext, estimateTokens } from './tokens';

export interface CompactionSettings {
  readonly enabled: boolean;
  /** Tokens left free for the prompt and the answer. */
  readonly reserveTokens: number;
  /** Tokens of recent conversation that are kept unchanged. */
  readonly keepRecentTokens: number;
}

/** Used where pi's settings name no others; tokens. */
export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = {
  enabled: true,
  reserveTokens: 16384,
  keepRecentTokens: 20000,
};

/** Whether a context of this size must be compacted before the next request. */
export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean {
  return settings.enabled && contextTokens > contextWindow - settings.reserveTokens;
}

/** Where the history ends and the kept part begins; indices into the path, without the header. */
export interface CutPoint {
  readonly firstKeptEntryIndex: number;
  /** Start of the turn that the cut splits; -1 when it splits none. */
  readonly turnStartIndex: number;
  readonly isSplitTurn: boolean;
}

/** Entries by index; a plain array is one. Unusable entries are undefined. */
export interface EntryList {
  at(index: number): StoredEntry | undefined;
}

/** Finds the cut for the range `[startIndex, endIndex)` of a path without context edits. */
export function findCutPoint(
  entries: EntryList,
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPoint {
  return cutIn({ entries, edits: NO_EDITS, startIndex, endIndex }, keepRecentTokens);
}

interface Range {
  readonly entries: EntryList;
  readonly edits: ContextEdits;
  readonly startIndex: number;
  readonly endIndex: number;
}

const NO_EDITS: ContextEdits = new Map();

function cutIn(range: Range, keepRecentTokens: number): CutPoint {
  const anchor = findAnchor(range, keepRecentTokens);
  if (anchor === undefined) return { firstKeptEntryIndex: range.startIndex, turnStartIndex: -1, isSplitTurn: false };
  const firstKeptEntryIndex = overSettings(range, anchor);
  const turnStartIndex = findTurnStart(range, firstKeptEntryIndex, anchor);
  return { firstKeptEntryIndex, turnStartIndex, isSplitTurn: turnStartIndex !== -1 };
}

/** The message of an entry for the model; a compaction is a boundary and has none. */
function messageAt({ entries, edits }: Range, index: number): AgentMessage | undefined {
  const entry = entries.at(index);
  const stored = entry && entry.type !== 'compaction' ? messageOfEntry(entry) : undefined;
  return entry && stored && editedMessage(stored, entry.id, edits);
}

/** Steps 1 to 4: the message to cut before; undefined when nothing in the range may be at a cut. */
function findAnchor(range: Range, keepRecentTokens: number): number | undefined {
  let tokens = 0;
  for (let index = range.endIndex - 1; index >= range.startIndex; index--) {
    const message = messageAt(range, index);
    if (!message || estimateTokens(message) === 0) continue;
    tokens += estimateTokens(message);
    if (tokens < keepRecentTokens) continue;
    // Tool results alone may fill the budget: then the call that they answer stays with them.
    const anchor = nextCuttable(range, index) ?? lastCuttable(range, index);
    return anchor !== undefined && onlyFailedTriesFollow(range, anchor) ? anchor + 1 : anchor;
  }
  return nextCuttable(range, range.startIndex);
}

function lastCuttable(range: Range, before: number): number | undefined {
  for (let index = before - 1; index >= range.startIndex; index--) if (isCuttable(range, index)) return index;
  return undefined;
}

function nextCuttable(range: Range, from: number): number | undefined {
  for (let index = from; index < range.endIndex; index++) if (isCuttable(range, index)) return index;
  return undefined;
}

function isCuttable(range: Range, index: number): boolean {
  const role = messageAt(range, index)?.role;
  return role === 'assistant' || isTurnStart(role);
}

/**
 * Whether only removed answers, and the edits that removed them, follow the anchor. Then the message that they answered
 * may be summarized although no answer follows it.
 */
function onlyFailedTriesFollow(range: Range, anchor: number): boolean {
  const leftOut = new Set<string>();
  let hasAnswer = false;
  for (let index = anchor + 1; index < range.endIndex; index++) {
    const entry = range.entries.at(index);
    if (!entry) continue;
    if (entry.type === 'compaction' || messageAt(range, index)) return false;
    const message = messageOfEntry(entry);
    if (message) leftOut.add(entry.id);
    hasAnswer ||= message?.role === 'assistant';
    if (!isSessionEntry(entry) || entry.type !== 'context_edit') continue;
    if (entry.replacement !== null && !leftOut.has(entry.targetId)) return false;
  }
  return hasAnswer;
}

/** Step 5: entries without a message for the model belong to the message after them. */
function overSettings(range: Range, anchor: number): number {
  let index = anchor;
  while (index > range.startIndex) {
    if (range.entries.at(index - 1)?.type === 'compaction' || messageAt(range, index - 1)) break;
    index--;
  }
  return index;
}

/**
 * Step 6, with one difference to pi: if step 5 went back from the beginning of a turn to a setting before it, the cut still is at
 * that beginning and splits no turn.
 */
function findTurnStart(range: Range, cut: number, anchor: number): number {
  if (isTurnStart(messageAt(range, anchor)?.role)) return -1;
  for (let index = cut; index >= range.startIndex; index--) {
    if (isTurnStart(messageAt(range, index)?.role)) return index;
  }
  return -1;
}

function isTurnStart(role: AgentMessage['role'] | undefined): boolean {
  return role !== undefined && TURN_STARTS.has(role);
}

const TURN_STARTS: ReadonlySet<AgentMessage['role']> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/**
 * Everything a compaction needs to know; passed to hooks with the union of all dialects' fields (docs/dialects.md, C8).
 */
export interface CompactionPreparation {
  readonly cutPoint: CutPoint;
  /** Index on the path where the searched range began. */
  readonly boundaryStart: number;
  readonly firstKeptEntryId: EntryId;
  /** What the summary replaces, without the beginning of a split turn. */
  readonly messagesToSummarize: ConversationMessage[];
  readonly messagesToKeep: ConversationMessage[];
  /** The beginning of a split turn. It is summarized separately and is in neither of the other lists. */
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
/** Error when the default summary would have no messages. */
export const NOTHING_TO_COMPACT = 'Nothing to compact (session too small)';

/** Whether a summary could replace nothing: files of older dialects may compact anyway (docs/dialects.md, P4). */
export function hasNothingToSummarize({ messagesToSummarize, turnPrefixMessages }: CompactionPreparation): boolean {
  return messagesToSummarize.length + turnPrefixMessages.length === 0;
}

/** Plans the compaction of the entries of a path, root first. */
export function prepareCompaction(path: readonly StoredEntry[], settings: CompactionSettings): CompactionPlan {
  const nodes = path.map(entry => ({ id: entry.id, parentId: entry.parentId, type: entry.type, entry }));
  return planCompaction(nodes, node => node.entry, settings);
}

/** As {@link prepareCompaction}, for a path whose entries are not read yet; reads only the entries that it needs. */
export function planCompaction(
  path: readonly EntryNode[],
  read: ReadEntry,
  settings: CompactionSettings,
): CompactionPlan {
  if (path.at(-1)?.type === 'compaction') return { kind: 'refused', reason: ALREADY_COMPACTED };
  const list = listOf(path, read);
  const { previous, boundaryStart } = findBoundary(path, read);
  const edits = contextEditsOn(path, read);
  const range = { entries: list, edits, startIndex: boundaryStart, endIndex: path.length };
  const cutPoint = cutIn(range, settings.keepRecentTokens);
  const { firstKeptEntryIndex: cut, isSplitTurn, turnStartIndex } = cutPoint;
  const firstKept = path[cut];
  if (!firstKept) return { kind: 'refused', reason: NOTHING_TO_COMPACT };

  const historyEnd = isSplitTurn ? turnStartIndex : cut;
  const between = (from: number, to: number): ConversationMessage[] => messagesBetween(range, from, to);
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
    tokensBefore: contextSize(path, buildContext(path, read)),
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

/** The system prompt is neither summarized nor kept. */
function messagesBetween(range: Range, start: number, end: number): ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  for (let index = start; index < end; index++) {
    const message = messageAt(range, index);
    if (message && isConversation(message)) messages.push(message);
  }
  return messages;
}

/** In tokens. What a provider counted before the last edit is about another context. */
function contextSize(path: readonly EntryNode[], { messages, entryIds }: SessionContext): number {
  const lastEdit = path.findLastIndex(({ type }) => type === 'context_edit');
  const later = new Set<string>(path.slice(lastEdit + 1).map(({ id }) => id));
  const from = lastEdit < 0 ? 0 : entryIds.findIndex(id => later.has(id));
  return estimateContext(messages, from < 0 ? messages.length : from).tokens;
}
