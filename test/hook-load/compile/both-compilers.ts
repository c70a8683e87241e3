import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { Script } from 'node:vm';
import { babelFrom } from '../../../src/hook-load/compile/babel';
import {
  compileSource,
  wrapperOf,
  type CompiledModule,
  type CompileRequest,
} from '../../../src/hook-load/compile/compile';
import { compileFast } from '../../../src/hook-load/compile/fast-compile';
import { importMeta } from '../../../src/hook-load/compile/import-meta';
import { interop } from '../../../src/hook-load/compile/interop';

const babel = babelFrom(resolve('node_modules/jiti/dist'));
export const FILE = resolve('a folder', 'module.ts');

/** Modules that the code imports; `./es` was an ES module, `cjs` is CommonJS. */
const MODULES: Readonly<Record<string, unknown>> = {
  './es': {
    __esModule: true,
    default: (name: string) => `hello ${name}`,
    who(this: unknown) {
      return this === undefined ? 'nobody' : 'the module';
    },
    tag: (parts: readonly string[]) => parts.join('|'),
    Klass: class {
      readonly made = true;
    },
    count: 1,
  },
  cjs: Object.assign(() => 'called', { named: 'a name' }),
  './more': { __esModule: true, default: 'not this', one: 1, two: 2 },
};

export const request = (source: string, more: Partial<CompileRequest> = {}): CompileRequest => ({
  ...{ file: FILE, source, hash: '', async: true },
  ...more,
});

export function fastModule(source: string, more: Partial<CompileRequest> = {}): CompiledModule {
  const module = compileFast(request(source, more));
  assert.ok(module !== undefined, `left to Babel: ${source}`);
  return module;
}

export const fastCode = (source: string, more: Partial<CompileRequest> = {}): string => fastModule(source, more).code;

export function babelModule(source: string, more: Partial<CompileRequest> = {}): CompiledModule {
  const result = compileSource(babel, request(source, more));
  assert.ok(result.ok, source);
  return result;
}

export const babelCode = (source: string, more: Partial<CompileRequest> = {}): string => babelModule(source, more).code;

export interface Outcome {
  readonly exports: Record<string, unknown>;
  /** The modules it loaded, in order. */
  readonly loaded: readonly string[];
}

/** Runs compiled code with {@link MODULES}. `during`: is called with the exports each time a module is loaded. */
export async function outcomeOf(code: string, during?: (exports: Record<string, unknown>) => void): Promise<Outcome> {
  const exports: Record<string, unknown> = {};
  const loaded: string[] = [];
  const load = (name: string): unknown => {
    loaded.push(name);
    during?.(exports);
    return MODULES[name];
  };
  const required: Readonly<Record<string, unknown>> = {
    'hookline:enter': (...loaders: readonly unknown[]) => loaders.slice(0, 3),
    'hookline:globals': globalThis,
    'hookline:guard': { n: Infinity },
    'hookline:interop': interop,
    'hookline:meta': (resolve: unknown) => importMeta(FILE, { resolve, env: process.env }),
  };
  const require = (name: string): unknown => required[name] ?? load(name);
  // eslint-disable-next-line @typescript-eslint/require-await -- an import gives a promise
  const jitiImport = async (name: string): Promise<unknown> => load(name);
  const jitiESMResolve = (name: string): string => `resolved ${name}`;
  const run = new Script(`${wrapperOf(true)}${code}\n})`).runInThisContext() as (...all: unknown[]) => Promise<void>;
  await run(exports, require, { exports }, FILE, resolve('a folder'), jitiImport, jitiESMResolve);
  return { exports, loaded };
}

/** What the module exports; it is the same when Babel compiled it. */
export async function exportsOf(source: string): Promise<Record<string, unknown>> {
  return (await bothOutcomes(source)).exports;
}

export async function bothOutcomes(source: string): Promise<Outcome> {
  const [fast, slow] = await Promise.all([outcomeOf(fastCode(source)), outcomeOf(babelCode(source))]);
  assert.deepEqual(fast.loaded, slow.loaded);
  assert.deepEqual(Object.keys(fast.exports).sort(), Object.keys(slow.exports).sort());
  for (const [name, value] of Object.entries(fast.exports)) {
    if (typeof value !== 'function') assert.deepEqual(value, slow.exports[name], name);
  }
  return fast;
}

/** What the code asks for, without what the compiler itself adds. */
export function ownRequests({ requests }: CompiledModule): readonly string[] {
  return [...new Set(requests.map(ask => JSON.stringify(ask)))].filter(ask => !ask.includes('hookline:')).sort();
}
