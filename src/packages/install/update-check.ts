import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../base/json/is-record';
import type { DeclaredPackage } from '../declared';
import type { GitClient } from './fetch/git-client';
import type { NpmClient } from './fetch/npm-client';
import { entryExists } from './replace-folder';
import { markerOf, type GitSource } from './fetch/git-download';
import { versionIn, type NpmSource } from './fetch/npm-download';
import { compareVersions, isExactVersion } from './version-order';

/** Whether the installed package is the one that its declaration asks for. `from` and `to` are versions, or commits. */
export type UpdateState =
  | { readonly type: 'current' }
  | { readonly type: 'missing' }
  | { readonly type: 'outdated'; readonly from: string; readonly to: string }
  /** The right commit is there, but an update did not end or dependencies are missing. */
  | { readonly type: 'incomplete' };

/** The programs that the check calls. */
export interface UpdateSources {
  readonly npm: NpmClient;
  readonly git: GitClient;
}

/**
 * Compares what is installed with what the registry or the repository has now. A pinned version, tag or commit is compared
 * without using the network. Throws what the programs throw.
 */
export async function checkForUpdate(
  { npm, git }: UpdateSources,
  { source, folder }: Pick<DeclaredPackage, 'source' | 'folder'>,
  signal: AbortSignal,
): Promise<UpdateState> {
  if (source.type === 'local') return { type: 'current' };
  if (source.type === 'git') return checkGit(git, source, folder, signal);
  return checkNpm(npm, source, folder, signal);
}

async function checkNpm(
  npm: NpmClient,
  { name, version }: NpmSource,
  folder: string,
  signal: AbortSignal,
): Promise<UpdateState> {
  const from = await versionIn(folder);
  if (from === undefined) return { type: 'missing' };
  if (version !== undefined && isExactVersion(version)) {
    const to = version.replace(/^v/, '');
    return to === from ? { type: 'current' } : { type: 'outdated', from, to };
  }
  const to = await npm.newestVersion(version === undefined ? name : `${name}@${version}`, signal);
  return compareVersions(to, from) > 0 ? { type: 'outdated', from, to } : { type: 'current' };
}

async function checkGit(
  git: GitClient,
  { url, ref }: GitSource,
  folder: string,
  signal: AbortSignal,
): Promise<UpdateState> {
  if (!(await entryExists(folder))) return { type: 'missing' };
  const from = await git.head(folder, signal);
  if (from === undefined) return { type: 'missing' };
  const to = await wantedCommit(git, { url, ref, folder }, signal);
  if (to !== undefined && to !== from) return { type: 'outdated', from, to };
  const isWhole = !(await entryExists(markerOf(folder))) && !(await lacksDependencies(folder));
  return isWhole ? { type: 'current' } : { type: 'incomplete' };
}

/** The commit that a ref means: a branch is looked up in the remote repository, a tag or commit in the checkout. */
async function wantedCommit(
  git: GitClient,
  { url, ref, folder }: { readonly url: string; readonly ref: string | undefined; readonly folder: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (ref === undefined) return git.remoteCommit(url, 'HEAD', signal);
  const isBranch = (await git.commitOf(`refs/remotes/origin/${ref}`, folder, signal)) !== undefined;
  if (isBranch) return git.remoteCommit(url, `refs/heads/${ref}`, signal);
  const known = await git.commitOf(ref, folder, signal);
  return known ?? ref; // A ref that the checkout does not know differs from its commit, so the package is outdated.
}

async function lacksDependencies(folder: string): Promise<boolean> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch {
    return false; // There is no valid package.json that lists dependencies.
  }
  if (!isRecord(manifest) || !isRecord(manifest['dependencies'])) return false;
  const there = Object.keys(manifest['dependencies']).map(name => entryExists(join(folder, 'node_modules', name)));
  return (await Promise.all(there)).includes(false);
}
