import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { isRecord } from '../../base/json/is-record';
import { deferred } from '../../base/async/wait';
import type { EarlyLook } from '../../packages/approval/early-looks';
import type { PackagePlaces } from '../../packages/package-source';
import type { HelperData } from './helper-messages';

/** The thread needs little memory, and V8 would let its heap grow to the size of what it throws away, in MB. */
const MOST_YOUNG_MB = 2;

/**
 * Starts the thread that helps the main one. It watches hooks once it gets the `WatchdogData`, and does not keep the process
 * running.
 */
export function startHelper(distDir: string, workerData: HelperData = {}): Worker {
  const thread = new Worker(join(distDir, 'helper.cjs'), {
    workerData,
    transferList: workerData.looks === undefined ? [] : [workerData.looks.port],
    resourceLimits: { maxYoungGenerationSizeMb: MOST_YOUNG_MB },
    stdout: false,
    stderr: false,
  });
  thread.unref();
  return thread;
}

/** How long a look counts, in ms. The start can wait long for something else, such as a command that prints a key. */
const FRESH_MS = 1_000;

/** A helper that looks at the user's packages while the main thread loads its own code. */
export class EarlyHelper {
  private looks: Promise<Map<string, EarlyLook>>;
  private thread: Worker | undefined;

  private constructor(
    distDir: string,
    sources: readonly string[],
    places: PackagePlaces,
    private readonly freshMs: number,
  ) {
    const { port1: receives, port2: port } = new MessageChannel();
    const answer = deferred<readonly EarlyLook[]>();
    receives.once('message', (looks: readonly EarlyLook[]) => answer.resolve(looks));
    receives.once('close', () => answer.resolve([])); // The thread has ended.
    this.looks = answer.promise.then(looks => new Map(looks.map(look => [look.folder, look])));
    this.thread = startHelper(distDir, { looks: { sources, places, port } });
    this.thread.once('error', () => (this.thread = undefined));
  }

  /** Starts a helper if the user's settings name packages. `freshMs`: how long its looks count. */
  static start(distDir: string, places: PackagePlaces, freshMs = FRESH_MS): EarlyHelper | undefined {
    const sources = sourcesIn(join(places.agentDir, 'settings.json'));
    return sources.length === 0 ? undefined : new EarlyHelper(distDir, sources, places, freshMs);
  }

  /** See `PackageApprovalParts`. */
  async takeLook(folder: string): Promise<EarlyLook | undefined> {
    const looks = await this.looks;
    const look = looks.get(folder);
    looks.delete(folder);
    return look !== undefined && Math.abs(Date.now() - look.at) < this.freshMs ? look : undefined;
  }

  /** To be called after the first load of hooks: files may change before the next one. */
  dropLooks(): void {
    this.looks = Promise.resolve(new Map<string, EarlyLook>());
  }

  /** Gives the thread to the first caller, if it has not failed. */
  takeThread(): Worker | undefined {
    const { thread } = this;
    this.thread = undefined;
    return thread;
  }
}

/** The sources in `packages` of a settings file; none when it cannot be read, which is reported elsewhere. */
function sourcesIn(file: string): readonly string[] {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries: unknown = isRecord(settings) ? settings['packages'] : undefined;
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown) => {
      const source = isRecord(entry) ? entry['source'] : entry;
      return typeof source === 'string' ? [source] : [];
    });
  } catch {
    return [];
  }
}
