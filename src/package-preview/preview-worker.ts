import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../base/errors';
import { babelFrom } from '../hook-load/compile/babel';
import type { PackagePreview, PreviewRequest } from './read/preview';
import { readPackage } from './read/read-package';

/** The input of the worker, which reads one package and ends. */
export interface PreviewWork {
  readonly request: PreviewRequest;
  /** Folder of `babel.cjs`. */
  readonly jitiDir: string;
}

/** The only message that the worker sends. */
export type PreviewAnswer =
  { readonly ok: true; readonly preview: PackagePreview } | { readonly ok: false; readonly message: string };

/** Entry of `dist/preview-worker.js`. */
async function serve(port: NonNullable<typeof parentPort>, { request, jitiDir }: PreviewWork): Promise<void> {
  let answer: PreviewAnswer;
  try {
    answer = { ok: true, preview: await readPackage(request, { babel: babelFrom(jitiDir) }) };
  } catch (error) {
    answer = { ok: false, message: messageOf(error) };
  }
  port.postMessage(answer);
}

if (parentPort !== null) void serve(parentPort, workerData as PreviewWork);
