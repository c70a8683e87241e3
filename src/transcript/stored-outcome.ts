import { notFoundText, SKIPPED_TEXT } from '../agent/run/tool-calls';
import { ABORTED_TEXT, OWN_BLOCK, type ToolOutcome } from '../agent/tools/tool';

/** What we noted of a call ourselves. */
interface KnownEnd {
  readonly end: ToolOutcome['type'];
  /** Who blocked it; absent: Hookline itself. */
  readonly by?: { readonly path: string };
}

/** What pi, other hosts and we give as the result of a call that a hook blocked without a reason, or by failing. */
const BLOCKED = /^(?:Tool execution was blocked\b|(?:Hook|Extension) failed, blocking execution: |Blocked(?:\b|$))/i;
/** A command that failed by itself may begin with any word. */
const RAN = /\n\nCommand (?:exited with code|timed out|aborted|stopped)[^\n]*$/;
/** What tools say of a call that was stopped: a command shows its output before. */
const STOPPED = /(?:^|\n\n)Command (?:aborted|stopped by the user)$/;

/** The result of a call as a session has it. */
export interface StoredResult {
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * What became of a call whose result is read from a session. A session has only the result's text, as pi writes it; this
 * is the one place that looks at such a text. `record` is what we noted of the call ourselves; without it, the text
 * mostly tells that a hook blocked, and never which one.
 */
export function storedOutcome(result: StoredResult, record?: KnownEnd): ToolOutcome {
  const { text } = result;
  const type = record?.end ?? endByText(result);
  switch (type) {
    case 'done':
    case 'failed':
    case 'stopped':
    case 'notFound':
      return { type };
    case 'blocked':
      if (record?.by !== undefined) return { type, reason: text, by: record.by.path };
      return { type, reason: record !== undefined && text.startsWith(OWN_BLOCK) ? text.slice(OWN_BLOCK.length) : text };
    case 'skipped':
      return { type, reason: text };
  }
}

/** A hook's reason may say anything, so a block with a reason of its own reads like a failure. */
function endByText({ toolName, text, isError }: StoredResult): ToolOutcome['type'] {
  if (!isError) return 'done';
  if (text === ABORTED_TEXT || STOPPED.test(text)) return 'stopped';
  if (text === notFoundText(toolName)) return 'notFound';
  if (text === SKIPPED_TEXT) return 'skipped';
  return BLOCKED.test(text) && !RAN.test(text) ? 'blocked' : 'failed';
}
