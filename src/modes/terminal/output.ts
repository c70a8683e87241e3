import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../../base/json/is-record';
import { dataFor, jsonFor, printErrorTo } from './print';
import type { StopRequest } from './stop-request';

/** The output of a mode: the process's stdout, to which only the mode writes, and its stderr. */
export interface Output {
  /** Writes to stdout: exactly this text, in which a terminal gets hidden characters marked. */
  write(text: string): void;
  /** Writes one value as one line of JSON, newlines inside of it escaped. */
  json(value: unknown): void;
  /** Writes a line to stderr, without secrets. */
  printError(text: string): void;
  /**
   * Resolves when the reader of stdout has read everything or has closed it, or when the process is asked to stop;
   * undefined when nothing waits to be read.
   */
  whenDrained(): Promise<void> | undefined;
  /**
   * Resolves when everything written so far was passed on to the operating system, with the error if it could not be
   * written, such as to a full disk. If the reader has closed stdout, the process is only asked to stop.
   */
  flush(): Promise<Error | undefined>;
  /** What waits to be read, in bytes. */
  readonly unread: number;
  /** Resolves when something waits to be read, and for `ms` the reader took nothing of it. */
  whenIgnored(ms: number): Promise<void>;
}

/**
 * Takes over stdout: what other code prints there, such as a hook's `console.log`, goes to stderr, so that it cannot
 * break the protocol or mix with an answer. When the reader has closed stdout, the process is asked to stop.
 */
export function takeOverStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, stop: StopRequest): Output {
  const write = stdout.write.bind(stdout);
  let lag: Promise<void> | undefined;
  let failure: Error | undefined;
  const raw = (text: string, done?: () => void): void => {
    if (write(text, done) || lag !== undefined || stop.code !== undefined) return;
    lag = Promise.race([caughtUp(stdout), stop.requested]).then(() => {
      lag = undefined;
    });
  };
  Object.assign(stdout, { write: stderr.write.bind(stderr) });
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (stream === stdout && error.code !== 'EPIPE') failure ??= error;
      if (stream === stdout || error.code !== 'EPIPE') stop.ask(1);
    });
  }
  return {
    write: text => raw(dataFor(stdout, text)),
    json: value => raw(`${jsonFor(stdout, toJson(value))}\n`),
    printError: text => printErrorTo(stderr, text),
    whenDrained: () => lag,
    flush: async () => {
      await new Promise<void>(resolve => raw('', () => resolve()));
      if (stdout.errored !== null) stop.ask(1);
      await new Promise<void>(resolve => stderr.write('', () => resolve()));
      return failure;
    },
    get unread() {
      return stdout.writableLength;
    },
    whenIgnored: ms => whenIgnored(stdout, ms),
  };
}

/** How often is looked in the time in which a reader may take nothing. */
const LOOKS = 10;

/** A stream that cannot lag, such as a file, is never ignored. */
async function whenIgnored(
  stream: Pick<NodeJS.WriteStream, 'bytesWritten' | 'writableLength'>,
  ms: number,
): Promise<void> {
  // One write may have many bytes: only the handle knows how many of them the system still has to take.
  const handle: unknown = Reflect.get(stream, '_handle');
  const queued = (): unknown => (isRecord(handle) ? handle['writeQueueSize'] : undefined);
  for (let before: readonly unknown[] = [], idle = 0; idle < LOOKS;) {
    const now = [stream.bytesWritten - stream.writableLength, queued()];
    idle = stream.writableLength > 0 && isDeepStrictEqual(now, before) ? idle + 1 : 0;
    before = now;
    await sleep(ms / LOOKS, undefined, { ref: false });
  }
}

function caughtUp(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.on(event, done);
  });
}

/** Converts any value to JSON, also values that JSON does not support, which hooks may put into details. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a cycle or a big integer. The slow way replaces these and keeps the rest.
    return JSON.stringify(plain(value, []));
  }
}

function plain(value: unknown, parents: readonly unknown[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (parents.includes(value)) return '[circular]';
  const inside = [...parents, value];
  if (Array.isArray(value)) return value.map(member => plain(member, inside));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member, inside)]));
}
