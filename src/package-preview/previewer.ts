import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors';
import { unlessAborted, withTimeout } from '../base/async/wait';
import { babelFrom } from '../hook-load/compile/babel';
import type { InstalledPackage } from '../packages/installed';
import { manifestSummary } from './read/manifest-summary';
import { packageFiles } from './read/package-files';
import type { PackagePreview, PreviewRequest } from './read/preview';
import type { PreviewAnswer, PreviewWork } from './preview-worker';
import { readPackage } from './read/read-package';

/** What {@link Previewer} needs. */
export interface PreviewerOptions {
  /** Path of `dist/preview-worker.js`; if it does not exist, packages are read on the calling thread. */
  readonly workerFile: string;
  /** Folder of `babel.cjs`. */
  readonly jitiDir: string;
}

/** The worker is stopped after this time, in ms. It stops sooner on its own, but only between two files. */
const GIVE_UP_MS = 120_000;
const MEMORY_MB = 1_500;

/** Reads packages off the calling thread, each in its own worker. */
export class Previewer {
  constructor(private readonly options: PreviewerOptions) {}

  /**
   * Finds out what a package would do, without running it, and what could not be read. Rejects only when `signal`
   * aborts.
   */
  async preview(request: PreviewRequest, signal?: AbortSignal): Promise<PackagePreview> {
    signal?.throwIfAborted();
    const hasWorker = existsSync(this.options.workerFile);
    const answer = hasWorker ? await this.inWorker(request, signal) : await this.here(request);
    signal?.throwIfAborted();
    return answer.ok ? answer.preview : await unreadPreview(request, answer.message);
  }

  private async here(request: PreviewRequest): Promise<PreviewAnswer> {
    const { jitiDir } = this.options;
    return { ok: true, preview: await readPackage(request, { babel: babelFrom(jitiDir) }) };
  }

  private async inWorker(request: PreviewRequest, signal: AbortSignal | undefined): Promise<PreviewAnswer> {
    const { workerFile, jitiDir } = this.options;
    const workerData: PreviewWork = { request, jitiDir };
    const worker = new Worker(workerFile, {
      workerData,
      stdout: false,
      stderr: false,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const noAnswer = (message: string): PreviewAnswer => ({ ok: false, message });
    const answer = new Promise<PreviewAnswer>(resolve => {
      worker.once('message', resolve);
      worker.once('error', error => resolve(noAnswer(messageOf(error))));
      worker.once('exit', () => resolve(noAnswer('the thread that read it ended')));
    });
    try {
      return await withTimeout(
        unlessAborted(answer, signal, () => noAnswer('it was canceled')),
        GIVE_UP_MS,
        () => noAnswer(`it took longer than ${GIVE_UP_MS / 1_000} s`),
      );
    } finally {
      void worker.terminate();
    }
  }
}

/** The request to preview everything that an installed package offers, including parts that settings turn off. */
export function previewRequest({ declared, parts }: InstalledPackage): PreviewRequest {
  const kinds = { skills: 'skill', prompts: 'prompt', themes: 'theme' } as const;
  return {
    folder: declared.folder,
    extensions: parts.filter(({ kind }) => kind === 'extensions').map(({ path }) => path),
    resources: parts.flatMap(({ kind, path }) => (kind === 'extensions' ? [] : [{ kind: kinds[kind], path }])),
  };
}

/** The preview of a package whose code cannot be read. */
async function unreadPreview({ folder }: PreviewRequest, stopped: string): Promise<PackagePreview> {
  const { about, scripts } = await manifestSummary(folder);
  const { files, isCut } = await packageFiles(folder);
  return {
    about,
    folder,
    size: { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), isCut },
    claims: scripts,
    compatibility: { used: 0, dialect: { id: 'ext', because: 'its code was not read', overridden: false } },
    read: { parsed: 0, searched: 0, unread: [], stopped },
  };
}
