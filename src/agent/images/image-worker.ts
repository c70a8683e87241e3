import { parentPort } from 'node:worker_threads';
import type { ImageLimits } from './image-limits';
import { shrinkImage } from './shrink-image';

/** A request to the worker. */
export interface ShrinkRequest {
  readonly bytes: Uint8Array;
  readonly limits: ImageLimits;
}

/** Entry of `dist/image-worker.js`: answers each image that it is sent with what {@link shrinkImage} makes of it. */
parentPort?.on('message', ({ bytes, limits }: ShrinkRequest) => {
  void shrinkImage(bytes, limits).then(shrunk => parentPort?.postMessage({ shrunk }));
});
