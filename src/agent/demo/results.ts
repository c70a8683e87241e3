import type { ToolResultMessage } from '@mariozechner/pi-ai';
import { fenced } from '../../base/text/fenced';

/** How a tool call ended, as far as its result tells. */
export type Outcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'blocked'; readonly reason: string };

// Errors that our tools themselves produce. Any other error text is the reason of a block. A model only sees texts, so
// the demo model does, too.
const TOOL_ERRORS: readonly RegExp[] = [
  /Command exited with code \d+\s*$/,
  /Command (?:aborted|timed out after \d+)/,
  /^Operation aborted/,
  /^E[A-Z]{2,}\b/,
  /^(?:File|Path|Directory) not found|^Not a (?:directory|file)|^Cannot /,
  /^Could not find the exact text|^Found \d+ occurrences|^No changes made/,
  /^Offset \d+ is beyond/,
  /^Validation failed for tool|^Tool \S+ not found/,
  /^Skipped due to queued user message/,
];

/** Reads a result. An error text that none of our tools produces counts as the reason of a block. */
export function outcomeOf(result: ToolResultMessage): Outcome {
  const text = result.content
    .map(part => (part.type === 'text' ? part.text : `[${part.mimeType} image]`))
    .join('\n')
    .trim();
  if (!result.isError) return { kind: 'done', text };
  return TOOL_ERRORS.some(pattern => pattern.test(text)) ? { kind: 'failed', text } : { kind: 'blocked', reason: text };
}

const QUOTED_LINES = 8;
const QUOTED_CHARS = 400;

/** A sentence or two about a result, with the beginning of what the tool gave. */
export function describeResult(result: ToolResultMessage): string {
  const outcome = outcomeOf(result);
  if (outcome.kind === 'blocked') {
    const reason = outcome.reason === '' ? 'no reason was given' : `"${outcome.reason}"`;
    const end = /[.!?]"$/.test(reason) ? '' : '.';
    return `The ${result.toolName} call was blocked: ${reason}${end} I will not try another way.`;
  }
  if (outcome.kind === 'failed') return `${result.toolName} failed:\n${quote(outcome.text)}`;
  return describeSuccess(result.toolName, outcome.text);
}

function describeSuccess(toolName: string, text: string): string {
  if (text === '' || text === '(no output)') return `${toolName} is done and printed nothing.`;
  const lines = text.split('\n').length;
  if (toolName === 'write' || toolName === 'edit') return lines === 1 ? text : `${toolName} is done:\n${quote(text)}`;
  const count = lines === 1 ? 'one line' : `${lines} lines`;
  return `${toolName} returned ${count}:\n${quote(text)}`;
}

function quote(text: string): string {
  const lines = text.slice(0, QUOTED_CHARS).split('\n');
  const shown = lines.slice(0, QUOTED_LINES).join('\n');
  return fenced(shown.length < text.length ? `${shown}\n…` : shown);
}
