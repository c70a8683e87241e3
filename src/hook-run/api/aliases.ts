import type { Dialect } from '../../hook-contract/dialect';
import { visibleSession } from '../../hook-contract/session/visible-session';

/** Names of one generation, by the name of another (docs/dialects.md, C21). */
const SESSION_ALIASES = { getPath: 'getBranch', getBranch: 'getPath' };
const MODEL_ALIASES = { getAvailableModels: 'getAvailable', getAvailable: 'getAvailableModels' };

const views = new WeakMap<object, object>();

/** The session as files of a dialect know it, with the method names of every generation. */
export function sessionManagerView(manager: object, { exposesPromptEntries }: Dialect): object {
  return viewOf(exposesPromptEntries ? manager : visibleSession(manager), SESSION_ALIASES);
}

/** The model registry with the method names of every generation. */
export function modelRegistryView(registry: object): object {
  return viewOf(registry, MODEL_ALIASES);
}

/** The object itself, with aliases for missing names and with methods that work without `this`. */
function viewOf(target: object, aliases: Readonly<Record<string, string>>): object {
  const known = views.get(target);
  if (known !== undefined) return known;
  const bound = new Map<PropertyKey, { readonly method: unknown; readonly own: unknown }>();
  const view = new Proxy(target, {
    get(_target, name) {
      const alias = typeof name === 'string' && !(name in target) ? aliases[name] : undefined;
      const value: unknown = Reflect.get(target, alias ?? name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      const cached = bound.get(name);
      if (cached?.method === value) return cached.own;
      const own: unknown = value.bind(target);
      bound.set(name, { method: value, own });
      return own;
    },
    has: (_target, name) => name in target || (typeof name === 'string' && (aliases[name] ?? '') in target),
  });
  views.set(target, view);
  return view;
}
