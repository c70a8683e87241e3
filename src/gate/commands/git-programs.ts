import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields, git, type GitResult } from '../../agent/changes/git';
import { isReachable } from '../../base/files/on-disk';
import { realPathOf } from '../calls/real-path';

/** How long one question to git may take, in ms. */
const LIMIT_MS = 5_000;
/** Of an index with a longer list, it is not known whether it has submodules. */
const MOST_INDEX_BYTES = 64 * 1024 * 1024;

/** Where git is asked. */
export interface GitQuestion {
  /** Absolute real path of the folder in which the command would run. */
  readonly cwd: string;
  /** Whether a tool that reads may read here without a question. */
  readonly mayRead: (real: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether a git command that only reads starts no other program in a folder, and reads only what tools may read. git itself
 * is asked for its configuration, which starts nothing: keys that name programs, hooks that follow a refreshed index, and
 * submodules, whose own configuration counts in them. Never rejects; false when it is not known.
 */
export async function gitStartsNothing(question: GitQuestion): Promise<boolean> {
  const { cwd, signal } = question;
  const ask = (...args: readonly string[]): Promise<GitResult> =>
    git(args, { cwd, timeoutMs: LIMIT_MS, maxBytes: MOST_INDEX_BYTES, ...(signal === undefined ? {} : { signal }) });
  const where = await ask(
    ...['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    ...['--git-path', 'hooks'],
  );
  const [top, gitDir, commonDir, hooks, ...others] = where.stdout.toString().replace(/\n$/, '').split('\n');
  if (where.code !== 0 || top === undefined || gitDir === undefined || commonDir === undefined) return false;
  if (hooks === undefined || others.length > 0 || isReachable(join(hooks, 'post-index-change'))) return false;
  if (!isOwnRepository({ top, gitDir, commonDir }, question)) return false;
  const config = await ask('config', '--list', '-z', '--show-scope');
  if (config.code !== 0 || config.cut || configNamesProgram(fields(config.stdout))) return false;
  const index = await ask('ls-files', '-z', '--stage');
  return index.code === 0 && !index.cut && !fields(index.stdout).some(entry => entry.startsWith('160000 '));
}

interface RepositoryPlaces {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Whether tools may read the files, and the history is with them or knows them as one of its worktrees. */
function isOwnRepository({ top, gitDir, commonDir }: RepositoryPlaces, { mayRead }: GitQuestion): boolean {
  const [realTop, realGit, realCommon] = [top, gitDir, commonDir].map(path => realPathOf(path));
  if (realTop === undefined || realGit === undefined || realCommon === undefined || !mayRead(realTop)) return false;
  if (realGit === join(realTop, '.git')) return realCommon === realGit;
  return realGit.startsWith(join(realCommon, 'worktrees', '/')) && worktreeOf(realGit) === join(realTop, '.git');
}

/** The `.git` file to which the history's record of a worktree points. */
function worktreeOf(gitDir: string): string | undefined {
  try {
    return realPathOf(readFileSync(join(gitDir, 'gitdir'), 'utf8').trim());
  } catch {
    return undefined; // Not a worktree, or one that cannot be read.
  }
}

/**
 * Whether a configuration, as fields `scope`, `key\nvalue`, …, makes a reading command start a program, or fetch. Output
 * goes to a pipe, so a pager starts in no case; one that the repository itself names counts nevertheless.
 */
export function configNamesProgram(listed: readonly string[]): boolean {
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [scope = '', entry = ''] = [listed[at], listed[at + 1]];
    const end = entry.indexOf('\n');
    const key = (end < 0 ? entry : entry.slice(0, end)).toLowerCase();
    const isOfUser = scope === 'system' || scope === 'global';
    if (namesProgram(key, end < 0 ? 'true' : entry.slice(end + 1).toLowerCase(), isOfUser)) return true;
  }
  return listed.length % 2 !== 0;
}

function namesProgram(key: string, value: string, isOfUser: boolean): boolean {
  if (/^diff\.(?:external|.*\.command|.*\.textconv)$/s.test(key)) return true;
  if (/^filter\..*\.(?:clean|smudge|process)$/s.test(key) || /^hook\..*\.command$/s.test(key)) return true;
  if (/^(?:extensions\.partialclone|remote\..*\.(?:promisor|partialclonefilter))$/s.test(key)) return true;
  if (key === 'core.fsmonitor') return !isSwitch(value);
  if (key === 'log.showsignature') return !isSwitch(value) || /^(?:true|yes|on|1)$/.test(value);
  if (key === 'diff.submodule') return value === 'diff';
  if (/^(?:pretty\..*|format\.pretty)$/s.test(key)) return value.includes('%g');
  if (key === 'core.pager' || /^gpg\.(?:.*\.)?program$/s.test(key)) return !isOfUser;
  return /^pager\./.test(key) && !isOfUser && !isSwitch(value);
}

/** Whether git reads a value as yes or no. */
function isSwitch(value: string): boolean {
  return /^(?:true|yes|on|1|false|no|off|0|)$/.test(value);
}
