import type { HookScope } from '../../hook-contract/loaded-hook';

const BIND = Symbol('bind');

/** An export that is made separately for each load of a hook, because what it opens belongs to that load. */
export interface BoundMember {
  readonly [BIND]: (scope: HookScope) => unknown;
}

/** Marks `member` so that each load gets `bind(scope)` in its place; code outside of loads gets `member` itself. */
export function boundMember<M extends object>(member: M, bind: (scope: HookScope) => unknown): M & BoundMember {
  return Object.assign(member, { [BIND]: bind });
}

/** The exports of a module as the code of one load sees them. `bind` runs once, at the first access to a member. */
export function exportsFor(exports: object, scope: HookScope): object {
  const bound = new Map<unknown, unknown>();
  const view: object = new Proxy(exports, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key);
      if (value === exports) return view; // The member `default` is the module itself.
      if (!isBound(value)) return value;
      if (!bound.has(value)) bound.set(value, value[BIND](scope));
      return bound.get(value);
    },
  });
  return view;
}

function isBound(value: unknown): value is BoundMember {
  return typeof value === 'function' && Object.hasOwn(value, BIND);
}
