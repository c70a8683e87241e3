import type { ShellEvent } from './shell-hook';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';

/** The output of a command, and how it ended. */
export interface CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** Whether it was ended by its timeout or because the run was stopped. */
  readonly killed: boolean;
}

/** What a shell hook decided, in one form for all kinds of hooks. */
export interface ShellVerdict {
  /** `none`: the hook made no decision. */
  readonly decision: 'allow' | 'deny' | 'ask' | 'none';
  readonly reason: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** Text for the model. */
  readonly context?: string;
  /** Text for the user. */
  readonly message?: string;
  /** If present, the run must end, for this reason. */
  readonly stop?: string;
}

/** A verdict, or the reason why the hook gave no valid one. */
export type Judged =
  { readonly ok: true; readonly verdict: ShellVerdict } | { readonly ok: false; readonly why: string };

const SAYS_NOTHING: ShellVerdict = { decision: 'none', reason: '' };
/** Matches text with a line that begins as JSON does: from a gate, it is probably meant as a verdict. */
const LIKE_JSON = /^\s*[[{]/m;
/** Events for which plain output becomes context for the model. */
const PLAIN_IS_CONTEXT: ReadonlySet<ShellEvent> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Reads the verdict of a command: code 2 blocks; code 0 may have a verdict in JSON; any other is a failure. */
export function judge(event: ShellEvent, { stdout, stderr, code, killed }: CommandEnd): Judged {
  if (killed) return { ok: false, why: 'it did not end in time' };
  if (code === 2) {
    return { ok: true, verdict: { decision: 'deny', reason: stderr.trim() || stdout.trim() || 'exit code 2' } };
  }
  if (code !== 0) {
    return { ok: false, why: `it ended with exit code ${code}${stderr.trim() === '' ? '' : `: ${cut(stderr)}`}` };
  }
  const text = stdout.trim();
  if (!(event === 'PreToolUse' ? LIKE_JSON.test(text) : text.startsWith('{'))) {
    const isContext = PLAIN_IS_CONTEXT.has(event) && text !== '';
    return { ok: true, verdict: isContext ? { ...SAYS_NOTHING, context: text } : SAYS_NOTHING };
  }
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { ok: false, why: `its answer is not JSON: ${cut(text)}` };
  }
  return isRecord(answer) ? readAnswer(answer) : { ok: false, why: 'its answer is not an object' };
}

function readAnswer(answer: Readonly<Record<string, unknown>>): Judged {
  const own = answer['hookSpecificOutput'] ?? {};
  if (!isRecord(own)) return { ok: false, why: `its "hookSpecificOutput" is not an object: ${shown(own)}` };
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '');
  const written = own['permissionDecision'] ?? answer['permissionDecision'] ?? answer['decision'];
  const decision = decisionOf(written);
  if (decision === undefined) return { ok: false, why: `its decision is unknown: ${cut(String(written))}` };
  const updated = own['updatedInput'] ?? answer['updatedInput'] ?? answer['modifiedArgs'];
  // This is a failure, since otherwise the call would run with arguments that the hook wanted to change.
  if (updated !== undefined && updated !== null && !isRecord(updated)) {
    return { ok: false, why: `the arguments it gives are not an object: ${shown(updated)}` };
  }
  const context = text(own['additionalContext'], answer['additionalContext']);
  const message = text(answer['systemMessage']);
  const reason = text(own['permissionDecisionReason'], answer['permissionDecisionReason'], answer['reason']) ?? '';
  const verdict: ShellVerdict = {
    decision,
    reason,
    ...(isRecord(updated) ? { updatedInput: updated } : {}),
    ...defined({ context, message }),
    ...(answer['continue'] === false ? { stop: text(answer['stopReason']) ?? 'A shell hook ended the run.' } : {}),
  };
  return { ok: true, verdict };
}

function decisionOf(written: unknown): ShellVerdict['decision'] | undefined {
  switch (written) {
    case undefined:
    case null:
      return 'none';
    case 'allow':
    case 'approve':
      return 'allow';
    case 'deny':
    case 'block':
      return 'deny';
    case 'ask':
      return 'ask';
    default:
      return undefined;
  }
}

function shown(value: unknown): string {
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return clipped(singleLine(text), 300);
}
