import type { ShellEvent } from './shell-hook';
import { isRecord } from '../../base/json/is-record';

/** What a command left. */
export interface CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** Ended by its timeout or by a stop. */
  readonly killed: boolean;
}

/** What a shell hook says, whatever form it says it in. */
export interface ShellVerdict {
  /** `none`: it says nothing about it. */
  readonly decision: 'allow' | 'deny' | 'ask' | 'none';
  readonly reason: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the model. */
  readonly context?: string;
  /** For the user. */
  readonly message?: string;
  /** The run is to end, with this reason. */
  readonly stop?: string;
}

/** A verdict, or why there is none that could be relied on. */
export type Judged =
  { readonly ok: true; readonly verdict: ShellVerdict } | { readonly ok: false; readonly why: string };

const SAYS_NOTHING: ShellVerdict = { decision: 'none', reason: '' };
/** A line that begins as JSON does: of a gate, it is a verdict that somebody meant to give. */
const LIKE_JSON = /^\s*[[{]/m;
/** Events whose plain output is read by the model. */
const PLAIN_IS_CONTEXT: ReadonlySet<ShellEvent> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Reads what a command answered: exit code 2 blocks, 0 may come with a verdict in JSON, all else is a failure. */
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
  return isRecord(answer) ? readAnswer(answer) : { ok: false, why: 'its answer is no object' };
}

function readAnswer(answer: Readonly<Record<string, unknown>>): Judged {
  const own = answer['hookSpecificOutput'] ?? {};
  if (!isRecord(own)) return { ok: false, why: `its "hookSpecificOutput" is no object: ${shown(own)}` };
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '');
  const said = own['permissionDecision'] ?? answer['permissionDecision'] ?? answer['decision'];
  const decision = decisionOf(said);
  if (decision === undefined) return { ok: false, why: `its decision is not known here: ${cut(String(said))}` };
  const updated = own['updatedInput'] ?? answer['updatedInput'] ?? answer['modifiedArgs'];
  // To run the call unchanged would run what the hook meant to change.
  if (updated !== undefined && updated !== null && !isRecord(updated)) {
    return { ok: false, why: `the arguments it gives are no object: ${shown(updated)}` };
  }
  const context = text(own['additionalContext'], answer['additionalContext']);
  const message = text(answer['systemMessage']);
  const reason = text(own['permissionDecisionReason'], answer['permissionDecisionReason'], answer['reason']) ?? '';
  const verdict: ShellVerdict = {
    decision,
    reason,
    ...(isRecord(updated) ? { updatedInput: updated } : {}),
    ...(context === undefined ? {} : { context }),
    ...(message === undefined ? {} : { message }),
    ...(answer['continue'] === false ? { stop: text(answer['stopReason']) ?? 'A shell hook ended the run.' } : {}),
  };
  return { ok: true, verdict };
}

function decisionOf(said: unknown): ShellVerdict['decision'] | undefined {
  switch (said) {
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
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
