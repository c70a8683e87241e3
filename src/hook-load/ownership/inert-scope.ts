import { constants } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { moduleWith } from './adopt';
import { withGlobalObject } from './globals';
import { OwnershipScope, type OwnershipOptions } from './scope';
import { inertProcess } from './inert-process';

/** Node's modules as the host's own `require` returns them. */
const fromNode = createRequire(import.meta.url);

/** Modules whose purpose is to start or send something; all their functions except {@link INERT} are refused. */
const ACTING: ReadonlySet<string> = new Set([
  'child_process',
  'cluster',
  'dgram',
  'dns',
  'dns/promises',
  'http',
  'http2',
  'https',
  'inspector',
  'inspector/promises',
  'net',
  'repl',
  'sqlite',
  'test',
  'tls',
  'vm',
  'wasi',
  'worker_threads',
]);

/** Functions that act, in modules that otherwise only return information. */
const ACTING_MEMBERS: Readonly<Record<string, RegExp>> = {
  os: /^setPriority$/,
  v8: /^(?:setFlagsFromString|writeHeapSnapshot|setHeapSnapshotNearHeapLimit|takeCoverage|stopCoverage|startCpuProfile)$/,
};

/** The members of `node:module` that code may use; through the others, it could get modules without any restriction. */
const OF_LOADER: readonly string[] = ['builtinModules', 'isBuiltin', 'findPackageJSON', 'stripTypeScriptTypes'];

/** Functions of `fs` that change or watch something, in all three forms: callback, `…Sync` and promise. */
const WRITING =
  /^(?:append|chmod|chown|copyFile|cp|createWriteStream|fchmod|fchown|ftruncate|futimes|lchmod|lchown|link|lutimes|mkdir|mkdtemp|rename|rm|symlink|truncate|unlink|utimes|watch|write|WriteStream$|FileWriteStream$)/;

/** Members of {@link ACTING} modules that only contain or return data. */
const INERT =
  /^(?:constants|STATUS_CODES|METHODS|isIP|isIPv4|isIPv6|isMainThread|threadId|workerData|getServers|getDefaultResultOrder|url)$/;

/** Functions that change settings of the whole process and that hooks call at load: reported, without an error. */
const SETTINGS = /^dns(?:\/promises)?\.set/;

/** Functions of `fs` that open a file for reading or writing, as their second argument says. */
const OPENING: readonly string[] = [
  'open',
  'openSync',
  'readFile',
  'readFileSync',
  'createReadStream',
  'ReadStream',
  'FileReadStream',
];
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = constants;
const FOR_WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

/**
 * The scope of a hook in a replay or test. It prevents the hook from acting: processes, network, workers and writes to
 * disk are refused with an error that says so, and `onWithheld` is called with the name of the action. Reading files
 * works.
 */
export class InertScope extends OwnershipScope {
  private readonly inert = new Map<string, object | undefined>();
  private cached: object | undefined;

  constructor(
    options: OwnershipOptions,
    private readonly onWithheld: (action: string) => void,
    /** What the hook runs in, for the error message. */
    private readonly during = 'a replay',
  ) {
    super(options);
  }

  override builtin(specifier: string): object | undefined {
    const name = specifier.replace(/^node:/, '');
    if (!this.inert.has(name)) {
      this.inert.set(name, this.guardedModule(name, super.builtin(name) ?? actingModule(name)));
    }
    return this.inert.get(name);
  }

  override get isSealed(): boolean {
    return true;
  }

  override get globals(): object {
    const owned = (): object => super.globals;
    this.cached ??= withGlobalObject(
      {
        ...owned(),
        process: inertProcess(Reflect.get(owned(), 'process') as object, action => this.refusing(action)),
        fetch: this.rejecting('fetch'),
        Function: this.withoutCalls(Function, 'Function'),
        WebSocket: this.refusing('WebSocket'),
        EventSource: this.refusing('EventSource'),
      },
      true,
    );
    return this.cached;
  }

  private guardedModule(name: string, real: object | undefined): object | undefined {
    if (real === undefined) return undefined;
    if (name === 'dns') return moduleWith(this.allRefused(name, real), { promises: this.builtin('dns/promises') });
    if (ACTING.has(name)) return this.allRefused(name, real);
    if (name === 'module') return this.loader(real);
    const acting = ACTING_MEMBERS[name];
    if (acting !== undefined) return this.without(name, real, member => acting.test(member));
    if (name !== 'fs' && name !== 'fs/promises') return real;
    const guarded = this.without(name, real, member => WRITING.test(member));
    return name === 'fs' ? moduleWith(guarded, { promises: this.builtin('fs/promises') }) : guarded;
  }

