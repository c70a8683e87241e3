import { parentPort } from 'node:worker_threads';
import { shrinkImage } from './shrink-image';

/** Entry of `dist/image-worker.js`: answers each image that it is sent with what {@link shrinkImage} makes of it. */
parentPort?.on('message', (bytes: Uint8Array) => {
  void shrinkImage(bytes).then(shrunk => parentPort?.postMessage({ shrunk }));
});
