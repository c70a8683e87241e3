import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { commandEnvironment } from '../../agent/tools/shell/process';
import { killTree } from '../../agent/tools/shell/kill-tree';
import { orphans } from '../../agent/tools/shell/orphans';
import { messageOf } from '../../base/errors';
import { deferred, withTimeout } from '../../base/wait';
import { MessageLines } from './message-lines';

/** A program to start; all of it resolved. */
export interface StdioSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the environment that commands get. */
  readonly env: Readonly<Record<string, string>>;
}

/** How long a server may take to end after its input was closed, and then after SIGTERM, in ms; as in pi. */
const STDIN_GRACE_MS = 500;
const TERM_GRACE_MS = 2_000;

/**
 * Talks to a server over the input and output of its process, which is the head of a process group of its own. In place of
 * the library's transport, which ends the process alone: here all that grew from it ends with it.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private child: ChildProcess | undefined;
  private readonly marker = `HOOKLINE_TREE_${randomBytes(8).toString('hex')}`;
  private readonly exited = deferred();
  private hasExited = false;
  private isClosed = false;
  private ended: string | undefined;

  /** `onStderr` gets what the server prints for people. */
  constructor(
    private readonly spec: StdioSpec,
    private readonly onStderr: (text: string) => void,
  ) {}

  /** Why the connection is gone, for people; undefined while it is not, or when it was closed here. */
  get endedBecause(): string | undefined {
    return this.ended;
  }

  /** @throws when the program cannot be started */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.spec;
    // Late: its only merit is to find `npx.cmd` and the like on Windows.
    const { default: spawn } = await import('cross-spawn');
    orphans.begin();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...commandEnvironment(process.env), ...env, [this.marker]: '1', ...orphans.mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.child = child;
    const { pid } = child;
    if (pid !== undefined) {
      orphans.started(pid, this.marker);
      child.once('exit', () => orphans.ended(pid));
    }
    const lines = new MessageLines({
      onMessage: message => this.onmessage?.(message),
      onError: error => this.onerror?.(error),
      onTooLong: reason => this.giveUp(reason),
    });
    child.stdout?.on('data', (chunk: Buffer) => lines.read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.onStderr(chunk.toString('utf8')));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      // A server that ended breaks its pipes. Its `exit` event reports the end.
      stream?.on('error', () => undefined);
    }
    child.once('exit', (code, signal) => {
      this.hasExited = true;
      this.ended ??=
        signal === null ? `its process ended with code ${code ?? 0}` : `its process was ended by ${signal}`;
      this.exited.resolve();
      // What it printed last is still in the pipe; somebody else may hold that open, and is not waited for.
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

  /** Ends the server and all it started: its input closes, then SIGTERM, then SIGKILL. Never rejects. */
  async close(): Promise<void> {
    if (this.isClosed) {
      await this.exited.promise;
      return;
    }
    this.isClosed = true;
    this.onclose?.();
    const { child } = this;
    if (child?.pid === undefined) {
      this.exited.resolve();
      return;
    }
    child.stdin?.end();
    await withTimeout(this.exited.promise, STDIN_GRACE_MS, () => undefined);
    await killTree({ pid: child.pid, marker: this.marker, isRootAlive: () => !this.hasExited }, TERM_GRACE_MS);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  private giveUp(reason: string): void {
    this.ended = reason;
    this.onerror?.(new Error(reason));
    void this.close();
  }
}

/** @throws Error with the words of the system when the program cannot be started */
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
