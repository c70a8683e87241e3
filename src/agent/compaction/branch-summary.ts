import { convertToLlm, serializeConversation } from '../llm-messages';
import type { AgentMessage } from '../messages';
import { messageOfEntry } from '../session/context';
import { contextEditsIn, editedMessage } from '../session/context-edits';
import { isSessionEntry, type StoredEntry } from '../session/entry';
import {
  addFileDetails,
  addFileOps,
  createFileOps,
  fileLists,
  formatFileLists,
  type FileLists,
  type FileOps,
} from './file-ops';
import { BRANCH_PREAMBLE, BRANCH_PROMPT } from './prompts';
import { ask, inTag, type SummaryOptions } from './summarize';
import { estimateTokens } from './tokens';

/** A summary in the branch is included although it exceeds the budget, while less than this share of it is used. */
const NEARLY_FULL = 0.9;
const DEFAULT_CONTEXT_WINDOW = 128_000;

/** The parts of a session that a search for a branch needs. */
export interface BranchSource {
  getBranch(fromId: string): StoredEntry[];
  commonAncestor(first: string | null, second: string | null): string | null;
}

/** The entries that the path leaves when the leaf moves to another entry, oldest first, and the common ancestor. */
export function collectBranchEntries(
  session: BranchSource,
  oldLeafId: string | null,
  targetId: string,
): { readonly entries: StoredEntry[]; readonly commonAncestorId: string | null } {
  if (oldLeafId === null) return { entries: [], commonAncestorId: null };
  const commonAncestorId = session.commonAncestor(oldLeafId, targetId);
  const path = session.getBranch(oldLeafId);
  const shared = commonAncestorId === null ? -1 : path.findIndex(entry => entry.id === commonAncestorId);
  return { entries: path.slice(shared + 1), commonAncestorId };
}

export interface BranchSummaryOptions extends Omit<SummaryOptions, 'context' | 'prompt'> {
  /** `customInstructions` are the whole prompt instead of an addition to it. */
  readonly replaceInstructions?: boolean | undefined;
}

export interface BranchSummary {
  readonly summary: string;
  readonly details: FileLists;
}

/**
 * Summarizes a branch that is being left, as much of its end as fits into the model's context. Undefined when it has no
 * messages. Throws as `summarizeHistory` does.
 */
export async function summarizeBranch(
  entries: readonly StoredEntry[],
  options: BranchSummaryOptions,
): Promise<BranchSummary | undefined> {
  const budget = (options.contextWindow ?? DEFAULT_CONTEXT_WINDOW) - options.reserveTokens;
  const { messages, fileOps } = prepareBranch(entries, budget);
  if (messages.length === 0) return undefined;
  const conversation = serializeConversation(convertToLlm(messages));
  const text = `${inTag('conversation', conversation)}\n\n${instructionsFrom(options)}`;
  const summary = await ask(text, options);
  const details = fileLists(fileOps);
  return { summary: BRANCH_PREAMBLE + summary + formatFileLists(details), details };
}

function instructionsFrom(options: BranchSummaryOptions): string {
  const { customInstructions, replaceInstructions } = options;
  if (!customInstructions) return BRANCH_PROMPT;
  if (replaceInstructions === true) return customInstructions;
  return `${BRANCH_PROMPT}\n\nPay attention above all to: ${customInstructions}`;
}

/** The part of a branch that is summarized. */
export interface BranchPreparation {
  /** Oldest first. */
  readonly messages: AgentMessage[];
  readonly totalTokens: number;
  /** The file operations of the whole branch. */
  readonly fileOps: FileOps;
}

/** From the newest entry back until the budget in tokens is used up; the calls stand in for tool results. */
export function prepareBranch(entries: readonly StoredEntry[], budget: number): BranchPreparation {
  const messages: AgentMessage[] = [];
  const edits = contextEditsIn(entries);
  let totalTokens = 0;
  for (const entry of entries.toReversed()) {
    const stored = messageOfEntry(entry);
    const message = stored && editedMessage(stored, entry.id, edits);
    if (!message || message.role === 'toolResult' || message.role === 'system') continue;
    const size = estimateTokens(message);
    const isSummary = message.role === 'compactionSummary' || message.role === 'branchSummary';
    const fits = totalTokens + size <= budget;
    if (fits || (isSummary && totalTokens < budget * NEARLY_FULL)) {
      messages.push(message);
      totalTokens += size;
    }
    if (!fits) break;
  }
  return { messages: messages.reverse(), totalTokens, fileOps: fileOpsOf(entries) };
}

function fileOpsOf(entries: readonly StoredEntry[]): FileOps {
  const ops = createFileOps();
  for (const entry of entries) {
    if (!isSessionEntry(entry)) continue;
    if (entry.type === 'message') addFileOps(ops, entry.message);
    const isSummary = entry.type === 'branch_summary' || entry.type === 'compaction';
    if (isSummary && entry.fromHook !== true) addFileDetails(ops, entry.details);
  }
  return ops;
}
