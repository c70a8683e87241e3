import { commandEnvironment, runProcess, STOPPED_CODE } from './process';

/** Options of {@link execCommand}. */
export interface ExecOptions {
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
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
}

/** How long a command may take to end after SIGTERM. */
const EXEC_GRACE_MS = 2000;

/** Most bytes kept of each stream; what a command prints beyond is read and dropped. */
const EXEC_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Runs a command without a shell for a hook; never rejects. A command that cannot be started gives code 1 and empty
 * output. Timeout and abort end the whole tree: SIGTERM, then SIGKILL after the grace time; the result then has
 * `killed: true` and a code that is never 0 (what the command returned, else 128 + signal number). A command ended by
 * a signal from elsewhere also counts as killed (seed v1: "True if killed by signal/timeout").
 */
export async function execCommand(command: string, args: readonly string[], options: ExecOptions): Promise<ExecResult> {
  if (options.signal?.aborted === true) return { stdout: '', stderr: '', code: STOPPED_CODE, killed: true };
  const stdout = new HeadBuffer(EXEC_MAX_BYTES);
  const stderr = new HeadBuffer(EXEC_MAX_BYTES);
  const end = await runProcess({
    command,
    args,
    cwd: options.cwd,
    env: { ...commandEnvironment(process.env), ...options.env },
    signal: options.signal,
    ...(options.input === undefined ? {} : { input: options.input }),
    timeoutMs: options.timeout,
    graceMs: options.graceMs ?? EXEC_GRACE_MS,
    onStdout: chunk => stdout.append(chunk),
    onStderr: chunk => stderr.append(chunk),
  });
  if (end.kind === 'failed') return { stdout: '', stderr: '', code: 1, killed: false };
  const killed = end.kind !== 'exited' || end.exitSignal !== null;
  return { stdout: stdout.text(), stderr: stderr.text(), code: end.code, killed };
}

class HeadBuffer {
  private readonly chunks: Buffer[] = [];
  private room: number;

  constructor(maxBytes: number) {
    this.room = maxBytes;
  }

  append(chunk: Buffer): void {
    if (this.room <= 0) return;
    const kept = chunk.length <= this.room ? chunk : chunk.subarray(0, this.room);
    this.chunks.push(kept);
    this.room -= kept.length;
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
