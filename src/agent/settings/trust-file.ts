import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { noteOwnText, readCountedText, refuseHeldText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { makeFolders } from '../../base/files/make-folders';
import { realPathIfThere } from '../../base/files/on-disk';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { withFileLock } from '../models/keys/file-lock';
import { replaceFile } from '../tools/files/writing/replace-file';

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
   * @throws Error naming the file when it cannot be read, or when what it says about these folders is no decision
   */
  async nearest(folder: string): Promise<SavedTrust | undefined> {
    return nearestDecision(await this.read(), await canonical(folder), this.path);
  }

  /** Saves a decision for a folder. @throws as {@link change} */
  save(folder: string, trusted: boolean): Promise<void> {
    return this.change([{ folder, trusted }]);
  }

  /**
   * Saves all decisions or none of them. If `trusted` is undefined, the saved decision is removed. Everything else in the file is
   * kept.
   * @throws Error naming the file when it cannot be read or written
   */
  async change(
    decisions: readonly { readonly folder: string; readonly trusted: boolean | undefined }[],
  ): Promise<void> {
    await makeFolders(dirname(this.path));
    await withFileLock(this.path, async () => {
      const before = await this.read();
      const saved = new Map(before);
      for (const { folder, trusted } of decisions) {
        const key = await canonical(folder);
        if (trusted === undefined) saved.delete(key);
        else saved.set(key, trusted);
      }
      if (isDeepStrictEqual(saved, before)) return;
      const text = textOfDecisions(saved);
      refuseHeldText(this.path);
      await replaceFile(this.path, text);
      noteOwnText(this.path, text);
    });
  }

  /** All that is saved. @throws Error naming the file when it cannot be read */
  async read(): Promise<Decisions> {
    try {
      return decisionsIn(await readCountedText(this.path), this.path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
      if (!(error instanceof Error) || !('code' in error)) throw error;
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** What trust.json says, by folder: true, false, null (not a decision), or something that only a newer pi knows. */
export type Decisions = ReadonlyMap<string, unknown>;

/** @throws Error naming the file, when its text is not a JSON object */
export function decisionsIn(text: string, path: string): Decisions {
  let value: unknown;
  try {
    value = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(value)) throw new Error(`${path} must hold a JSON object.`);
  return new Map(Object.entries(value));
}

/**
 * The decision for a folder (by its canonical path) or the nearest one above it.
 * @throws Error naming the file `path`, when its value for such a folder is neither true, false nor null
 */
export function nearestDecision(saved: Decisions, folder: string, path: string): SavedTrust | undefined {
  for (let at = folder, above = dirname(at); ; at = above, above = dirname(at)) {
    const trusted = saved.get(at) ?? undefined;
    if (typeof trusted === 'boolean') return { trusted, folder: at };
    if (trusted !== undefined) throw new Error(`${path}: the value of "${at}" must be true, false or null.`);
    if (above === at) return undefined;
  }
}

/** The text of trust.json. */
export function textOfDecisions(saved: Decisions): string {
  const sorted = [...saved].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

/** Parts of a folder that may run code or influence the agent. A folder with one of them needs a decision. */
const PROTECTED = [
  ...['settings.json', 'mcp.json', 'extensions', 'hooks', 'rules', 'skills', 'prompts', 'commands', 'themes'],
  ...['SYSTEM.md', 'APPEND_SYSTEM.md'],
].map(name => join('.pi', name));
const PROTECTED_OF_OMP = ['hooks', 'rules'].map(name => join('.omp', name));
/** In the home folder, these belong to the user. */
const PROTECTED_BELOW_HOME = ['hooks', 'skills'].map(name => join('.claude', name));
const SHARED_SKILLS = join('.agents', 'skills');

/**
 * What trust in the folder decides about, as paths from there; `.agents/skills` counts in the folders above, too.
 * `named` are further paths from the folder that count if something is there.
 */
export function protectedParts(cwd: string, named: readonly string[] = []): readonly string[] {
  const home = realPathIfThere(homedir());
  const isHome = (folder: string): boolean => realPathIfThere(folder) === home;
  const belowHome = isHome(cwd) ? [] : PROTECTED_BELOW_HOME;
  const own = [...PROTECTED, ...PROTECTED_OF_OMP, ...belowHome, ...named].filter(part => existsSync(join(cwd, part)));
  const shared = foldersFrom(cwd)
    .map(folder => ({ folder, skills: join(folder, SHARED_SKILLS) }))
    .filter(({ folder, skills }) => existsSync(skills) && !isHome(folder));
  return [...own, ...shared.map(({ skills }) => relative(cwd, skills))];
}

/** Whether the folder has anything that trust decides about. */
export function hasProtectedParts(cwd: string): boolean {
  return protectedParts(cwd).length > 0;
}

function foldersFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}

/** The path with links resolved, as in saved decisions; a missing path stays as it is. */
export async function canonical(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}
