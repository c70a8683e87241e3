import type { ToolResultMessage } from '@mariozechner/pi-ai';
import { fenced } from '../base/text/fenced';

/** Errors of our tools; any other error text is the reason of a block. A model only sees texts, so the demo model does, too. */
const TOOL_ERRORS: readonly RegExp[] = [
  /Command exited with code \d+\s*$/,
  /Command (?:aborted|timed out after \d+)/,
  /^Operation aborted|^E[A-Z]{2,}\b|^Skipped due to queued user message/,
  /^(?:File|Path|Directory) not found|^Not a (?:directory|file)|^Cannot /,
  /^Could not find the exact text|^Found \d+ occurrences|^No changes made|^Offset \d+ is beyond/,
  /^Validation failed for tool|^Tool \S+ not found/,
];

const QUOTED_LINES = 8;
const QUOTED_CHARS = 400;

/** Whether a hook or the user did not let the call run. */
export function isBlocked(result: ToolResultMessage): boolean {
  return result.isError && !TOOL_ERRORS.some(pattern => pattern.test(resultText(result)));
}

/** A sentence or two about a result, with the beginning of what the tool gave. */
export function describeResult(result: ToolResultMessage): string {
  const { toolName, isError } = result;
  const text = resultText(result);
  if (isBlocked(result)) {
    const reason = text === '' ? 'no reason was given' : `"${text}"`;
    return `The ${toolName} call was blocked: ${reason}${/[.!?]"$/.test(reason) ? '' : '.'} I will not try another way.`;
  }
  if (isError) return `${toolName} failed:\n${quote(text)}`;
  if (text === '' || text === '(no output)') return `${toolName} is done and printed nothing.`;
  const lines = text.split('\n').length;
  if ((toolName === 'write' || toolName === 'edit') && lines === 1) return text;
  return `${toolName} returned ${lines === 1 ? 'one line' : `${lines} lines`}:\n${quote(text)}`;
}

function resultText({ content }: ToolResultMessage): string {
  return content
    .map(part => (part.type === 'text' ? part.text : `[${part.mimeType} image]`))
    .join('\n')
    .trim();
}

function quote(text: string): string {
  const shown = text.slice(0, QUOTED_CHARS).split('\n').slice(0, QUOTED_LINES).join('\n');
  return fenced(shown.length < text.length ? `${shown}\n…` : shown);
}
