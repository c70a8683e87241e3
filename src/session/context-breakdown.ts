import { CHARS_PER_TOKEN, estimateContext, estimateTokens, type ContextEstimate } from '../agent/compaction/tokens';
import type { AgentMessage, UserMessage } from '../agent/messages';
import { hasEstimatedUsage } from '../agent/models/editor-models';
import { declarationText, promptCheckpoint } from '../agent/prompt/prompt-record';
import { promptSections, type PromptSections } from '../agent/prompt/system-prompt';
import { defined } from '../base/defined';
import type { ContextBreakdown } from '../protocol/panels/context';
import { isOwnMessage } from '../transcript/own-messages';
import { isAttachedPart } from './attachments/attached-files';
import type { Conversation } from './conversation';

type Parts = ContextBreakdown['parts'];

/** The order decides nothing but rounding. */
const PARTS = ['system', 'tools', 'hooks', 'files', 'messages'] as const;

/** The section with the context files, such as AGENTS.md. */
const FILES_SECTION = 'project_context';

/**
 * What the context of a conversation consists of now. The parts are estimated from their lengths; where a provider has counted,
 * those that it counted are scaled to its number, so that they add up to the size that the conversation reports. Calls no hook:
 * what a hook changes only in the request itself is spread over the parts.
 * @throws whatever the prompt options of a hook throw
 */
export function contextBreakdown({ run, status, toolset }: ContextParts): ContextBreakdown {
  const { messages } = run.agent;
  const estimate = estimateContext(messages);
  const { usageTokens, lastUsageIndex } = estimate;
  const end = lastUsageIndex === null ? 0 : lastUsageIndex + 1;
  const base = sum(promptParts(messages, run.prompt, toolset), partsOf(messages.slice(0, end)));
  const { contextWindow = 0 } = status.answering ?? {};
  return {
    parts: rounded(sum(usageTokens > 0 ? scaledTo(usageTokens, base) : base, partsOf(messages.slice(end)))),
    ...defined({ window: contextWindow > 0 ? contextWindow : undefined }),
    counted: countedBy(estimate, messages[end - 1]),
  };
}

function countedBy(
  { lastUsageIndex, trailingTokens }: ContextEstimate,
  answer: AgentMessage | undefined,
): ContextBreakdown['counted'] {
  if (lastUsageIndex === null) return 'nobody';
  if (answer?.role === 'assistant' && hasEstimatedUsage(answer)) return 'editor';
  return trailingTokens > 0 ? 'partly' : 'provider';
}

type ContextParts = Pick<Conversation, 'run' | 'status' | 'toolset'>;

/** The prompt and the tools as the model was told last, or before the first request, as it will be told. */
function promptParts(
  messages: readonly AgentMessage[],
  prompt: Conversation['run']['prompt'],
  toolset: Conversation['toolset'],
): Parts {
  const told = promptCheckpoint(messages, 0);
  const declared = told?.toolsAdded ?? toolset.chosen().filter(({ isUndeclared }) => isUndeclared !== true);
  const toolChars = declared.reduce((chars, tool) => chars + declarationText(tool).length, 0);
  const tools = toolChars / CHARS_PER_TOKEN;
  if (prompt.isForced) return { ...NO_PARTS, tools, hooks: prompt.text.length / CHARS_PER_TOKEN };
  const sections = told === undefined ? prompt.sections : ownText(told.sections ?? {});
  const parts = sectionParts(sections, promptSections(prompt.base));
  const others = typeof told?.content === 'string' ? told.content.length / CHARS_PER_TOKEN : 0;
  return { ...parts, tools, system: parts.system + others };
}

function ownText(sections: Readonly<Record<string, string | null>>): PromptSections {
  return Object.fromEntries(Object.entries(sections).flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

/** Whatever is longer than without hooks is an addition of theirs. */
function sectionParts(sections: PromptSections, withoutHooks: PromptSections): Parts {
  const parts = { ...NO_PARTS };
  for (const [name, text] of Object.entries(sections)) {
    const own = Math.min(text.length, withoutHooks[name]?.length ?? 0);
    parts[name === FILES_SECTION ? 'files' : 'system'] += own / CHARS_PER_TOKEN;
    parts.hooks += (text.length - own) / CHARS_PER_TOKEN;
  }
  return parts;
}

const NO_PARTS: Parts = { system: 0, tools: 0, hooks: 0, files: 0, messages: 0 };

function partsOf(messages: readonly AgentMessage[]): Parts {
  const parts = { ...NO_PARTS };
  for (const message of messages) {
    if (message.role === 'system' || (message.role === 'bashExecution' && message.excludeFromContext === true)) {
      continue;
    }
    const tokens = estimateTokens(message);
    const files = message.role === 'user' ? attachedTokens(message) : 0;
    parts.files += files;
    parts[message.role === 'custom' && !isOwnMessage(message) ? 'hooks' : 'messages'] += tokens - files;
  }
  return parts;
}

function attachedTokens(message: UserMessage): number {
  const { content } = message;
  if (typeof content === 'string') return 0;
  const typed = content.filter((part, index) => !isAttachedPart(part, index));
  return estimateTokens(message) - estimateTokens({ ...message, content: typed });
}

function sum(a: Parts, b: Parts): Parts {
  return eachPart(name => a[name] + b[name]);
}

function scaledTo(tokens: number, parts: Parts): Parts {
  const all = total(parts);
  return all === 0 ? { ...parts, messages: tokens } : eachPart(name => (parts[name] * tokens) / all);
}

function total(parts: Parts): number {
  return PARTS.reduce((tokens, name) => tokens + parts[name], 0);
}

/** Whole numbers, whose sum is the rounded sum. */
function rounded(parts: Parts): Parts {
  let exact = 0;
  let given = 0;
  return eachPart(name => {
    exact += parts[name];
    const tokens = Math.round(exact) - given;
    given += tokens;
    return tokens;
  });
}

function eachPart(tokens: (name: keyof Parts) => number): Parts {
  return Object.fromEntries(PARTS.map(name => [name, tokens(name)])) as Parts;
}
