import { homedir } from 'node:os';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { InstallFailure } from '../install-failure';
import { callProgram, type ProgramAnswer } from './programs';
import type { ReleaseInfo } from './npm-client';
import type { InstallRun } from './run';

/** How long a question to a repository may take, in ms; as in pi. */
const QUESTION_MS = 10_000;

/** Options that keep git from running programs that a repository or the user's settings name. */
const NOTHING_ELSE_RUNS = [
  ...['-c', 'protocol.ext.allow=never'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
];

/** git as a program that is called, outside of every repository, whose settings therefore have no say. All calls throw what {@link callProgram} does. */
export class GitClient {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /**
   * Clones a repository into an empty folder and goes to `ref` there (a branch, tag or commit; else its main branch).
   * @throws InstallFailure saying why it cannot
   */
  async clone(url: string, ref: string | undefined, folder: string, { signal, progress }: InstallRun): Promise<void> {
    const onLine = (line: string): void => {
      if (/^(?:remote: |Receiving|Resolving|Updating)/.test(line)) progress(line.replace(/^remote: /, '').trim());
    };
    const args = ['clone', '--progress', '--no-recurse-submodules', '--', url, folder];
    await this.run({ args, cwd: homedir(), signal, onLine });
    if (ref !== undefined) await this.run({ args: ['checkout', '--quiet', ref, '--'], cwd: folder, signal });
  }

  /** The commit that a checkout is at; undefined when the folder is none. */
  head(folder: string, signal: AbortSignal): Promise<string | undefined> {
    return this.commitOf('HEAD', folder, signal);
  }

  /** Who wrote the commit that a checkout is at, and when; nothing when the folder is none. */
  async lastChange(folder: string, signal: AbortSignal): Promise<ReleaseInfo> {
    const args = [`--git-dir=${join(folder, '.git')}`, 'log', '-1', '--no-show-signature', '--format=%an%n%cI'];
    const { code, stdout } = await this.call({ args, cwd: homedir(), signal, timeoutMs: QUESTION_MS });
    const [publisher = '', published = ''] = code === 0 ? stdout.trim().split('\n') : [];
    return published === '' ? {} : { publisher, published };
  }

  /** The commit that a name stands for in a checkout; undefined when it is not known there. */
  async commitOf(name: string, folder: string, signal: AbortSignal): Promise<string | undefined> {
    // Named, so that a folder that is not a checkout is not taken for a part of the one above it.
    const repository = `--git-dir=${join(folder, '.git')}`;
    const args = [repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    const { code, stdout } = await this.call({ args, cwd: homedir(), signal, timeoutMs: QUESTION_MS });
    return code === 0 ? stdout.trim() : undefined;
  }

  /** The commit that a name stands for in a repository far away; undefined when it has no such name. @throws InstallFailure */
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
    const env = { ...this.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    return callProgram({ command: 'git', args: [...NOTHING_ELSE_RUNS, ...args], env, ...rest });
  }
}

interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}
