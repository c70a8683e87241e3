import { readFileSync } from 'node:fs';
import Module, { createRequire, isBuiltin } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type { OwnershipScope } from './ownership/scope';
import type { VirtualModules } from './modules/virtual-modules';
import { ENTER_MODULE, GLOBALS_MODULE, isTypeScript } from './compile/compile';
import { withholdVariables } from '../agent/tools/shell/process';
import type { Disposable } from '../base/disposable';
import { hashOf } from '../base/files/hash-of';
import { importMeta, META_MODULE } from './compile/import-meta';
import { interop, INTEROP_MODULE } from './compile/interop';
import { GUARD_MODULE } from './compile/loop-guards';
import { isOwnFile } from './graph/resolve';
import { jsonFailure, missingModule } from './graph/load-problem';
import type { ModuleGraph } from './graph/module-graph';
import type { ScriptCache } from './compile/script-cache';

type Require = ((specifier: string) => unknown) & { readonly resolve?: unknown };
type Import = (specifier: string) => Promise<unknown>;
type Resolve = (specifier: string, ...more: readonly unknown[]) => string;

/** The members of jiti that are used here; its raw factory has no types. */
interface Jiti {
  (specifier: string): unknown;
  evalModule(source: string, options: Record<string, unknown>): unknown;
}
export type JitiFactory = (
  entry: string,
  options: Record<string, unknown>,
  hooks: { onError: (error: unknown) => never; nativeImport: Import; createRequire: typeof createRequire },
) => Jiti;

/**
 * Loads jiti's factory from the folder that it ships in. jiti is run from the cache of scripts, and gets its `vm` in place of
 * `node:vm` to run code with.
 */
export function jitiFrom(jitiDir: string, scripts: ScriptCache): JitiFactory {
  const file = join(jitiDir, 'jiti.cjs');
  const load = createRequire(file);
  const require = (name: string): unknown => (name === 'node:vm' ? scripts.vm : load(name));
  const module = { exports: {} };
  const source = readFileSync(file, 'utf8');
  scripts.announce({ file, source, hash: hashOf(source), async: false });
  const run = scripts.vm.runInThisContext(`(function (module, require) {${source}\n})`, { filename: file });
  Reflect.apply(run as (module: object, require: unknown) => void, undefined, [module, require]);
  return module.exports as JitiFactory;
}

export interface Evaluation {
  readonly jiti: JitiFactory;
  readonly graph: ModuleGraph;
  readonly scope: OwnershipScope;
  readonly modules: VirtualModules;
  /** The cache whose `vm` was given to {@link jitiFrom}. */
  readonly scripts: ScriptCache;
}

/**
 * Runs the entry of a prepared graph and resolves with its exports. Each file of the hook runs once per evaluation; the
 * exports of an earlier evaluation are never used. A module that a file asks for is looked up, in this order, in the
 * load's scope (Node's modules that open things), the shipped modules, the graph, and jiti (packages next to the hook).
 */
export async function evaluate(evaluation: Evaluation): Promise<unknown> {
  const { graph } = evaluation;
  return await new Evaluator(evaluation).run(graph.entry, true);
}

interface LoadedFile {
  readonly filename: string;
  readonly exports: unknown;
}

class Evaluator {
  private readonly jiti: Jiti;
  private readonly loaded: Record<string, LoadedFile> = {};
  private readonly data = new Map<string, unknown>();

  /** `node:module` with a `createRequire` that makes functions like the `require` of the hook's files. */
  private readonly moduleModule: object;

  constructor(private readonly evaluation: Evaluation) {
    const { graph, scope, modules, scripts } = evaluation;
    this.moduleModule = this.ownModuleModule(scope.builtin('module') ?? Module);
    const enter = (
      require: Require,
      load: Import,
      resolve: Resolve,
      module: { filename: string; require: Require },
    ): unknown => {
      const wrapped = this.wrapRequire(require, module.filename);
      // The class of `module` leads to Node's own loader, which hands out modules without any restriction.
      if (scope.isSealed) Object.setPrototypeOf(module, Object.prototype);
      module.require = wrapped;
      return [wrapped, this.wrapImport(load, resolve, module.filename), this.wrapResolve(resolve)];
    };
    this.jiti = evaluation.jiti(
      graph.entry,
      {
        ...NO_CACHES,
        virtualModules: { __proto__: null, [ENTER_MODULE]: enter },
        transform: ({ filename, source, async }: { filename: string; source: string; async: boolean }) => {
          const request = graph.requestFor(filename, source, async);
          scripts.announce(request);
          return { code: graph.codeOf(request) };
        },
      },
      { onError: rethrow, nativeImport: specifier => nativeImport(specifier, modules), createRequire },
    );
  }

