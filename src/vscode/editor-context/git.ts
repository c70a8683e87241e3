import { devNull } from 'node:os';
import { runGitProcess } from '../../agent/tools/shell/git-process';

/** Most output of git that is kept, in bytes. It is more than is ever sent, so that the sender notices that it must cut. */
const MOST_BYTES = 4 * 1024 * 1024;
const LIMIT_MS = 20_000;

/** Overrides settings of a repository that would make git start a program even when it only reads. */
const LOOKING_ONLY = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'diff.autoRefreshIndex=false'];

/** How a git command ended; `missing`: git is not installed. */
export interface GitEnd {
  readonly code: number;
  readonly output: string;
  readonly missing: boolean;
}

/**
 * Runs a git command that only reads. Git does not start programs that the repository's configuration names, because
 * somebody else may have written it. Never rejects: a command that cannot start ends with `missing`.
 */
export async function readGit(
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<GitEnd> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await runGitProcess({
    args: [...LOOKING_ONLY.flatMap(setting => ['-c', setting]), ...args],
    cwd,
    from: process.env,
    set: { ...asVariables(settings), GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' },
    timeoutMs: LIMIT_MS,
    onStdout: chunk => {
      if (bytes < MOST_BYTES) chunks.push(chunk);
      bytes += chunk.length;
    },
  });
  const output = Buffer.concat(chunks).toString('utf8');
  return end.kind === 'failed' ? { code: -1, output, missing: true } : { code: end.code, output, missing: false };
}

/** Runs `git diff` with these arguments as {@link readGit} does: without external diff programs, converters or filters. */
export async function readGitDiff(cwd: string, args: readonly string[]): Promise<GitEnd> {
  const quiet = ['--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--submodule=short'];
  return readGit(cwd, ['diff', ...quiet, ...args], await withoutOwnFilters(cwd));
}

/**
 * Settings that disable the filters which the repository itself defines. Filters of the user, such as Git LFS, stay:
 * without them, every file that they changed would differ.
 */
async function withoutOwnFilters(cwd: string): Promise<Readonly<Record<string, string>>> {
  const query = ['config', '--includes', '--show-scope', '--name-only', '--get-regexp', String.raw`^filter\.`];
  const { output } = await readGit(cwd, query);
  const own = output
    .split('\n')
    .flatMap(line => /^(?:local|worktree)\t(.+\.)(?:clean|process|required)$/.exec(line)?.[1] ?? []);
  return Object.fromEntries(
    own.flatMap(filter => [
      [`${filter}clean`, ''],
      [`${filter}process`, ''],
      [`${filter}required`, 'false'],
    ]),
  );
}

/** Passes settings as environment variables, because a name with `=` in it would be misread on the command line. */
function asVariables(settings: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(settings);
  const numbered = all.flatMap(([key, value], index): (readonly [string, string])[] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return all.length === 0 ? {} : { GIT_CONFIG_COUNT: String(all.length), ...Object.fromEntries(numbered) };
}
