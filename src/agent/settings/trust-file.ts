import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readRegularText } from '../../base/regular-file';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { withFileLock } from '../models/keys/file-lock';
import { replaceFile } from '../tools/files/replace-file';

/** A decision that was saved for a folder, and which folder that is. */
export interface SavedTrust {
  readonly trusted: boolean;
  /** Absolute; the folder asked about or one above it. */
  readonly folder: string;
}

/**
 * pi's `<agent-dir>/trust.json`: canonical paths of folders with `true` or `false`. It is read again each time, and written
 * only when {@link change} is called, under the lock that pi takes.
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
    return nearestDecision(await this.read(), await canonical(folder));
  }

  /** Saves a decision for a folder. @throws as {@link change} */
  save(folder: string, trusted: boolean): Promise<void> {
    return this.change([{ folder, trusted }]);
  }

  /**
   * Saves decisions, all or none of them; where `trusted` is undefined the one that was saved is forgotten.
   * @throws Error naming the file when it cannot be read or written
   */
  async change(
    decisions: readonly { readonly folder: string; readonly trusted: boolean | undefined }[],
  ): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    await withFileLock(this.path, async () => {
      const before = await this.read();
      const saved = new Map(before);
      for (const { folder, trusted } of decisions) {
        const key = await canonical(folder);
        if (trusted === undefined) saved.delete(key);
        else saved.set(key, trusted);
      }
      if (isDeepStrictEqual(saved, before)) return;
      await replaceFile(this.path, textOfDecisions(saved));
    });
  }

  private async read(): Promise<Decisions> {
    try {
      return decisionsIn(await readRegularText(this.path), this.path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
      if (!(error instanceof Error) || !('code' in error)) throw error;
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** What trust.json says, by folder; null is not a decision. */
export type Decisions = ReadonlyMap<string, boolean | null>;

/** @throws Error naming the file, when its text holds something else */
export function decisionsIn(text: string, path: string): Decisions {
  let value: unknown;
  try {
    value = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(value)) throw new Error(`${path} must hold a JSON object.`);
  const entries = Object.entries(value);
  const wrong = entries.find(([, decision]) => decision !== null && typeof decision !== 'boolean');
  if (wrong !== undefined) throw new Error(`${path}: the value of "${wrong[0]}" must be true, false or null.`);
  return new Map(entries as [string, boolean | null][]);
}

/** The decision for a folder (by its canonical path) or the nearest one above it. */
export function nearestDecision(saved: Decisions, folder: string): SavedTrust | undefined {
  for (let at = folder, above = dirname(at); ; at = above, above = dirname(at)) {
    const trusted = saved.get(at);
    if (typeof trusted === 'boolean') return { trusted, folder: at };
    if (above === at) return undefined;
  }
}

/** The text of trust.json. */
export function textOfDecisions(saved: Decisions): string {
  const sorted = [...saved].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

/** Parts of a folder that may run code or influence the agent. The user is asked only if there are some. */
const PROTECTED = [
  ...['settings.json', 'mcp.json', 'extensions', 'hooks', 'rules', 'skills', 'prompts', 'themes'],
  ...['SYSTEM.md', 'APPEND_SYSTEM.md'],
].map(name => join('.pi', name));
const PROTECTED_ELSEWHERE = [join('.omp', 'hooks'), join('.claude', 'hooks'), join('.claude', 'skills')];

/** Whether the folder has anything that trust decides about; `.agents/skills` counts in the folders above, too. */
export function hasProtectedParts(cwd: string): boolean {
  if ([...PROTECTED, ...PROTECTED_ELSEWHERE].some(part => existsSync(join(cwd, part)))) return true;
  const home = homedir();
  for (let at = cwd, above = dirname(at); ; at = above, above = dirname(at)) {
    if (at !== home && existsSync(join(at, '.agents', 'skills'))) return true;
    if (above === at) return false;
  }
}

/** The path with links resolved, as in saved decisions; a missing path stays as it is. */
export async function canonical(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}
