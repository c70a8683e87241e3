import { parentPort, workerData } from 'node:worker_threads';
import { CompileCache } from './compile-cache';
import { babelFrom } from './babel';
import { compileSource, type CompileRequest, type CompileResult } from './compile';

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
  const babel = babelFrom(jitiDir);
  const cache = new CompileCache(cacheFolder);
  port.on('message', (request: WorkerRequest) => {
    const result = compileSource(babel, request);
    if (result.ok) cache.write(request, result);
    const answer: WorkerAnswer = { id: request.id, result };
    port.postMessage(answer);
  });
}

if (parentPort !== null) serve(parentPort, workerData as WorkerData);
