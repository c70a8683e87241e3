import { devNull } from 'node:os';
import { commandEnvironment, runProcess } from '../../agent/tools/shell/process';

/** More than is ever sent, so that a cut is noticed. */
const MOST_BYTES = 4 * 1024 * 1024;
const LIMIT_MS = 20_000;

/** Settings by which the configuration of a repository could have git start a program while it only looks. */
const LOOKING_ONLY = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'diff.autoRefreshIndex=false'];

/** How a git command ended; `missing`: git is not installed. */
export interface GitEnd {
  readonly code: number;
  readonly output: string;
  readonly missing: boolean;
}

/**
 * Runs a git command that only looks, without running what the configuration of the repository names: somebody else may
 * have written that. Never rejects.
 */
export async function readGit(
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<GitEnd> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await runProcess({
    command: 'git',
    args: [...LOOKING_ONLY.flatMap(setting => ['-c', setting]), ...args],
    cwd,
    env: {
      ...commandEnvironment(process.env),
      ...asVariables(settings),
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
    },
    timeoutMs: LIMIT_MS,
    onStdout: chunk => {
      if (bytes < MOST_BYTES) chunks.push(chunk);
      bytes += chunk.length;
    },
  });
  const output = Buffer.concat(chunks).toString('utf8');
  return end.kind === 'failed' ? { code: -1, output, missing: true } : { code: end.code, output, missing: false };
}

/** `git diff` with these further arguments, see {@link readGit}: no foreign diff, text conversion or filter is run. */
export async function readGitDiff(cwd: string, args: readonly string[]): Promise<GitEnd> {
  const quiet = ['--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--submodule=short'];
  return readGit(cwd, ['diff', ...quiet, ...args], await withoutOwnFilters(cwd));
}

/** Empties the filters that the repository itself defines; those of the user (Git LFS) stay, or every file would differ. */
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

/** As variables: on the command line a name with `=` in it would set something else. */
function asVariables(settings: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(settings);
  const numbered = all.flatMap(([key, value], index): (readonly [string, string])[] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return all.length === 0 ? {} : { GIT_CONFIG_COUNT: String(all.length), ...Object.fromEntries(numbered) };
}
