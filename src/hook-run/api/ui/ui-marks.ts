import type { Disposable } from '../../../base/disposable';
import { gitBranch, watchGitBranch } from './git-branch';
import { guardedCall } from '../guarded-call';
import type { HandlerRun } from '../../dispatch/handler-run';
import type { LoadedHook } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';
import type { HookUIContext } from '../../../hook-contract/ui/ui';

/** Removes what a hook left in the UI when its load ends. */
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

/** Third argument of footer factories. */
export function footerData(port: HookUIContext, run: HandlerRun, services: HookServices): object {
  const conversation = services.conversationFor(run.subject.conversation);
  const cwd = conversation?.cwd ?? services.cwd;
  return {
    getGitBranch: () => (cwd === undefined ? null : gitBranch(cwd)),
    getExtensionStatuses: () => new Map([...(statuses.get(port) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))),
    getAvailableProviderCount: () => providersIn(conversation?.modelRegistry),
    onBranchChange: (callback: () => unknown) => {
      if (cwd === undefined) return () => undefined;
      const watching = watchGitBranch(cwd, () => void guardedCall(run.hook, services, 'branch change', callback));
      const close = (): void => {
        watching.dispose();
      };
      const owned = run.hook.identity.scope.own({ what: 'watch of the git branch', kind: 'listener', close });
      return () => {
        owned.dispose();
        close();
      };
    },
  };
}

/** Providers with a key, as the registry tells them at once. */
function providersIn(registry: object | undefined): number {
  const list: unknown = registry === undefined ? undefined : Reflect.get(registry, 'getAvailable');
  const models: unknown = typeof list === 'function' ? Reflect.apply(list, registry, []) : undefined;
  if (!Array.isArray(models)) return 0;
  return new Set(models.map((model: { readonly provider?: unknown } | null) => model?.provider)).size;
}
