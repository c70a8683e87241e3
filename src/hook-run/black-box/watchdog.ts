import { readFileSync } from 'node:fs';
import type { Session } from 'node:inspector';
import type { MessagePort } from 'node:worker_threads';
import { hashOf } from '../../base/files/hash-of';
import type { StopRecord } from '../../hook-load/files/stop-record';
import { CELL, type WatchdogData, type WatchdogMessage } from './watchdog-messages';
import { placeInStack, removeStop, writeStop, type StopPlace, type WatchedCode } from './write-stop';

const TICK_MS = 1_000;

/** Throws nothing and changes nothing, wherever it is run. */
const STACK = `(() => {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 200;
  Error.prepareStackTrace = undefined;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  return stack;
})()`;

type KnownHook = Extract<WatchdogMessage, { type: 'hook' }>;
type KnownWork = Extract<WatchdogMessage, { type: 'code' }>;

/**
 * Asks the main thread each second whether it still runs. While it does not, and a hook is at work or on its stack, a
 * file has the facts about that. The file is removed when the main thread continues, so a file that is left after the
 * end of the process names the cause. A machine that sleeps stops both threads, which counts as one second.
 */
class Watchdog {
  private readonly hooks = new Map<string, KnownHook>();
  private readonly work = new Map<number, KnownWork>();
  private asked = 0;
  private silentMs = 0;
  private tickedAt = performance.now();
  private isWritten = false;
  private session: Session | undefined;
  private stack: string | undefined;

  constructor(
    private readonly data: WatchdogData,
    private readonly port: MessagePort,
  ) {
    port.on('message', (message: WatchdogMessage) => {
      if (message.type === 'hook') this.hooks.set(message.path, message);
      else this.work.set(message.number, message);
    });
    setInterval(() => this.tick(), TICK_MS);
  }

  private tick(): void {
    const { cells, limitMs } = this.data;
    const now = performance.now();
    const gap = Math.min(now - this.tickedAt, TICK_MS);
    this.tickedAt = now;
    if (Atomics.load(cells, CELL.answered) === this.asked) {
      if (this.silentMs > 0) this.goesOn();
      this.port.postMessage(++this.asked);
    } else if (Atomics.load(cells, CELL.debugged) === 0) {
      this.silentMs += gap;
      if (this.silentMs >= limitMs) this.stalls();
    }
  }

  private goesOn(): void {
    this.silentMs = 0;
    this.stack = undefined;
    this.session?.disconnect();
    this.session = undefined;
    if (this.isWritten) removeStop(this.data.dir, this.data.id);
    this.isWritten = false;
  }

  private stalls(): void {
    const { dir, id, cells, process } = this.data;
    this.session ??= this.askForStack();
    const codes = [...this.hooks.values()].map(codeOf);
    const place = this.stack === undefined ? undefined : placeInStack(this.stack, codes);
    const work = this.work.get(Atomics.load(cells, CELL.at));
    // A stack that names no hook clears the one that waits for something meanwhile.
    const blamed = this.stack === undefined ? codes.find(({ hook }) => hook === work?.hook) : place?.code;
    if (blamed === undefined) {
      if (this.isWritten) removeStop(dir, id);
      this.isWritten = false;
      return;
    }
    const event = work?.hook === blamed.hook ? { event: work.event } : {};
    writeStop(dir, id, {
      version: 1,
      ...blamed,
      why: 'stalled',
      ms: this.silentMs,
      ...event,
      ...lineOf(place),
      process,
    });
    this.isWritten = true;
  }

  /** Works within loops and regular expressions; a native call answers when it is over. */
  private askForStack(): Session {
    const session = new (process.getBuiltinModule('node:inspector').Session)(); // Few threads ever need it.
    session.connectToMainThread();
    session.post('Runtime.evaluate', { expression: STACK, returnByValue: true }, (error, answer) => {
      const text: unknown = error === null ? answer.result.value : undefined;
      if (this.session === session && typeof text === 'string') this.stack = text;
    });
    return session;
  }
}

function lineOf(place: StopPlace | undefined): Partial<Pick<StopRecord, 'file' | 'line'>> {
  return place === undefined ? {} : { file: place.file, line: place.line };
}

function codeOf({ path, sources, gatesTools }: KnownHook): WatchedCode {
  const known = sources.map(source => ({ path: source.path, hash: source.hash ?? hashOfFile(source.path) }));
  return { hook: path, sources: known, gatesTools };
}

function hashOfFile(path: string): string {
  try {
    return hashOf(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return ''; // It is gone: what comes in its place is another file.
  }
}

/** Watches the main thread from the calling one. `port`: to the main thread, which sends each {@link WatchdogMessage}. */
export function watchMainThread(data: WatchdogData, port: MessagePort): void {
  new Watchdog(data, port);
}
