import { isFailedOrAborted, type AgentMessage, type AssistantMessage, type SystemMessage } from '../messages';

/** An image counts as this many characters of text. */
export const IMAGE_CHARS = 4800;
/** An estimate of how many characters a token has. */
export const CHARS_PER_TOKEN = 4;

type Usage = AssistantMessage['usage'];

/** Tokens of one message, estimated from its characters: rather too many than too few. */
export function estimateTokens(message: AgentMessage): number {
  return Math.ceil(charsOf(message) / CHARS_PER_TOKEN);
}

function charsOf(message: AgentMessage): number {
  switch (message.role) {
    case 'system':
      return systemChars(message);
    case 'user':
    case 'toolResult':
    case 'custom':
      return contentChars(message.content);
    case 'assistant':
      return contentChars(message.content);
    case 'bashExecution':
      return message.command.length + message.output.length;
    case 'branchSummary':
    case 'compactionSummary':
      return message.summary.length;
    default:
      // A role that a hook made up: it never reaches the model.
      return 0;
  }
}

function systemChars({ content, sections, toolsAdded }: SystemMessage): number {
  let chars = contentChars(content);
  for (const section of Object.values(sections ?? {})) chars += section?.length ?? 0;
  return toolsAdded === undefined ? chars : chars + JSON.stringify(toolsAdded).length;
}

type Block = Exclude<Extract<AgentMessage, { content: unknown }>['content'], string>[number];

function contentChars(content: string | readonly Block[]): number {
  if (typeof content === 'string') return content.length;
  let chars = 0;
  for (const block of content) chars += blockChars(block);
  return chars;
}

function blockChars(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking.length;
    case 'toolCall':
      return block.name.length + JSON.stringify(block.arguments).length;
    case 'image':
      return IMAGE_CHARS;
    default:
      return 0;
  }
}

/** Tokens of the context that a reply was made from, the reply included. */
export function contextTokensOf(usage: Usage): number {
  // Files of the first versions have no total.
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** How full the context is. */
export interface ContextEstimate {
  readonly tokens: number;
  /** The part a provider counted. */
  readonly usageTokens: number;
  /** The part that is estimated: everything after the message with the provider's count. */
  readonly trailingTokens: number;
  /** That message; null when nothing was counted yet. */
  readonly lastUsageIndex: number | null;
}

/**
 * The size of a context: the provider's last count plus an estimate of the later messages. Not used are counts of
 * aborted and failed replies, counts from before the compaction that the context begins with, and counts before the
 * message `from`. A count includes the prompt and the tools; an estimate does not.
 */
export function estimateContext(messages: readonly AgentMessage[], from = 0): ContextEstimate {
  const summary = messages.find(({ role }) => role !== 'system');
  const validFrom = summary?.role === 'compactionSummary' ? summary.timestamp : -Infinity;
  let trailingTokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) continue;
    const usage = index < from ? 0 : validUsage(message, validFrom);
    if (usage > 0) return { tokens: usage + trailingTokens, usageTokens: usage, trailingTokens, lastUsageIndex: index };
    if (message.role !== 'system') trailingTokens += estimateTokens(message);
  }
  return { tokens: trailingTokens, usageTokens: 0, trailingTokens, lastUsageIndex: null };
}

function validUsage(message: AgentMessage, validFrom: number): number {
  if (message.role !== 'assistant' || message.timestamp < validFrom || isFailedOrAborted(message)) return 0;
  return contextTokensOf(message.usage);
}
