import { parentPort, workerData } from 'node:worker_threads';
import { CompileCache } from './compile-cache';
import type { CompileRequest, CompileResult } from './compile';
import { ModuleCompiler } from './module-compiler';

/** The `workerData` of the worker. */
export interface WorkerData {
  /** Folder of `babel.cjs`. */
  readonly jitiDir: string;
  readonly cacheFolder: string;
}

/** One message to the worker. */
export interface WorkerRequest extends CompileRequest {
  readonly id: number;
}

/** One message from the worker. */
export interface WorkerAnswer {
  readonly id: number;
  readonly result: CompileResult;
}

/** Entry of `dist/transform-worker.js`: compiles each file that it is sent, writes the cache, and answers. */
function serve(port: NonNullable<typeof parentPort>, { jitiDir, cacheFolder }: WorkerData): void {
  const compiler = new ModuleCompiler(jitiDir);
  const cache = new CompileCache(cacheFolder);
  const answer = async (request: WorkerRequest): Promise<void> => {
    const result = await compiler.compile(request);
    if (result.ok) cache.write(request, result);
    port.postMessage({ id: request.id, result } satisfies WorkerAnswer);
  };
  port.on('message', (request: WorkerRequest) => void answer(request));
}

if (parentPort !== null) serve(parentPort, workerData as WorkerData);
