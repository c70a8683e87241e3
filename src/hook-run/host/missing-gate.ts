import { basename } from 'node:path';
import type { HookQuestion } from '../../hook-contract/ui/ui';
import { stopText } from '../../hook-load/files/stop-record';
import type { MissingGate } from '../dispatch/runner';
import type { Slot } from '../../hook-load/files/hook-slot';
import { defined } from '../../base/defined';

/** A hook that guards tools and does not run, and why. */
interface Absence {
  readonly path: string;
  readonly why: string;
}

/** Hooks that guard tools and do not run. */
export interface MissingGates {
  /** Paths of those that fail to load. */
  readonly failed: readonly string[];
  /** Hooks of packages that are not approved. */
  readonly unapproved: readonly Absence[];
  /** Paths of hooks that wait for approval and have no approved version that can run. */
  readonly waiting: readonly string[];
  /** Hooks that froze or ended a process. */
  readonly stopped: readonly Absence[];
  /** Paths of those that are held back, and why; undefined when calls go on without them. */
  readonly heldBack: { readonly paths: readonly string[]; readonly reason: string } | undefined;
}

/**
 * The gates of the current set that do not run.
 *
 * @param options.confirmWithoutGates - the setting: without it, calls need no guard that fails to load or is not approved
 * @param options.heldBackReason - why hooks are held back; undefined when calls go on without these
 */
export function missingGatesOf(
  slots: readonly Slot[],
  options: { readonly confirmWithoutGates: boolean; readonly heldBackReason: string | undefined },
): MissingGates {
  const { confirmWithoutGates, heldBackReason: reason } = options;
  const gates = slots.filter(({ gatesTools }) => gatesTools === true);
  const held = gates.filter(({ heldBack }) => heldBack === true);
  const paths = held.filter(({ file }) => file.unapproved === undefined).map(({ file }) => file.path);
  const confirmed = confirmWithoutGates ? gates : [];
  const broken = confirmed.filter(({ live, problems }) => live === undefined && problems !== undefined);
  return {
    failed: broken.map(({ file }) => file.path),
    unapproved: confirmed.flatMap(({ heldBack, file: { path, unapproved } }) =>
      heldBack === true && unapproved !== undefined ? [{ path, why: unapproved }] : [],
    ),
    waiting: slots.filter(({ waiting }) => waiting !== undefined).map(({ file }) => file.path),
    stopped: gates.flatMap(({ file, stop }) => (stop === undefined ? [] : [{ path: file.path, why: stopText(stop) }])),
    heldBack: reason === undefined || paths.length === 0 ? undefined : { paths, reason },
  };
}

/**
 * Asks the user before each tool call while a gate does not load or its package is not approved; without a user to ask,
 * the call is refused. One question for all missing hooks. While a gate is held back or stopped, calls are refused
 * without a question.
 */
export function missingGateFor(missingGates: () => MissingGates): MissingGate {
  return async (call, conversation, signal) => {
    const missing = missingGates();
    const reason = refusalWithout(missing);
    if (reason !== undefined) return { type: 'refused', reason };
    const absent = absentGates(missing);
    if (absent === undefined) return { type: 'unneeded' };
    const { first, says, asks, isWaiting } = absent;
    const origin = { hookPath: first, event: 'load', ...call };
    const question: HookQuestion = {
      title: `Run ${call.toolName} without its guard?`,
      message: `${asks}.\n\n${describeInput(call.input)}`,
      dialog: { type: 'confirm' },
      asker: { type: 'gate' },
      origin,
      instead: 'missing-guard',
      ...defined({ signal }),
    };
    const answer = conversation.hasUI ? await conversation.ui.ask(question) : false;
    if (answer === true) return { type: 'confirmed' };
    const advice = isWaiting ? ` ${TO_APPROVE}` : '';
    return { type: 'refused', reason: `${says}, and the call was not confirmed.${advice}` };
  };
}

/** Text that names the gates that do not run; undefined when all run. */
export function missingGateText(missing: MissingGates): string | undefined {
  return refusalWithout(missing) ?? absentGates(missing)?.says;
}

/** Why calls are refused without a question. */
function refusalWithout({ heldBack, stopped: [stopped] }: MissingGates): string | undefined {
  if (heldBack !== undefined) {
    return `${heldBack.paths.join(', ')} checks tool calls, but is held back: ${heldBack.reason}`;
  }
  return stopped && `${stopped.path} checks tool calls, but does not run. ${stopped.why}`;
}

interface Absent {
  readonly first: string;
  /** For the model and for logs, with full paths. */
  readonly says: string;
  /** For the user, with the names of files. */
  readonly asks: string;
  /** Whether the first of them waits for approval. */
  readonly isWaiting: boolean;
}

const TO_APPROVE =
  'A person sees the change with "hookline hooks diff" in this folder, and approves it with "hookline hooks approve" in a terminal, or in VS Code.';

/** Text that names the hooks without which a call would run. */
function absentGates(missing: MissingGates): Absent | undefined {
  const { failed, unapproved, waiting } = missing;
  const first = failed[0] ?? unapproved[0]?.path;
  if (first === undefined) return undefined;
  const why = failed.every(path => waiting.includes(path)) ? 'waits for approval' : 'failed to load';
  const inWords = (nameOf: (path: string) => string): string =>
    [
      ...(failed.length === 0 ? [] : [`${failed.map(nameOf).join(', ')} checks tool calls, but ${why}`]),
      ...unapproved.map(({ path, why }) => `${nameOf(path)} checks tool calls, but its package does not run: ${why}`),
    ].join('; ');
  const isWaiting = waiting.includes(first);
  return { first, says: inWords(path => path), asks: inWords(path => basename(path)), isWaiting };
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
