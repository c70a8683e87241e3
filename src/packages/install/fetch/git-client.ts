import { homedir } from 'node:os';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { InstallFailure } from '../install-failure';
import { callGit, type ProgramAnswer } from './programs';
import type { ReleaseInfo } from './npm-client';
import type { InstallRun } from './run';

/** How long a query of a repository may take, in ms; the same as in pi. */
const QUESTION_MS = 10_000;

/** Options that prevent git from running programs that a repository or the user's settings name. */
const NOTHING_ELSE_RUNS = [
  ...['-c', 'protocol.ext.allow=never'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
];

/**
 * Calls git. Most calls run outside of repositories, so that settings of a repository have no effect. All calls reject
 * as {@link callGit} does.
 */
export class GitClient {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /**
   * Clones a repository into an empty folder and checks out `ref` (a branch, tag or commit; the main branch if
   * undefined).
   * @throws InstallFailure that says why it cannot
   */
  async clone(url: string, ref: string | undefined, folder: string, { signal, progress }: InstallRun): Promise<void> {
    const onLine = (line: string): void => {
      if (/^(?:remote: |Receiving|Resolving|Updating)/.test(line)) progress(line.replace(/^remote: /, '').trim());
    };
    const args = ['clone', '--progress', '--no-recurse-submodules', '--', url, folder];
    await this.run({ args, cwd: homedir(), signal, onLine });
    if (ref !== undefined) await this.run({ args: ['checkout', '--quiet', ref, '--'], cwd: folder, signal });
  }

  /** The current commit of a checkout; undefined when the folder is not a checkout. */
  head(folder: string, signal: AbortSignal): Promise<string | undefined> {
    return this.commitOf('HEAD', folder, signal);
  }

  /** The author and date of the current commit of a checkout; empty when the folder is not a checkout. */
  async lastChange(folder: string, signal: AbortSignal): Promise<ReleaseInfo> {
    const args = [`--git-dir=${join(folder, '.git')}`, 'log', '-1', '--no-show-signature', '--format=%an%n%cI'];
    const { code, stdout } = await this.call({ args, cwd: homedir(), signal, timeoutMs: QUESTION_MS });
    const [publisher = '', published = ''] = code === 0 ? stdout.trim().split('\n') : [];
    return published === '' ? {} : { publisher, published };
  }

  /** The commit that a name means in a checkout; undefined when the checkout does not know the name. */
  async commitOf(name: string, folder: string, signal: AbortSignal): Promise<string | undefined> {
    // `--git-dir` prevents git from using a repository above the folder when the folder is not a checkout.
    const repository = `--git-dir=${join(folder, '.git')}`;
    const args = [repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    const { code, stdout } = await this.call({ args, cwd: homedir(), signal, timeoutMs: QUESTION_MS });
    return code === 0 ? stdout.trim() : undefined;
  }

  /** The commit that a name means in a remote repository; undefined when it has no such name. @throws InstallFailure */
  async remoteCommit(url: string, name: string, signal: AbortSignal): Promise<string | undefined> {
    const args = ['ls-remote', '--', url, name];
    const { stdout } = await this.run({ args, cwd: homedir(), signal, timeoutMs: QUESTION_MS });
    return /^([0-9a-f]{40,64})\s/m.exec(stdout)?.[1];
  }

  private async run(call: GitCall): Promise<ProgramAnswer> {
    const answer = await this.call(call);
    if (answer.code === 0) return answer;
    const lines = answer.stderr.split(/[\r\n]+/).filter(line => /^(?:fatal|error|ssh|remote: error)/i.test(line));
    throw new InstallFailure(
      l10n.t(
        'git {0} failed: {1}',
        call.args.find(arg => !arg.startsWith('-')) ?? '',
        lines.join(' ') || l10n.t('it ended with code {0}', answer.code),
      ),
    );
  }

  private call({ args, ...rest }: GitCall): Promise<ProgramAnswer> {
    const call = { args: [...NOTHING_ELSE_RUNS, ...args], env: this.env, ...rest };
    return callGit(call, { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' });
  }
}

interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}
