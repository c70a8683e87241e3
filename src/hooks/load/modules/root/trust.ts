import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type * as properLockfile from 'proper-lockfile';
import { decisionsIn, nearestDecision, textOfDecisions, type Decisions } from '../../../../agent/settings/trust-file';
import { textOfFile } from './sync-session';

type Decision = boolean | null;

interface TrustEntry {
  readonly path: string;
  readonly decision: Decision;
}

/** How often a lock is tried for; 20 ms lie between. */
const TRIES = 50;

/** pi's `ProjectTrustStore`: trust.json of an agent folder, read and written while the caller waits, under pi's lock. */
export function projectTrustStore(lockfile: typeof properLockfile): object {
  return class ProjectTrustStore {
    private readonly path: string;

    constructor(agentDir: string) {
      this.path = join(resolve(agentDir), 'trust.json');
    }

    get(cwd: string): Decision {
      return this.getEntry(cwd)?.decision ?? null;
    }

    /** The decision for a folder or the nearest one above it. @throws Error when the file holds something else */
    getEntry(cwd: string): TrustEntry | null {
      const found = nearestDecision(this.read(), canonical(cwd));
      return found === undefined ? null : { path: found.folder, decision: found.trusted };
    }

    set(cwd: string, decision: Decision): void {
      this.setMany([{ path: cwd, decision }]);
    }

    /** Null takes a decision back. @throws Error when the file holds something else, or is locked for long */
    setMany(updates: readonly TrustEntry[]): void {
      mkdirSync(dirname(this.path), { recursive: true });
      const release = lock(lockfile, this.path);
      try {
        const saved = new Map(this.read());
        for (const { path, decision } of updates) {
          if (decision === null) saved.delete(canonical(path));
          else saved.set(canonical(path), decision);
        }
        writeFileSync(this.path, textOfDecisions(saved));
      } finally {
        release();
      }
    }

    private read(): Decisions {
      const text = textOfFile(this.path);
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
    return resolve(folder); // What is not there keeps its name.
  }
}
