import { constants } from 'node:buffer';
import { anySignal } from '../../../base/async/wait';
import { commandEnvironment, runProcess, STOPPED_CODE } from './process';

/** Options of {@link execCommand}. */
export interface ExecOptions {
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  /** Bytes of both streams together after which the command is ended; {@link EXEC_MAX_BYTES} when missing. */
  readonly maxBuffer?: number | undefined;
  /** Added to the host's environment. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Written to the command's stdin, which is otherwise empty. */
  readonly input?: string | undefined;
  /** Milliseconds between SIGTERM and SIGKILL; {@link EXEC_GRACE_MS} when missing. */
  readonly graceMs?: number;
}

/** What hooks get from `pi.exec` and `ctx.exec`. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly killed: boolean;
  /** It printed more than `maxBuffer` and was ended for it. */
  readonly truncated: boolean;
}

/** How long a command may take to end after SIGTERM. */
const EXEC_GRACE_MS = 5000;

/** As in today's pi. */
const EXEC_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Runs a command without a shell for a hook; rejects only for a `maxBuffer` that cannot be one. A command that cannot be started gives code 1 and the reason
 * as its error output. Timeout, abort and too much output end the whole tree: SIGTERM, then SIGKILL after the grace time; the result
 * then has `killed: true` and a code that is never 0 (what the command returned, else 128 + signal number). A command
 * ended by a signal from elsewhere also counts as killed, as in pi.
 */
export async function execCommand(command: string, args: readonly string[], options: ExecOptions): Promise<ExecResult> {
  const { maxBuffer = EXEC_MAX_BYTES } = options;
  if (!Number.isInteger(maxBuffer) || maxBuffer < 0 || maxBuffer > constants.MAX_STRING_LENGTH) {
    throw new RangeError(`maxBuffer must be an integer between 0 and ${constants.MAX_STRING_LENGTH} bytes`);
  }
  if (options.signal?.aborted === true) {
    return { stdout: '', stderr: '', code: STOPPED_CODE, killed: true, truncated: false };
  }
  const flood = new AbortController();
  const room = new Room(maxBuffer, () => flood.abort());
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const end = await runProcess({
    command,
    args,
    cwd: options.cwd,
    env: { ...commandEnvironment(process.env), ...options.env },
    signal: anySignal(options.signal, flood.signal),
    input: options.input,
    timeoutMs: options.timeout,
    graceMs: options.graceMs ?? EXEC_GRACE_MS,
    onStdout: chunk => room.keep(chunk, stdout),
    onStderr: chunk => room.keep(chunk, stderr),
  });
  const truncated = flood.signal.aborted;
  if (end.kind === 'failed') return { stdout: '', stderr: end.error.message, code: 1, killed: false, truncated };
  const killed = truncated || end.kind !== 'exited' || end.exitSignal !== null;
  const code = truncated && end.code === 0 ? STOPPED_CODE : end.code;
  return { stdout: decoded(stdout), stderr: decoded(stderr), code, killed, truncated };
}

/** The space that two streams share. Output beyond it is dropped, which is reported once. */
class Room {
  constructor(
    private left: number,
    private readonly onFull: () => void,
  ) {}

  keep(chunk: Buffer, into: Buffer[]): void {
    if (chunk.length > this.left) this.onFull();
    const kept = chunk.subarray(0, this.left);
    this.left -= kept.length;
    if (kept.length > 0) into.push(kept);
  }
}

function decoded(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
