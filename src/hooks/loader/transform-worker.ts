import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { compileSource, type BabelTransform, type CompileRequest } from './compile';

/** One message to the worker. */
export interface WorkerRequest extends CompileRequest {
  readonly id: number;
}

/** Entry of `dist/transform-worker.js`: compiles what it is sent, one message after the other. `workerData`: the folder of `babel.cjs`. */
const jitiDir = String(workerData);
// A bare module of CommonJS: it has no types, its shape is BabelTransform.
const babel = createRequire(join(jitiDir, 'from-here.cjs'))('./babel.cjs') as BabelTransform;

parentPort?.on('message', (request: WorkerRequest) => {
  parentPort?.postMessage({ id: request.id, result: compileSource(babel, request) });
});
