import type { HookScope } from '../../loaded-hook';

const BIND = Symbol('bind');

/** An export that each load of a hook gets as one of its own, since what it opens belongs to that load. */
export interface BoundMember {
  readonly [BIND]: (scope: HookScope) => unknown;
}

/** Makes `member`, which is what others than loads get, one that `bind` makes again for each load. */
export function boundMember<M extends object>(member: M, bind: (scope: HookScope) => unknown): M & BoundMember {
  return Object.assign(member, { [BIND]: bind });
}

/** The exports of a module as code of one load sees them. */
export function exportsFor(exports: object, scope: HookScope): object {
  const bound = new Map<unknown, unknown>();
  const view: object = new Proxy(exports, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key);
      if (value === exports) return view; // Its `default`.
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
