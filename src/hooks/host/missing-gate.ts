import { basename } from 'node:path';
import type { HookQuestion } from '../api/ui/ui';
import type { MissingGate } from '../dispatch/runner';

/** Paths of hooks that guard tools and do not run. */
export interface MissingGates {
  /** Those that fail to load. */
  failed(): readonly string[];
  /** Those of packages that nobody approved, and why these do not run. */
  unapproved(): readonly { readonly path: string; readonly why: string }[];
  /** Those of them that wait for approval, and of which nothing that was approved can run. */
  waiting(): readonly string[];
  /** Those because of which a process could not go on, with what became of it. */
  stopped(): readonly { readonly path: string; readonly why: string }[];
  /** Those that are held back, and why; undefined when calls go on without them. */
  heldBack(): { readonly paths: readonly string[]; readonly reason: string } | undefined;
}

/**
 * Asks the user before each tool call while a hook that guards tools does not load, or is of a package that nobody approved;
 * without a person to ask, the call is refused. One question for all missing hooks. Without those that are
 * held back or were stopped nothing is asked: the call is refused.
 */
export function missingGateFor(missing: MissingGates): MissingGate | undefined {
  return async (call, conversation, signal) => {
    const held = missing.heldBack();
    if (held !== undefined) {
      const reason = `${held.paths.join(', ')} checks tool calls, but is held back: ${held.reason}`;
      return { type: 'refused', reason };
    }
    const [stopped] = missing.stopped();
    if (stopped !== undefined) {
      const { path, why } = stopped;
      return { type: 'refused', reason: `${path} checks tool calls, but does not run. ${why}` };
    }
    const absent = absentGates(missing);
    if (absent === undefined) return { type: 'unneeded' };
    const { first, says, asks } = absent;
    const origin = { hookPath: first, event: 'load', ...call };
    const question: HookQuestion = {
      title: `Run ${call.toolName} without its guard?`,
      message: `${asks}.\n\n${describeInput(call.input)}`,
      dialog: { type: 'confirm' },
      origin,
      instead: 'missing-guard',
      ...(signal === undefined ? {} : { signal }),
    };
    const answer = conversation.hasUI ? await conversation.ui.ask(question) : false;
    if (answer === true) return { type: 'confirmed' };
    return { type: 'refused', reason: `${says}, and the call was not confirmed.` };
  };
}

interface Absent {
  readonly first: string;
  /** For the model and for logs, with whole paths. */
  readonly says: string;
  /** For the person, with the names of files. */
  readonly asks: string;
}

/** The hooks without which a call would run, in words. */
function absentGates(missing: MissingGates): Absent | undefined {
  const failed = missing.failed();
  const unapproved = missing.unapproved();
  const first = failed[0] ?? unapproved[0]?.path;
  if (first === undefined) return undefined;
  const waiting = missing.waiting();
  const why = failed.every(path => waiting.includes(path)) ? 'waits for approval' : 'failed to load';
  const inWords = (nameOf: (path: string) => string): string =>
    [
      ...(failed.length === 0 ? [] : [`${failed.map(nameOf).join(', ')} checks tool calls, but ${why}`]),
      ...unapproved.map(({ path, why }) => `${nameOf(path)} checks tool calls, but its package does not run: ${why}`),
    ].join('; ');
  return { first, says: inWords(path => path), asks: inWords(path => basename(path)) };
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
