import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toDisposable, type Disposable } from '../../../base/disposable';
import { newMark, withMark } from '../../../base/ending/mark';
import { StartedTree } from '../../../base/ending/started-tree';
import { unlessAborted, withTimeout } from '../../../base/async/wait';
import { LeftoverProcesses } from './leftover-processes';

/**
 * Takes a piece of output. A returned promise, which must not reject, pauses the stream until it settles, except for
 * the rest that is still in the pipe when the process ends.
 */
export type OutputConsumer = (chunk: Buffer) => void | Promise<void>;

/** What to run and how. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; none when missing, zero, negative or not a number. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL on abort and timeout; 0 kills at once. */
  readonly graceMs?: number;
  /** Ends the child alone, which is quicker: for programs known to start no others. */
  readonly isLeaf?: boolean;
  /** Written to the child's stdin, which is otherwise empty. A child that does not read it is not an error. */
  readonly input?: string;
  readonly onStdout?: OutputConsumer;
  readonly onStderr?: OutputConsumer;
  /** Is called with the child once it runs, which then has an IPC channel. What it sent is there before the end is told. */
  readonly talk?: (child: ChildProcess) => void;
}

/** How a process ended, or that it could not be started. */
export type ProcessEnd = EndedProcess | { readonly kind: 'failed'; readonly error: Error };

/**
 * How a process ended. `code` is what the process returned, or 128 + number of the signal that ended it; after an
 * abort or timeout it is never 0.
 */
export interface EndedProcess {
  readonly kind: 'exited' | 'aborted' | 'timeout';
  readonly code: number;
  /** The signal that ended it; null if it returned a code, or did not begin. */
  readonly exitSignal: NodeJS.Signals | null;
}

/** The code of a process that was stopped before it could return one of its own (128 + SIGTERM). */
export const STOPPED_CODE = 143;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** As in pi: so long after the end of a command, what it started may still print. */
const QUIET_MS = 100;
const QUIET_TURNS = 4;
const DRAIN_LIMIT_MS = 500;
const DRAIN_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Runs a child to its end and never rejects. Abort and timeout end the whole tree, also what left the session or
 * ignores SIGTERM, before this settles. A background process that holds the pipes does not delay it: the end of the
 * child counts, and what the others print later is read and thrown away, so that they do not break.
 */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  if (spec.signal?.aborted === true) return { kind: 'aborted', code: STOPPED_CODE, exitSignal: null };
  const mark = newMark();
  const onwards = spec.isLeaf === true ? undefined : LeftoverProcesses.current;
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, ...withMark(mark), ...onwards?.mark },
      stdio: [
        spec.input === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...(spec.talk === undefined ? [] : ['ipc' as const]),
      ],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
  if (child.pid !== undefined) onwards?.note(child.pid);
  return new ProcessRun(child, spec, new StartedTree(child, mark)).end();
}

/**
 * The environment for commands: the host's own, without what makes VS Code's extension host itself work
 * (`ELECTRON_RUN_AS_NODE` turns every Electron program started by a command into Node), and with pi's marks of a
 * program that an agent started (docs/hooks.md). Without what {@link withholdVariables} names.
 */
export function commandEnvironment(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const internal = /^(ELECTRON_|VSCODE_(?!IPC_HOOK_CLI$|GIT_|INJECTION$|PORTABLE$|SHELL_|ENV_))/i;
  const hidden = new Set([...withheld].flat());
  const passed = Object.entries(host).filter(([name]) => !internal.test(name) && !hidden.has(name.toUpperCase()));
  return { ...Object.fromEntries(passed), ...AGENT_MARKS };
}

/** Variables that no command gets, by who withholds them. They count for all, as the environment of the process does. */
const withheld = new Set<readonly string[]>();

/** Keeps these variables out of {@link commandEnvironment} until it is disposed, whoever else withholds them or does not. */
export function withholdVariables(names: readonly string[]): Disposable {
  const own = names.map(name => name.toUpperCase());
  withheld.add(own);
  return toDisposable(() => withheld.delete(own));
}

/** What programs that are started for one folder get in their environment, beside that of the process; asked at each start. */
export type FolderVariables = () => Readonly<Record<string, string>>;

/** These variables tell a program that an agent like pi runs it. */
export const AGENT_MARKS = { AI_AGENT: 'pi', PI_CODING_AGENT: 'true' } as const;

