import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/is-record';
import { withFileLock } from '../../agent/models/keys/file-lock';

/** A decision that was saved for a folder, and which folder that is. */
export interface SavedTrust {
  readonly trusted: boolean;
  /** Absolute; the folder asked about or one above it. */
  readonly folder: string;
}

/**
 * pi's `<agent-dir>/trust.json`: canonical paths of folders with `true` or `false`. It is read anew each time, and written
 * only when {@link save} is called, under the lock that pi takes.
 */
export class TrustFile {
  readonly path: string;

  constructor(agentDir: string) {
    this.path = join(agentDir, 'trust.json');
  }

  /**
   * The decision for the nearest folder at or above `folder`; undefined when none was saved.
   * @throws Error naming the file when it cannot be read or holds something else
   */
  async nearest(folder: string): Promise<SavedTrust | undefined> {
    const saved = await this.read();
    for (let at = await canonical(folder), above = dirname(at); ; at = above, above = dirname(at)) {
      const trusted = saved.get(at);
      if (typeof trusted === 'boolean') return { trusted, folder: at };
      if (above === at) return undefined;
    }
  }

  /** Saves a decision for a folder. @throws Error naming the file when it cannot be read or written */
  async save(folder: string, trusted: boolean): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    await withFileLock(this.path, async () => {
      const saved = new Map(await this.read());
      const key = await canonical(folder);
      if (saved.get(key) === trusted) return;
      saved.set(key, trusted);
      const sorted = [...saved].sort(([a], [b]) => (a < b ? -1 : 1));
      await replace(this.path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    });
  }

  private async read(): Promise<ReadonlyMap<string, boolean | null>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
    const entries = this.parse(text);
    const wrong = entries.find(([, value]) => value !== null && typeof value !== 'boolean');
    if (wrong !== undefined) throw new Error(`${this.path}: the value of "${wrong[0]}" must be true, false or null.`);
    return new Map(entries as [string, boolean | null][]);
  }

  private parse(text: string): [string, unknown][] {
    let value: unknown;
    try {
      value = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch (error) {
      throw new Error(`${this.path} is not JSON: ${messageOf(error)}`, { cause: error });
    }
    if (!isRecord(value)) throw new Error(`${this.path} must hold a JSON object.`);
    return Object.entries(value);
  }
}

/** The path without links, as saved decisions have it; what is not there keeps its name. */
async function canonical(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

async function replace(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content, 'utf8');
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
