import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type * as properLockfile from 'proper-lockfile';
import { decisionsIn, nearestDecision, textOfDecisions, type Decisions } from '../../../../agent/settings/trust-file';
import { countedText, noteOwnText, refuseHeldText } from '../../../../base/files/counted-text';
import { textOfFile } from '../sessions/sync-session';

type Decision = boolean | null;

interface TrustEntry {
  readonly path: string;
  readonly decision: Decision;
}

/** How often to try to get the lock, every 20 ms. */
const TRIES = 50;

/** pi's `ProjectTrustStore`: reads trust.json of an agent folder, and writes it under pi's lock, both synchronously. */
export function projectTrustStore(lockfile: typeof properLockfile): object {
  return class ProjectTrustStore {
    private readonly path: string;

    constructor(agentDir: string) {
      this.path = join(resolve(agentDir), 'trust.json');
    }

    get(cwd: string): Decision {
      return this.getEntry(cwd)?.decision ?? null;
    }

    /**
     * The decision for a folder or the nearest folder above it; null if none.
     * @throws Error when the file is not valid
     */
    getEntry(cwd: string): TrustEntry | null {
      const found = nearestDecision(this.read(), canonical(cwd), this.path);
      return found === undefined ? null : { path: found.folder, decision: found.trusted };
    }

    set(cwd: string, decision: Decision): void {
      this.setMany([{ path: cwd, decision }]);
    }

    /**
     * Stores decisions; null removes one.
     * @throws Error when the file is not valid, or stays locked for about a second
     */
    setMany(updates: readonly TrustEntry[]): void {
      mkdirSync(dirname(this.path), { recursive: true });
      const release = lock(lockfile, this.path);
      try {
        const saved = new Map(this.read());
        for (const { path, decision } of updates) {
          if (decision === null) saved.delete(canonical(path));
          else saved.set(canonical(path), decision);
        }
        const text = textOfDecisions(saved);
        refuseHeldText(this.path);
        writeFileSync(this.path, text);
        noteOwnText(this.path, text);
      } finally {
        release();
      }
    }

    private read(): Decisions {
      const counted = countedText(this.path);
      const text = counted === undefined ? textOfFile(this.path) : counted.text;
      return text === undefined ? new Map() : decisionsIn(text, this.path);
    }
  };
}

function lock(lockfile: typeof properLockfile, file: string): () => void {
  for (let attempt = 1; ; attempt++) {
    try {
      return lockfile.lockSync(file, { realpath: false });
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'ELOCKED';
      if (!isTaken || attempt === TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function canonical(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder); // A folder that does not exist has no real path.
  }
}