  private ownModuleModule(real: object): object {
    return new Proxy(real, {
      get: (target, key): unknown => {
        if (key === 'createRequire') return (from: string | URL) => this.requireFrom(from);
        if (key === 'default') return this.moduleModule;
        return key === '__esModule' ? true : (Reflect.get(target, key) as unknown);
      },
    });
  }

  /** Returns the exports of one of the hook's own files. If `async`, the first call for a module returns a promise. */
  run(file: string, async: boolean): unknown {
    const { graph } = this.evaluation;
    if (file.endsWith('.json')) return this.json(file);
    const loaded = this.loaded[file];
    if (loaded !== undefined) return loaded.exports;
    const options = { id: file, filename: file, ext: extname(file), cache: this.loaded, async, forceTranspile: true };
    graph.sourceOf(file); // It is read now, if it was not before. jiti only passes the text on to `transform`.
    return this.jiti.evalModule('', options);
  }

  private json(file: string): unknown {
    if (this.data.has(file)) return this.data.get(file);
    const { text } = this.evaluation.graph.sourceOf(file);
    const value = parseJson(file, text);
    if (typeof value === 'object' && value !== null && !('default' in value)) {
      Object.defineProperty(value, 'default', { value, enumerable: false });
    }
    this.data.set(file, value);
    return value;
  }

  private wrapRequire(require: Require, importer: string): Require {
    const { scope, modules } = this.evaluation;
    const wrapped = (specifier: string): unknown => {
      if (specifier === GLOBALS_MODULE) return scope.globals;
      if (specifier === GUARD_MODULE) return scope.loops.guardFor(importer);
      if (specifier === INTEROP_MODULE) return interop;
      if (specifier === META_MODULE) return this.metaMaker(importer);
      if (isBuiltin(specifier)) return this.builtin(specifier) ?? require(specifier);
      if (modules.has(specifier)) return modules.get(specifier);
      const { graph } = this.evaluation;
      const own = graph.ownFile(specifier, importer, 'require');
      if (own !== undefined) return this.run(own, false);
      graph.check(specifier, importer, 'require');
      return this.explained(importer, specifier, () => inColor(() => require(specifier)));
    };
    // The other members are inherited: copies of them for each file would take more time than the rest of this.
    if (!scope.isSealed) Object.setPrototypeOf(wrapped, require);
    const { resolve } = require;
    return typeof resolve === 'function'
      ? Object.defineProperty(wrapped, 'resolve', { value: this.wrapResolve(resolve as Resolve) })
      : wrapped;
  }

  /** Shipped modules have no file, so they resolve to the name by which they are imported, as Node's own modules do. */
  private wrapResolve(resolve: Resolve): Resolve {
    const { modules } = this.evaluation;
    const wrapped: Resolve = (specifier, ...more) =>
      modules.has(specifier) || isBuiltin(specifier) ? specifier : resolve(specifier, ...more);
    return Object.assign(wrapped, resolve);
  }

  private metaMaker(file: string): (resolve: Resolve) => object {
    const env: unknown = Reflect.get(this.builtin('process') ?? process, 'env');
    return resolve => importMeta(file, { resolve, env });
  }

  private wrapImport(load: Import, resolve: Resolve, importer: string): Import {
    const { modules } = this.evaluation;
    return async specifier => {
      if (isBuiltin(specifier)) return this.builtin(specifier) ?? (await load(specifier));
      if (modules.has(specifier)) return await modules.load(specifier, this.mentionsOf(importer));
      const { graph } = this.evaluation;
      const own = graph.ownFile(specifier, importer, 'import');
      if (own !== undefined) return await this.run(own, true);
      graph.check(specifier, importer, 'import');
      // It is compiled here, and may require what ships.
      if (isTypeScript(resolvedBy(resolve, specifier))) await modules.loadAll(() => true);
      return await this.explained(importer, specifier, () => inColor(() => load(specifier)));
    };
  }

