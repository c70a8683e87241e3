import { join } from 'node:path';
import { Previewer } from '../../package-preview/previewer';
import type { CodePlace } from '../../startup/hook-setup';

/** Makes a previewer that reads packages in the worker of this copy of Hookline. */
export function createPreviewer({ distDir, jitiDir }: CodePlace): Previewer {
  return new Previewer({ workerFile: join(distDir, 'preview-worker.js'), jitiDir });
}
