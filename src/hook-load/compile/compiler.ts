import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { CompiledModule, CompileRequest, CompileResult } from './compile';
import { CompileCache, compileCacheFolder } from './compile-cache';
import { ModuleCompiler } from './module-compiler';
import { splitMap } from './source-map';
import type { WorkerAnswer, WorkerData } from './transform-worker';

export interface CompilerOptions {
  readonly cacheDir: string;
  /** Folder with jiti.cjs and babel.cjs. */
  readonly jitiDir: string;
  readonly extensionVersion: string;
  /** `dist/transform-worker.js`; where it is missing, files are compiled on the calling thread. */
  readonly workerFile?: string;
  /** Whether source maps are read only for a position in them: no debugger sees them then, and most of the text goes unread. */
  readonly mapsApart?: boolean;
  readonly log: Log;
}

/** A module that was compiled. */
export type Compiled =
  (CompiledModule & { readonly ok: true; readonly map: () => string }) | Extract<CompileResult, { readonly ok: false }>;

/** How long the worker waits for work before it ends, because it takes about 50 MB of memory. */
const WORKER_IDLE_MS = 60_000;

/** Compiles modules once per content: takes the result from disk if it is there, and otherwise compiles in a worker. */
export class Compiler implements Disposable {
  readonly cache: CompileCache;
  private readonly here: ModuleCompiler;
  private worker: WorkerClient | undefined;

  constructor(private readonly options: CompilerOptions) {
    this.here = new ModuleCompiler(options.jitiDir);
    this.cache = new CompileCache(compileCacheFolder(options.cacheDir, options.extensionVersion));
  }

  /**
   * Gives the module that was compiled earlier. Otherwise compiles it, in the worker if there is one. Never rejects for a
   * syntax error.
   */
  async compile(request: CompileRequest): Promise<Compiled> {
    return this.fromCache(request) ?? this.withMap(await this.inWorker(request));
  }

  /** Like {@link compile}, but always on the calling thread. */
  compileSync(request: CompileRequest): Compiled {
    return this.fromCache(request) ?? this.withMap(this.kept(request, this.here.compileSync(request)));
  }

  dispose(): void {
    this.worker?.dispose();
    this.worker = undefined;
  }

  private fromCache(request: CompileRequest): Compiled | undefined {
    const cached = this.cache.read(request);
    if (cached === undefined) return undefined;
    if (this.options.mapsApart === true) return { ok: true, ...cached, map: () => this.cache.readMap(request) ?? '' };
    const map = this.cache.readMap(request);
    return map === undefined
      ? undefined
      : { ok: true, requests: cached.requests, code: cached.code + map.slice(1), map: () => map };
  }

  private withMap(result: CompileResult): Compiled {
    if (!result.ok) return result;
    const { bare, map } = splitMap(result.code);
    return { ...result, ...(this.options.mapsApart === true ? { code: bare } : {}), map: () => map };
  }

  private async inWorker(request: CompileRequest): Promise<CompileResult> {
    const { workerFile, jitiDir, log } = this.options;
    if (workerFile === undefined || !existsSync(workerFile)) {
      await setImmediate(); // Signals are heard between two files.
      return this.kept(request, await this.here.compile(request));
    }
    try {
      const data: WorkerData = { jitiDir, cacheFolder: this.cache.folder };
      this.worker ??= new WorkerClient(workerFile, data, () => (this.worker = undefined));
      return await this.worker.compile(request);
    } catch (error) {
      log.error('The compile worker failed; compiling in the extension host instead.', error);
      return this.kept(request, await this.here.compile(request));
    }
  }

  private kept(request: CompileRequest, result: CompileResult): CompileResult {
    if (result.ok) this.cache.write(request, result);
    return result;
  }
}

interface Waiting {
  readonly resolve: (result: CompileResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One worker thread that ends after a minute without work. It keeps the process alive only while it compiles. */
class WorkerClient implements Disposable {
  private readonly thread: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private idle: NodeJS.Timeout | undefined;
  private nextId = 0;

  constructor(
    file: string,
    workerData: WorkerData,
    private readonly onEnd: () => void,
  ) {
    this.thread = new Worker(file, { workerData, stdout: false, stderr: false });
    this.thread.unref();
    this.thread.on('message', (answer: WorkerAnswer) => {
      this.waiting.get(answer.id)?.resolve(answer.result);
      this.settled(answer.id);
    });
    this.thread.on('error', error => this.end(error));
    this.thread.on('exit', () => this.end(new Error('the compile worker ended')));
  }

  compile(request: CompileRequest): Promise<CompileResult> {
    clearTimeout(this.idle);
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.thread.ref();
      const { file, source, hash, async } = request; // A source that is made when it is asked for would not be copied.
      this.thread.postMessage({ file, source, hash, async, id });
    });
  }

  dispose(): void {
    this.end(new Error('the compile worker was stopped'));
    void this.thread.terminate();
  }

  private settled(id: number): void {
    this.waiting.delete(id);
    if (this.waiting.size > 0) return;
    this.thread.unref();
    this.idle = setTimeout(() => this.dispose(), WORKER_IDLE_MS);
    this.idle.unref();
  }

  private end(error: unknown): void {
    clearTimeout(this.idle);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.onEnd();
  }
}