  /** For a package next to the hook, every name counts as mentioned, because only the hook's own files are searched. */
  private mentionsOf(importer: string): (name: string) => boolean {
    const { graph } = this.evaluation;
    return isOwnFile(importer, graph.entry) ? graph.mentions : () => true;
  }

  private builtin(specifier: string): object | undefined {
    if (/^(node:)?module$/.test(specifier)) return this.moduleModule;
    return this.evaluation.scope.builtin(specifier);
  }

  private requireFrom(from: string | URL): unknown {
    const importer = String(from).startsWith('file:') ? fileURLToPath(from) : String(from);
    return this.wrapRequire(createRequire(from), importer);
  }

  /** Runs a jiti import; a module that is missing is reported with the file that asks for it. */
  private explained(importer: string, specifier: string, load: () => unknown): unknown {
    const explain = (error: unknown): never => {
      throw missingModule(error, specifier, this.evaluation.graph.placeOfSpecifier(importer, specifier));
    };
    try {
      const answer = load();
      return answer instanceof Promise ? (answer.catch(explain) as unknown) : answer;
    } catch (error) {
      return explain(error);
    }
  }
}

/** jiti reads an option that is missing here from an environment variable, so all of them are set. */
const NO_CACHES = {
  fsCache: false,
  rebuildFsCache: false,
  moduleCache: false,
  debug: false,
  sourceMaps: true,
  interopDefault: true,
  extensions: ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.mtsx', '.ctsx'],
  alias: {},
  nativeModules: [],
  transformModules: [],
  tryNative: false,
  esmEvalTempFile: false,
  jsx: false,
  tsconfigPaths: false,
};

function rethrow(error: unknown): never {
  throw error;
}

/** Where a specifier leads; empty if it leads nowhere, which loading it reports. */
function resolvedBy(resolve: Resolve, specifier: string): string {
  try {
    return resolve(specifier);
  } catch {
    return '';
  }
}

/**
 * Imports packages as Node does. If that fails, jiti compiles the package itself, and the package can then require the
 * modules that ship with the extension. `require` cannot wait, so they are loaded first. When V8 rejects code, jiti
 * also tries to import that code as a `data:` URL. Such an import would stay in memory forever and hide the reason, so
 * this throws V8's error instead.
 */
async function nativeImport(specifier: string, modules: VirtualModules): Promise<unknown> {
  if (!specifier.startsWith('data:text/javascript;base64,')) {
    try {
      return await (import(specifier) as Promise<unknown>);
    } catch (error) {
      await modules.loadAll(() => true);
      throw error;
    }
  }
  const source = Buffer.from(specifier.slice(specifier.indexOf(',') + 1), 'base64').toString('utf8');
  new Script(source.replace('export default ', ''));
  throw new Error('The compiled module cannot be run.');
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw jsonFailure(file, text, error);
  }
}

const COLORS = 'FORCE_COLOR';
const COLORS_OFF = 'NO_COLOR';
let loading = 0;
let withheld: Disposable | undefined;

/**
 * Loads a package of a hook while `FORCE_COLOR` asks for all colors. Libraries such as chalk check for colors only
 * while they load. They find no terminal in the host and would never color anything. Commands that start meanwhile, also
 * those of other folders, do not get the variable, and it is removed after the load.
 */
function inColor<V>(load: () => V): V {
  if (loading === 0 && (COLORS in process.env || COLORS_OFF in process.env)) return load();
  loading += 1;
  process.env[COLORS] = '3';
  withheld ??= withholdVariables([COLORS]);
  let answer: V;
  try {
    answer = load();
  } catch (error) {
    ended();
    throw error;
  }
  if (answer instanceof Promise) answer.then(ended, ended);
  else ended();
  return answer;
}

function ended(): void {
  loading -= 1;
  if (loading > 0) return;
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a variable of the environment cannot be undefined
  delete process.env[COLORS];
  withheld?.dispose();
  withheld = undefined;
}
