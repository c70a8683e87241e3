import type { HookQuestion } from '../api/ui/ui';
import type { MissingGate } from '../dispatch/runner';

/** Paths of hooks that guard tools and do not run. */
export interface MissingGates {
  /** Those that fail to load. */
  failed(): readonly string[];
  /** Those that are held back, and why; undefined when calls go on without them. */
  heldBack(): { readonly paths: readonly string[]; readonly reason: string } | undefined;
}

/**
 * Asks the user before each tool call while a hook that guards tools does not load; without a person to ask, the call
 * is refused. One question for all missing hooks. Without those that are held back nothing is asked: the call is refused.
 */
export function missingGateFor(missing: MissingGates): MissingGate | undefined {
  return async (call, conversation, signal) => {
    const held = missing.heldBack();
    if (held !== undefined) return `${held.paths.join(', ')} checks tool calls, but is held back: ${held.reason}`;
    const paths = missing.failed();
    const [first] = paths;
    if (first === undefined) return undefined;
    const names = paths.join(', ');
    const origin = { hookPath: first, event: 'load', ...call };
    const question: HookQuestion = {
      title: `Run ${call.toolName} without its guard?`,
      message: `${names} checks tool calls, but failed to load.\n\n${describeInput(call.input)}`,
      dialog: { type: 'confirm' },
      origin,
      ...(signal === undefined ? {} : { signal }),
    };
    const answer = conversation.hasUI ? await conversation.ui.ask(question) : false;
    return answer === true
      ? undefined
      : `${names} checks tool calls, but failed to load, and the call was not confirmed.`;
  };
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
