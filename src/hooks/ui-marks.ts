import type { Disposable } from '../base/disposable';
import type { LoadedHook } from './loaded-hook';
import type { HookUIContext } from './ui';

/** What a hook left in the UI goes when its load goes. */
export function ownMark(
  hook: LoadedHook,
  port: HookUIContext,
  what: string,
  present: boolean,
  remove: () => void,
): void {
  const marks = marksOf(hook, port);
  marks.get(what)?.dispose();
  marks.delete(what);
  if (present) marks.set(what, hook.identity.scope.own({ what, kind: 'listener', close: remove }));
}

const marksOfHooks = new WeakMap<LoadedHook, WeakMap<HookUIContext, Map<string, Disposable>>>();

function marksOf(hook: LoadedHook, port: HookUIContext): Map<string, Disposable> {
  const ofHook = marksOfHooks.get(hook) ?? new WeakMap<HookUIContext, Map<string, Disposable>>();
  marksOfHooks.set(hook, ofHook);
  const marks = ofHook.get(port) ?? new Map<string, Disposable>();
  ofHook.set(port, marks);
  return marks;
}

const statuses = new WeakMap<HookUIContext, Map<string, string>>();

/** Remembers status texts for footers, which may show them all. */
export function noteStatus(port: HookUIContext, key: string, text: string | undefined): void {
  const known = statuses.get(port) ?? new Map<string, string>();
  statuses.set(port, known);
  if (text === undefined) known.delete(key);
  else known.set(key, text);
}

/** Third argument of footer factories (reference section 8). */
export function footerData(port: HookUIContext): object {
  return {
    getGitBranch: () => null,
    getExtensionStatuses: () => new Map([...(statuses.get(port) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))),
    getAvailableProviderCount: () => 0,
    onBranchChange: () => () => undefined,
  };
}
