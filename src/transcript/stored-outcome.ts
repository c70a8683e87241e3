import { SKIPPED_TEXT } from '../agent/run/tool-calls';
import { OWN_BLOCK, type ToolOutcome } from '../agent/tools/tool';

/** What we noted of a call ourselves. */
interface KnownEnd {
  readonly end: ToolOutcome['type'];
  /** Who blocked it; absent: Hookline itself. */
  readonly by?: { readonly path: string };
}

/** What pi, other hosts and we give as the result of a call that a hook blocked without a reason, or by failing. */
const BLOCKED = /^(?:Tool execution was blocked\b|(?:Hook|Extension) failed, blocking execution: |Blocked(?:\b|$))/i;
/** A command that failed by itself may begin with any word. */
const RAN = /\n\nCommand (?:exited with code|timed out|aborted)[^\n]*$/;

/**
 * What became of a call whose result is read from a session. A session has only the result's text, as pi writes it; this
 * is the one place that looks at such a text. `record` is what we noted of the call ourselves; without it, the text
 * mostly tells that a hook blocked, and never which one.
 */
export function storedOutcome(text: string, isError: boolean, record?: KnownEnd): ToolOutcome {
  const type = record?.end ?? endByText(text, isError);
  switch (type) {
    case 'done':
    case 'failed':
      return { type };
    case 'blocked':
      if (record?.by !== undefined) return { type, reason: text, by: record.by.path };
      return { type, reason: record !== undefined && text.startsWith(OWN_BLOCK) ? text.slice(OWN_BLOCK.length) : text };
    case 'skipped':
      return { type, reason: text };
  }
}

/** A hook's reason may say anything, so a block with a reason of its own reads like a failure. */
function endByText(text: string, isError: boolean): ToolOutcome['type'] {
  if (!isError) return 'done';
  if (text === SKIPPED_TEXT) return 'skipped';
  return BLOCKED.test(text) && !RAN.test(text) ? 'blocked' : 'failed';
}
