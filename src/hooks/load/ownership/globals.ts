import { OWNED_GLOBALS } from '../compile';
import type { OwnershipScope } from './scope';
import { ownedClass } from './adopt';
import { globalView } from './global-view';
import { ownedProcess } from './process-object';
import { cancellable, ownedTimers } from './timers';

/** The owned versions of {@link OWNED_GLOBALS}; those that this Node does not have are undefined, as they were. */
export function ownedGlobals(scope: OwnershipScope): Readonly<Record<string, unknown>> {
  const owned: Record<string, unknown> = {
    ...ownedTimers(scope),
    process: ownedProcess(scope),
    queueMicrotask: (callback: () => unknown) =>
      queueMicrotask(() => scope.guarded('queueMicrotask callback', callback)),
    fetch: (input: string | URL | Request, init?: RequestInit) => ownedFetch(scope, input, init),
    ...Object.fromEntries(['BroadcastChannel', 'EventSource', 'WebSocket'].map(name => [name, closable(scope, name)])),
  };
  const members = Object.fromEntries(OWNED_GLOBALS.map(name => [name, owned[name]]));
  return withGlobalObject({ ...members, Function }, false);
}

/** Adds the global object that leads to these members. */
export function withGlobalObject(
  members: Readonly<Record<string, unknown>>,
  isOverlay: boolean,
): Readonly<Record<string, unknown>> {
  const view = globalView({ members, isOverlay });
  return Object.freeze({ ...members, global: view, globalThis: view });
}

/** Ends with the scope: what waits for the answer then waits for ever, and is collected. */
async function ownedFetch(scope: OwnershipScope, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const given = init?.signal === undefined && input instanceof Request ? { ...init, signal: input.signal } : init;
  const { options, cancelled, settled } = cancellable(scope, 'fetch', given);
  try {
    return await fetch(input, options);
  } catch (error) {
    if (cancelled()) return await new Promise(() => undefined);
    throw error;
  } finally {
    settled.dispose();
  }
}

type Closable = EventTarget & { close(): void };

function closable(scope: OwnershipScope, name: string): unknown {
  const original: unknown = Reflect.get(globalThis, name);
  if (typeof original !== 'function') return undefined;
  return ownedClass(original as new (...args: never[]) => Closable, instance => {
    const close = (): void => {
      instance.close();
    };
    const held = scope.own({ what: name, kind: 'work', close });
    instance.addEventListener('close', () => held.dispose());
  });
}
