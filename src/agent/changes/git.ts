import { anySignal } from '../../base/async/wait';
import { runGitProcess } from '../tools/shell/git-process';

/** How a git command ended. `stdout` is bytes, because names and contents need not be text. */
export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It printed more than was asked for and was ended. */
  readonly cut: boolean;
}

/** Where and how long one git command may run. */
export interface GitOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** ms */
  readonly timeoutMs?: number;
  /** Most bytes of output; more ends the command. */
  readonly maxBytes?: number;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** The user's environment without the variables that change what git does: it must do the same for everybody. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_/i.test(name)));
}

/** Git takes no lock of the user's repository and asks no questions. */
const QUIETLY = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };

/** Runs git and never rejects; a git that cannot be started gives code 127. */
export async function git(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { cwd, input, env = {}, timeoutMs = 60_000, maxBytes = 256 * 1024 * 1024 } = options;
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let size = 0;
  const stop = new AbortController();
  const end = await runGitProcess({
    args,
    cwd,
    from: withoutGit(process.env),
    set: { ...QUIETLY, ...env },
    timeoutMs,
    isLeaf: true,
    signal: anySignal(stop.signal, options.signal),
    input,
    onStdout: chunk => {
      size += chunk.length;
      if (size <= maxBytes) out.push(chunk);
      else stop.abort();
    },
    onStderr: chunk => {
      if (err.length < 64) err.push(chunk);
    },
  });
  const stderr = Buffer.concat(err).toString('utf8').trim();
  if (end.kind === 'failed') return { code: 127, stdout: Buffer.alloc(0), stderr: end.error.message, cut: false };
  const why = end.kind === 'timeout' ? `git took longer than ${timeoutMs / 1000} s` : stderr;
  return { code: end.code, stdout: Buffer.concat(out), stderr: why, cut: size > maxBytes };
}

/** Splits what git prints with `-z`. */
export function fields(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}
