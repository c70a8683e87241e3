import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import { moduleWith } from './adopt';
import { withGlobalObject } from './globals';
import { OwnershipScope, type OwnershipOptions } from './scope';
import { actingModule, InertScope, mayAct } from './inert-scope';

type Func = (...args: unknown[]) => unknown;

const storage = new AsyncLocalStorage<(action: string) => void>();

/**
 * Runs `work`. If hooks with a {@link LiveScope} try to start, send or write something with Node's modules during it,
 * that is refused with an error, and `refused` is called with the action. Other calls of the same hooks at the same
 * time are not affected.
 */
export function withoutActing<T>(refused: (action: string) => void, work: () => T): T {
  return storage.run(refused, work);
}

/** Whether the current code runs inside {@link withoutActing}; if so, its `refused` is called with `action`. */
export function isRefused(action: string): boolean {
  const refused = storage.getStore();
  refused?.(action);
  return refused !== undefined;
}

/** The scope of a running hook. It can prevent single calls of the hook from acting (see {@link withoutActing}). */
export class LiveScope extends OwnershipScope {
  private readonly dry: InertScope;
  private readonly modules = new Map<string, object | undefined>();
  private seen: object | undefined;

  constructor(options: OwnershipOptions) {
    super(options);
    this.dry = new InertScope(options, action => storage.getStore()?.(action), 'a test with an event');
  }

  override builtin(specifier: string): object | undefined {
    const name = specifier.replace(/^node:/, '');
    if (!this.modules.has(name)) this.modules.set(name, this.switching(name));
    return this.modules.get(name);
  }

  override get globals(): object {
    const owned = (): object => super.globals;
    const member = (name: string): unknown => Reflect.get(owned(), name) as unknown;
    const dry = (name: string) => (): unknown => Reflect.get(this.dry.globals, name) as unknown;
    this.seen ??= withGlobalObject(
      {
        ...owned(),
        process: switchedObject(member('process') as object, () => dry('process')() as object),
        ...Object.fromEntries(
          ['fetch', 'WebSocket', 'EventSource'].map(name => [name, switched(name, member(name), dry(name))]),
        ),
      },
      false,
    );
    return this.seen;
  }

  override async release(): Promise<void> {
    await Promise.all([super.release(), this.dry.release()]);
  }

  private switching(name: string): object | undefined {
    const owned = super.builtin(name) ?? (name === 'module' ? undefined : actingModule(name));
    if (owned === undefined) return undefined;
    const names = Object.keys(owned).filter(member => mayAct(name, member));
    const members = names.map(member => {
      const refused = (): unknown => Reflect.get(this.dry.builtin(name) ?? {}, member) as unknown;
      return [member, switched(member, Reflect.get(owned, member), refused)] as const;
    });
    if (members.length === 0) return owned;
    const replaced: Record<string, unknown> = Object.fromEntries(members);
    if (name === 'fs') replaced['promises'] = this.builtin('fs/promises');
    return moduleWith(owned, replaced);
  }
}

/**
 * A function or class that is `real`, or inside {@link withoutActing} the one that refuses; other values are unchanged.
 */
function switched(name: string, real: unknown, refused: () => unknown): unknown {
  if (typeof real !== 'function') return real;
  const now = (): Func => (storage.getStore() === undefined ? real : refused()) as Func;
  if (/^[A-Z]/.test(name)) {
    const view: object = new Proxy(real, {
      apply: (_target, self, args) => Reflect.apply(now(), self, args),
      construct: (target, args, asked) =>
        (storage.getStore() === undefined
          ? Reflect.construct(target, args, asked === view ? target : asked)
          : Reflect.construct(now(), args)) as object,
    });
    return view;
  }
  const view = function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.apply(now(), this, args);
  };
  const members: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(real);
  Reflect.deleteProperty(members, 'prototype');
  const custom: unknown = Reflect.get(real, promisify.custom);
  if (typeof custom === 'function') members[promisify.custom] = { value: switched('promisified', custom, refused) };
  return Object.defineProperties(view, members);
}

function switchedObject(real: object, refused: () => object): object {
  const now = (): object => (storage.getStore() === undefined ? real : refused());
  const view: object = new Proxy(real, {
    get: (_target, key) => (key === 'default' ? view : (Reflect.get(now(), key) as unknown)),
    set: (_target, key, value) => Reflect.set(now(), key, value),
    deleteProperty: (_target, key) => Reflect.deleteProperty(now(), key),
  });
  return view;
}
