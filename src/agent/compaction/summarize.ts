import { convertToLlm, serializeConversation } from '../llm-messages';
import type { AgentMessage, AssistantMessage, Message } from '../messages';
import { HISTORY_PROMPT, SUMMARY_SYSTEM_PROMPT, TURN_PREFIX_PROMPT, UPDATE_PROMPT } from './prompts';
import { CHARS_PER_TOKEN } from './tokens';

/** A summary was stopped or declined. */
export class CompactionCancelled extends Error {
  constructor() {
    super('Compaction cancelled');
  }
}

export interface CompletionRequest {
  readonly systemPrompt: string;
  readonly messages: Message[];
  readonly signal: AbortSignal | undefined;
}

/** One request to the model; the caller chooses model, key and headers. */
export type Complete = (request: CompletionRequest) => Promise<AssistantMessage>;

/** Options of a request for a summary. */
export interface SummaryOptions {
  readonly complete: Complete;
  readonly reserveTokens: number;
  /** What the user asked the summary to focus on. */
  readonly customInstructions?: string | undefined;
  /** Replaces the default prompt (`session.compacting`). */
  readonly prompt?: string | undefined;
  /** Lines that hooks want the summary to take into account (same). */
  readonly context?: readonly string[] | undefined;
  /** The model's context window in tokens; a longer transcript is summarized piece by piece. Unlimited when absent. */
  readonly contextWindow?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Summarizes messages and updates `previousSummary`. Throws {@link CompactionCancelled} when stopped and `Summarization
 * failed: …` when the model fails, calls a tool, is silent or is cut off: what such a summary lacks would be lost.
 */
export async function summarizeHistory(
  messages: readonly AgentMessage[],
  previousSummary: string | undefined,
  options: SummaryOptions,
): Promise<string> {
  let summary = previousSummary;
  for (const conversation of pieces(messages, options)) {
    const prompt = options.prompt ?? (summary === undefined ? HISTORY_PROMPT : UPDATE_PROMPT);
    const earlier = summary === undefined ? [] : [inTag('previous-summary', summary)];
    const text = [inTag('conversation', conversation), ...earlier, prompt, ...wishes(options)].join('\n\n');
    summary = await ask(text, options);
  }
  return summary ?? '';
}

/** Summarizes the beginning of a split turn. Throws as {@link summarizeHistory} does, saying which summary it was. */
export async function summarizeTurnPrefix(messages: readonly AgentMessage[], options: SummaryOptions): Promise<string> {
  const summaries: string[] = [];
  for (const conversation of pieces(messages, options)) {
    const text = [inTag('conversation', conversation), TURN_PREFIX_PROMPT, ...wishes(options)].join('\n\n');
    summaries.push(await ask(text, options, 'Turn prefix summarization'));
  }
  return summaries.join('\n\n');
}

/** What the user and hooks want of every summary. */
function wishes({ customInstructions, context = [] }: SummaryOptions): readonly string[] {
  return [
    ...(customInstructions ? [`Pay attention above all to: ${customInstructions}`] : []),
    ...(context.length > 0 ? [`Take this into account as well:\n${context.join('\n')}`] : []),
  ];
}

/** Requests one summary text; `what` names it in errors. Throws as {@link summarizeHistory} does. */
export async function ask(
  text: string,
  options: Pick<SummaryOptions, 'complete' | 'signal'>,
  what = 'Summarization',
): Promise<string> {
  const { complete, signal } = options;
  if (signal?.aborted) throw new CompactionCancelled();
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() }];
  const answer = await complete({ systemPrompt: SUMMARY_SYSTEM_PROMPT, messages, signal });
  if (signal?.aborted || answer.stopReason === 'aborted') throw new CompactionCancelled();
  if (answer.stopReason === 'error') {
    throw new Error(`${what} failed: ${answer.errorMessage ?? 'the model gave no reason'}`);
  }
  if (answer.stopReason === 'length') throw new Error(`${what} failed: ${CUT_OFF}`);
  if (answer.content.some(({ type }) => type === 'toolCall')) throw new Error(`${what} attempted to call a tool`);
  const summary = answer.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (summary.trim() === '') throw new Error(`${what} failed: the model answered without a text`);
  return summary;
}

const CUT_OFF = 'generation hit the token cap and the summary is incomplete';

/** A text between tags, each on a line of its own. */
export function inTag(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}

/** The transcript in as few pieces as fit into the context with prompt and answer; at least one, which may be empty. */
function pieces(messages: readonly AgentMessage[], options: SummaryOptions): string[] {
  const room = (options.contextWindow ?? Infinity) - 2 * options.reserveTokens;
  const limit = Math.max(room, options.reserveTokens) * CHARS_PER_TOKEN;
  const transcript = serializeConversation(convertToLlm(messages));
  if (transcript.length <= limit) return [transcript];
  const parts: string[] = [];
  let part = '';
  for (const message of convertToLlm(messages)) {
    const text = serializeConversation([message]);
    if (part !== '' && part.length + text.length > limit) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? text.slice(0, limit) : `${part}\n\n${text}`;
  }
  return [...parts, part];
}
