import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { readRegularTextSync } from '../../base/files/regular-file';

/** Methods of `process` that end or change this process or others. */
const ACTING =
  /^(?:_debug|_kill|_linkedBinding$|_start|_stop|abort$|binding$|chdir$|disconnect$|dlopen$|execve$|exit$|initgroups$|kill$|reallyExit$|send$|set(?:e?[ug]id|groups)$|setUncaughtExceptionCaptureCallback$)/;

/** Methods that return the object that they were called on. */
const CHAINED = /^(?:on|once|off|addListener|removeListener|prependListener|prependOnceListener)$/;

/** Methods that only read something when they get at most this many arguments, and otherwise change something. */
const ASKING: Readonly<Record<string, number>> = { umask: 0 };

type Refuse = (action: string) => (...args: unknown[]) => unknown;

/**
 * The `process` of a hook that may not act. Methods that act are refused. `env` is a copy, and assigned members are
 * stored in this object only. Everything else, such as listeners and `nextTick`, is that of `real`.
 */
export function inertProcess(real: object, refuse: Refuse): object {
  const own = new Map<PropertyKey, unknown>();
  own.set('env', copyOf(Reflect.get(real, 'env') as NodeJS.ProcessEnv));
  own.set('mainModule', undefined);
  own.set('loadEnvFile', (path: string | URL = '.env') => {
    const env = own.get('env') as NodeJS.ProcessEnv;
    const text = readRegularTextSync(path instanceof URL ? fileURLToPath(path) : path);
    for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
  });
  const view: object = new Proxy(real, {
    get(target, key) {
      if (key === 'default') return view;
      if (own.has(key)) return own.get(key);
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key !== 'string' || typeof value !== 'function') return value;
      if (ACTING.test(key)) return refuse(`process.${key}`);
      if (CHAINED.test(key)) {
        return (...args: unknown[]): unknown => {
          Reflect.apply(value, target, args);
          return view;
        };
      }
      const free = Object.hasOwn(ASKING, key) ? ASKING[key] : undefined;
      if (free === undefined) return value;
      return (...args: unknown[]): unknown =>
        args.length <= free ? Reflect.apply(value, target, args) : refuse(`process.${key}`)();
    },
    set(_target, key, value) {
      own.set(key, value);
      return true;
    },
    defineProperty(_target, key, { value }) {
      own.set(key, value as unknown);
      return true;
    },
    deleteProperty(_target, key) {
      own.set(key, undefined);
      return true;
    },
  });
  return view;
}

/** A copy of the environment that converts values to text, as the real one does. */
function copyOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(
    { ...env },
    {
      set: (copy, name, value) => Reflect.set(copy, name, String(value)),
    },
  );
}
