import type { ChildProcess } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { commandEnvironment } from '../../agent/tools/shell/process';
import { newMark, withMark } from '../../base/ending/mark';
import { StartedTree } from '../../base/ending/started-tree';
import { messageOf } from '../../base/errors';
import { deferred, withTimeout } from '../../base/async/wait';
import { MessageLines } from './message-lines';

/** A program to start, with all values resolved. */
export interface StdioSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Variables to add to the environment that commands get. */
  readonly env: Readonly<Record<string, string>>;
}

/** How long a server may take to end after its input was closed, and then after SIGTERM, in ms; the same as in pi. */
const STDIN_GRACE_MS = 500;
const TERM_GRACE_MS = 2_000;

/**
 * Talks to a server over the input and output of its process, which leads its own process group. It replaces the
 * library's transport, which ends only the process itself: this one also ends all processes that the server started.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private child: ChildProcess | undefined;
  private tree: StartedTree | undefined;
  private readonly exited = deferred();
  private isClosed = false;
  private ended: string | undefined;

  /** `onStderr` gets what the server prints to stderr. */
  constructor(
    private readonly spec: StdioSpec,
    private readonly onStderr: (text: string) => void,
  ) {}

  /** Why the server ended, for messages; undefined while it runs. */
  get endedBecause(): string | undefined {
    return this.ended;
  }

  /** @throws when the program cannot be started, or was stopped before */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.spec;
    // Loaded only here: the package is only needed to find files such as `npx.cmd` on Windows.
    const { default: spawn } = await import('cross-spawn');
    if (this.isClosed) throw new Error('It was stopped.');
    const mark = newMark();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...commandEnvironment(process.env), ...env, ...withMark(mark) },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.child = child;
    this.tree = new StartedTree(child, mark);
    const lines = new MessageLines({
      onMessage: message => this.onmessage?.(message),
      onError: error => this.onerror?.(error),
      onTooLong: reason => this.giveUp(reason),
    });
    child.stdout?.on('data', (chunk: Buffer) => lines.read(chunk));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.onStderr(text));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      // When a server ends, its pipes fail; the `exit` event reports the end.
      stream?.on('error', () => undefined);
    }
    child.once('exit', (code, signal) => {
      this.ended ??=
        signal === null ? `its process ended with code ${code ?? 0}` : `its process was ended by ${signal}`;
      this.exited.resolve();
      // Wait for the last output, but not for long: another process may keep the pipe open.
      void withTimeout(closed(child), STDIN_GRACE_MS, () => undefined).then(() => this.close());
    });
    await started(child, cwd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin?.writable !== true || this.isClosed) throw new Error('Not connected');
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the server and all it started: closes its input, then sends SIGTERM, then SIGKILL. Never rejects. */
  async close(): Promise<void> {
    if (this.isClosed) {
      await this.exited.promise;
      return;
    }
    this.isClosed = true;
    this.onclose?.();
    const { child, tree } = this;
    if (child?.pid === undefined) {
      this.exited.resolve();
      return;
    }
    child.stdin?.end();
    await withTimeout(this.exited.promise, STDIN_GRACE_MS, () => undefined);
    await tree?.end(TERM_GRACE_MS);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  private giveUp(reason: string): void {
    this.ended = reason;
    this.onerror?.(new Error(reason));
    void this.close();
  }
}

/** Resolves when the program has started. Rejects with the system's message when it cannot be started. */
function started(child: ChildProcess, cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', error => {
      reject(new Error(`"${child.spawnfile}" cannot be started in ${cwd}: ${messageOf(error)}`, { cause: error }));
    });
  });
}

function closed(child: ChildProcess): Promise<void> {
  return new Promise(resolve => child.once('close', () => resolve()));
}