type Stop = 'aborted' | 'timeout';
type Exit = { readonly code: number; readonly exitSignal: NodeJS.Signals | null } | { readonly error: Error };

class ProcessRun {
  private readonly exited: Promise<Exit>;
  private readonly closed: Promise<void>;
  /** Resolves when the child can send nothing more. */
  private readonly told: Promise<unknown>;
  private hasClosed = false;
  private bytes = 0;
  private readonly heldBack = new Set<Promise<void>>();

  constructor(
    private readonly child: ChildProcess,
    private readonly spec: ProcessSpec,
    private readonly tree: StartedTree,
  ) {
    this.closed = new Promise(resolve =>
      child.once('close', () => {
        this.hasClosed = true;
        resolve();
      }),
    );
    this.told = spec.talk === undefined ? Promise.resolve() : new Promise(resolve => child.once('disconnect', resolve));
    this.exited = new Promise(resolve => {
      child.once('error', error => {
        if (child.pid === undefined) resolve({ error });
      });
      child.once('exit', (code, exitSignal) => {
        resolve({ code: code ?? signalCode(exitSignal), exitSignal });
      });
    });
    this.listen(child.stdout, spec.onStdout);
    this.listen(child.stderr, spec.onStderr);
    // If a child closes its stdin early, the write fails with EPIPE. That is not an error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(spec.input);
    if (child.pid !== undefined) spec.talk?.(child);
  }

  async end(): Promise<ProcessEnd> {
    const stop = await this.exitOrStop();
    if (stop !== undefined) await this.endTree();
    const exit = await this.exited;
    if ('error' in exit) return { kind: 'failed', error: exit.error };
    await this.drain();
    this.letGo(this.child.stdout);
    this.letGo(this.child.stderr);
    if (stop === undefined) return { kind: 'exited', ...exit };
    return { ...exit, kind: stop, code: exit.code === 0 ? STOPPED_CODE : exit.code };
  }

  private exitOrStop(): Promise<Stop | undefined> {
    const { signal, timeoutMs = 0 } = this.spec;
    const exited = this.exited.then(() => undefined);
    const stopped = unlessAborted(exited, signal, () => 'aborted' as const);
    if (timeoutMs <= 0) return stopped;
    return withTimeout(stopped, Math.min(timeoutMs, LONGEST_TIMER_MS), () => 'timeout' as const);
  }

  private async endTree(): Promise<void> {
    if (this.spec.isLeaf === true) this.tree.endAlone();
    else await this.tree.end(this.spec.graceMs);
  }

  private listen(stream: Readable | null, consumer: OutputConsumer | undefined): void {
    if (stream === null) return;
    // Read errors end the stream; earlier output counts.
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      const held = consumer?.(chunk);
      if (held === undefined) return;
      stream.pause();
      const over = held.finally(() => {
        this.heldBack.delete(over);
        stream.resume();
      });
      this.heldBack.add(over);
    });
  }

  /**
   * Reads what is still in the pipes; stops when they close, fall quiet, or someone else keeps filling them. After a
   * while a background process that prints now and then no longer counts: a few turns without output are enough.
   */
  private async drain(): Promise<void> {
    const atExit = this.bytes;
    const deadline = Date.now() + DRAIN_LIMIT_MS;
    await withTimeout(this.told, DRAIN_LIMIT_MS, () => undefined);
    while (this.bytes - atExit <= DRAIN_LIMIT_BYTES) {
      const before = this.bytes;
      if (Date.now() < deadline) await withTimeout(this.closed, QUIET_MS, () => undefined);
      if (this.heldBack.size > 0) {
        // A pipe that was held back says only afterwards whether there is more.
        await Promise.race(this.heldBack);
        continue;
      }
      // Timers run before pending reads: let those happen before calling the pipes quiet.
      await quietTurns();
      if (this.hasClosed || (this.bytes === before && this.heldBack.size === 0)) break;
    }
    await Promise.allSettled(this.heldBack);
  }

  private letGo(stream: Readable | null): void {
    if (stream === null || stream.destroyed || stream.readableEnded) return;
    stream.removeAllListeners('data');
    stream.resume();
    if (stream instanceof Socket) stream.unref();
  }
}

async function quietTurns(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
}

function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal];
}
