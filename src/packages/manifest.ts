import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../base/errors';
import { isRecord } from '../base/json/is-record';
import type { Problem } from '../base/result';
import { PART_KINDS, type PartFilters } from './part-filter';

/** The members of a package's package.json that are used here. */
export interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  /** Paths and patterns from the member `pi`; undefined if there are none: then its folders count. */
  readonly parts?: PartFilters;
  /** URLs to show in a gallery. */
  readonly image?: string;
  readonly video?: string;
  /** As written; empty if the package does not want a changelog to be shown. */
  readonly changelogPath?: string;
  /** Names of `dependencies` and `optionalDependencies`. */
  readonly dependencies: readonly string[];
  /** Names of `peerDependencies`, such as the packages of the pi that it is written for. */
  readonly peers?: readonly string[];
}

const EMPTY: PackageManifest = { dependencies: [] };

/**
 * Reads the package.json of a folder; a missing file counts as empty. Adds a problem for a file that cannot be read and
 * for each invalid list of `pi`, and ignores it.
 */
export async function readManifest(folder: string, problems: Problem[]): Promise<PackageManifest> {
  const file = join(folder, 'package.json');
  let content: unknown;
  try {
    const text = await readFile(file, 'utf8');
    content = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'ENOTDIR'].includes(code)) {
      problems.push({ file, message: `package.json cannot be read: ${messageOf(error)}` });
    }
    return EMPTY;
  }
  if (!isRecord(content)) {
    problems.push({ file, message: 'package.json must be a JSON object.' });
    return EMPTY;
  }
  const pi = isRecord(content['pi']) ? content['pi'] : {};
  const parts = partsOf(pi, file, problems);
  return {
    ...texts(content, ['name', 'version', 'description']),
    ...texts(pi, ['image', 'video', 'changelogPath']),
    ...(Object.keys(parts).length === 0 ? {} : { parts }),
    dependencies: [...namesIn(content['dependencies']), ...namesIn(content['optionalDependencies'])],
    peers: namesIn(content['peerDependencies']),
  };
}

function namesIn(list: unknown): readonly string[] {
  return isRecord(list) ? Object.keys(list) : [];
}

function partsOf(pi: Readonly<Record<string, unknown>>, file: string, problems: Problem[]): PartFilters {
  const fields = PART_KINDS.flatMap(kind => {
    const entries: unknown = pi[kind];
    if (entries === undefined) return [];
    if (Array.isArray(entries) && entries.every(entry => typeof entry === 'string')) return [[kind, entries]];
    problems.push({ file, message: `"pi.${kind}" is not used; it must be a list of texts.` });
    return [];
  });
  return Object.fromEntries(fields) as PartFilters;
}

function texts<K extends string>(from: Readonly<Record<string, unknown>>, keys: readonly K[]): { [P in K]?: string } {
  const found = keys.flatMap(key => (typeof from[key] === 'string' ? [[key, from[key]]] : []));
  return Object.fromEntries(found) as { [P in K]?: string };
}