  /** `node:module` with the allowed members only. The module is itself a constructor, and refuses to be called. */
  private loader(real: object): object {
    const readable = Object.fromEntries(OF_LOADER.map(name => [name, Reflect.get(real, name) as unknown]));
    const refused = Object.keys(real).filter(name => !OF_LOADER.includes(name));
    const actions = Object.fromEntries(refused.map(name => [name, this.refusing(`module.${name}`)]));
    return Object.assign(this.refusing('module.Module'), actions, readable);
  }

  private withoutCalls(original: object, action: string): object {
    const refuse = this.refusing(action);
    return new Proxy(original, { apply: () => refuse(), construct: () => refuse() });
  }

  private allRefused(name: string, real: object): object {
    return this.without(name, real, member => !INERT.test(member));
  }

  private without(module: string, real: object, isRefused: (member: string) => boolean): object {
    const refused = Object.keys(real).filter(
      member => isRefused(member) && typeof Reflect.get(real, member) === 'function',
    );
    return moduleWith(real, {
      ...Object.fromEntries(refused.map(member => [member, this.refused(module, member, Reflect.get(real, member))])),
      ...(module.startsWith('fs') ? this.readingOnly(module, real) : {}),
    });
  }

  /** Replaces a function or class by one that refuses; a class keeps its prototype, which modules read at load. */
  private refused(module: string, member: string, original: unknown): unknown {
    const action = `${module}.${member}`;
    if (SETTINGS.test(action)) {
      return () => this.onWithheld(action);
    }
    const isClass = /^[A-Z]/.test(member) && typeof original === 'function';
    if (module.endsWith('/promises') && !isClass) return this.rejecting(action);
    const refusing = this.refusing(action);
    if (isClass) refusing.prototype = original.prototype as unknown;
    return refusing;
  }

  /** The functions that open a file, with opening for writing refused. */
  private readingOnly(module: string, real: object): Readonly<Record<string, unknown>> {
    const names = OPENING.filter(name => typeof Reflect.get(real, name) === 'function');
    return Object.fromEntries(
      names.map(name => {
        const original = Reflect.get(real, name) as (...args: unknown[]) => unknown;
        const action = `${module}.${name}`;
        const refuse = module === 'fs/promises' ? this.rejecting(action) : this.refusing(action);
        const guarded: typeof original = new Proxy(original, {
          apply: (target, self, args: unknown[]): unknown =>
            isForReading(name, args[1]) ? Reflect.apply(target, self, args) : refuse(),
          // Only stream classes are constructed, and `refuse` throws for them.
          construct: (target, args: unknown[], newTarget): object =>
            isForReading(name, args[1])
              ? (Reflect.construct(target, args, newTarget === guarded ? target : newTarget) as object)
              : refuse(),
        });
        return [name, guarded];
      }),
    );
  }

  /** Like {@link refusing}, for functions that return a promise: the promise rejects. */
  private rejecting(action: string): (...args: unknown[]) => Promise<never> {
    return () => {
      this.onWithheld(action);
      return Promise.reject(new Error(`${action} is not done in ${this.during}.`));
    };
  }

  /** A function that reports the action and throws, both when called and with `new`. */
  private refusing(action: string): (...args: unknown[]) => never {
    const { onWithheld, during } = this;
    return function refused(): never {
      onWithheld(action);
      throw new Error(`${action} is not done in ${during}.`);
    };
  }
}

/** Whether a function of a Node module is refused, at least with some arguments. `module` is without `node:`. */
export function mayAct(module: string, member: string): boolean {
  if (ACTING.has(module)) return !INERT.test(member);
  if (module === 'fs' || module === 'fs/promises') return WRITING.test(member) || OPENING.includes(member);
  return ACTING_MEMBERS[module]?.test(member) === true;
}

/** The original of a module that can act, or of `module`; undefined for others. `name` is without `node:`. */
export function actingModule(name: string): object | undefined {
  const specifier = `node:${name}`;
  const isActing = ACTING.has(name) || name === 'module' || Object.hasOwn(ACTING_MEMBERS, name);
  return isActing && isBuiltin(specifier) ? (fromNode(specifier) as object) : undefined;
}

/**
 * `given` is the second argument: for `open` the flags or a callback, for the others an encoding or options with flags.
 */
function isForReading(name: string, given: unknown): boolean {
  if (name.startsWith('open')) return typeof given === 'function' || areForReading(given);
  if (typeof given !== 'object' || given === null) return true;
  return areForReading(Reflect.get(given, 'flags')) && areForReading(Reflect.get(given, 'flag'));
}

function areForReading(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & FOR_WRITING) === 0;
  return flags === undefined || flags === null || flags === 'r' || flags === 'rs' || flags === 'sr';
}
