import { isThenable } from '../../../base/async/wait';
import type { LoadedHook } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';

const reported = new WeakMap<LoadedHook, Set<string>>();

/** Reports a failure of code that runs at each change: once per `event` of the same load. */
export function reportOnce(hook: LoadedHook, services: HookServices, event: string, error: unknown): void {
  const known = reported.get(hook) ?? new Set<string>();
  reported.set(hook, known);
  if (known.has(event)) return;
  known.add(event);
  services.report(hook, event, error);
}

/**
 * The value of hook code that cannot be awaited.
 * @throws TypeError for a promise, whose failure is then ignored
 */
export function atOnce(value: unknown, what: string): unknown {
  if (!isThenable(value)) return value;
  value.then(undefined, () => undefined);
  throw new TypeError(`${what} must not be async`);
}
