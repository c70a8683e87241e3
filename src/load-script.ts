// Loads the scripts (.cjs) in dist/, which contain all code for Node but this file and the helper. V8 runs a script from the
// bytecode that an earlier process stored after the script ran there, so functions that ran are not compiled again. The
// bytecode of an ES module cannot contain them, because it can only be made before the module runs.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { bytecodePath, crcOf, putBytecode, readBytecode } from './base/files/cached-file';
import { bytecodeFolder } from './startup/own-folders';

type Exports = Readonly<Record<string, unknown>>;

/** What `scripts/build/write-scripts.ts` makes of an ES module. A generator, because V8 never drops the code of one. */
type Body = (scope: {
  readonly module: { exports: Exports };
  readonly require: (specifier: string) => unknown;
  /** Stands for `import()` of another script. */
  readonly loadLater: (file: string) => Promise<Exports>;
  /** Stands for `import()` of anything else. */
  readonly importModule: (specifier: string, options?: ImportCallOptions) => Promise<unknown>;
  /** Stands for `import.meta.url`: the address of any file in the folder. */
  readonly url: string;
  readonly folder: string;
}) => Generator;

interface Compiled {
  readonly script: Script;
  readonly bytecode: string;
  readonly mark: Buffer;
}

/** Age from which bytecode is made again, with the functions that ran since, in ms. */
const STORED_AGAIN_MS = 24 * 60 * 60 * 1000;
/** Age from which bytecode belongs to an earlier build or version of Node, in ms. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
/** Time after which a process that lives long stores bytecode, in ms. V8 drops functions that did not run for a while. */
const STORED_AFTER_MS = 20_000;

const FOLDER = dirname(fileURLToPath(import.meta.url));
const BYTECODE_FOLDER = bytecodeFolder();
const requireFromNode = createRequire(import.meta.url);
const modules = new Map<string, { exports: Exports }>();
/** The scripts whose bytecode is to be stored. */
const toStore: Compiled[] = [];

/**
 * Returns the exports of a script in dist/. The first call runs it. `file` starts with `./`.
 * @throws {Error} when there is no such file, and what the script throws; the next call runs it again
 */
export function load(file: string): Exports {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(file, module);
  try {
    bodyOf(join(FOLDER, file))({
      module,
      require,
      loadLater,
      importModule,
      url: import.meta.url,
      folder: FOLDER,
    }).next();
  } catch (error) {
    modules.delete(file);
    throw error;
  }
  return module.exports;
}

function require(specifier: string): unknown {
  return specifier.startsWith('./') ? load(specifier) : requireFromNode(specifier);
}

/** Waits first, because scripts that run at this moment do not have their exports yet. */
function loadLater(file: string): Promise<Exports> {
  return Promise.resolve(file).then(load);
}

function importModule(specifier: string, options?: ImportCallOptions): Promise<unknown> {
  return import(specifier, options);
}

function bodyOf(path: string): Body {
  const code = readFileSync(path);
  const bytecode = bytecodePath(join(BYTECODE_FOLDER, basename(path)));
  const mark = crcOf(code);
  const cachedData = readBytecode(bytecode, mark);
  const script = new Script(code.toString(), { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected === true || ageOf(bytecode) > STORED_AGAIN_MS) {
    storeLater();
    toStore.push({ script, bytecode, mark });
  }
  return script.runInThisContext() as Body; // As write-scripts.ts wrote it.
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

let isPlanned = false;

/** A script can be loaded after others were stored, so that the process's end stores what is left. */
function storeLater(): void {
  if (isPlanned) return;
  isPlanned = true;
  process.once('exit', () => {
    while (storeNext());
    removeUnused();
  });
  setTimeout(() => void storeSlowly(), STORED_AFTER_MS).unref();
}

async function storeSlowly(): Promise<void> {
  while (storeNext()) await setImmediate();
}

/** Returns false when nothing is left, or nothing can be stored. */
function storeNext(): boolean {
  const next = toStore.shift();
  if (next === undefined) return false;
  return putBytecode(next.bytecode, next.mark, next.script.createCachedData());
}

function removeUnused(): void {
  try {
    for (const name of readdirSync(BYTECODE_FOLDER)) {
      const path = join(BYTECODE_FOLDER, name);
      if (ageOf(path) > UNUSED_MS) rmSync(path, { force: true });
    }
  } catch {
    // Another process removes files at the same time, or the folder cannot be written to; a later run removes them.
  }
}
