import { moduleWith } from '../ownership/adopt';
import { OwnershipScope, type OwnershipOptions } from '../ownership/scope';

/** Modules that exist to act on the world; none of their functions is called in a replay. */
const ACTING: ReadonlySet<string> = new Set([
  'child_process',
  'dgram',
  'http',
  'http2',
  'https',
  'net',
  'tls',
  'worker_threads',
]);

/** Functions of `fs` that change something, in all three forms. */
const WRITING =
  /^(?:append|chmod|chown|copyFile|cp|createWriteStream|fchmod|fchown|ftruncate|futimes|lchmod|lchown|link|lutimes|mkdir|mkdtemp|rename|rm|symlink|truncate|unlink|utimes|watch|write)/;

/** Parts of acting modules that only hold data. */
const INERT = /^(?:constants|STATUS_CODES|METHODS|isIP|isIPv4|isIPv6|isMainThread|threadId|workerData)$/;

/**
 * Holds what a hook opens while a recorded run is repeated, and keeps it from acting: processes, network, workers and
 * writes to disk are refused with an error that says so, and told to `withheld`. Reading files works as always.
 */
export class HarmlessScope extends OwnershipScope {
  private readonly harmless = new Map<string, object | undefined>();
  private cached: object | undefined;

  constructor(
    options: OwnershipOptions,
    private readonly withheld: (action: string) => void,
  ) {
    super(options);
  }

  override builtin(specifier: string): object | undefined {
    const name = specifier.replace(/^node:/, '');
    if (!this.harmless.has(name)) this.harmless.set(name, this.guardedModule(name, super.builtin(specifier)));
    return this.harmless.get(name);
  }

  override get globals(): object {
    this.cached ??= Object.freeze({
      ...super.globals,
      fetch: this.rejecting('fetch'),
      WebSocket: this.refusing('WebSocket'),
      EventSource: this.refusing('EventSource'),
    });
    return this.cached;
  }

  private guardedModule(name: string, real: object | undefined): object | undefined {
    if (real === undefined) return undefined;
    if (ACTING.has(name)) return this.without(name, real, member => !INERT.test(member));
    if (name !== 'fs' && name !== 'fs/promises') return real;
    const guarded = this.without(name, real, member => WRITING.test(member));
    return name === 'fs' ? moduleWith(guarded, { promises: this.builtin('fs/promises') }) : guarded;
  }

  private without(module: string, real: object, isRefused: (member: string) => boolean): object {
    const refused = Object.keys(real).filter(
      member => isRefused(member) && typeof Reflect.get(real, member) === 'function',
    );
    const refuse = (action: string): unknown =>
      module === 'fs/promises' ? this.rejecting(action) : this.refusing(action);
    return moduleWith(real, {
      ...Object.fromEntries(refused.map(member => [member, refuse(`${module}.${member}`)])),
      ...(module.startsWith('fs') ? this.readingOnly(module, real) : {}),
    });
  }

  /** Opening a file is allowed for reading. */
  private readingOnly(module: string, real: object): Readonly<Record<string, unknown>> {
    const names = ['open', 'openSync'].filter(name => typeof Reflect.get(real, name) === 'function');
    return Object.fromEntries(
      names.map(name => {
        const original = Reflect.get(real, name) as (...args: unknown[]) => unknown;
        const refuse =
          module === 'fs/promises' ? this.rejecting(`${module}.${name}`) : this.refusing(`${module}.${name}`);
        const guarded = (...args: unknown[]): unknown => {
          const flags = typeof args[1] === 'function' ? undefined : args[1];
          return flags === undefined || flags === 'r' || flags === 0
            ? Reflect.apply(original, undefined, args)
            : refuse();
        };
        return [name, guarded];
      }),
    );
  }

  /** As {@link refusing}, for functions that answer with a promise. */
  private rejecting(action: string): (...args: unknown[]) => Promise<never> {
    return () => {
      this.withheld(action);
      return Promise.reject(new Error(`${action} is not done in a replay.`));
    };
  }

  /** Works called and with `new`; both throw. */
  private refusing(action: string): (...args: unknown[]) => never {
    const { withheld } = this;
    return function refused(): never {
      withheld(action);
      throw new Error(`${action} is not done in a replay.`);
    };
  }
}
