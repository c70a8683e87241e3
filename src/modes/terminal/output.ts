import { hideSecrets } from '../../base/text/redact';

/** The process's own stdout, kept for what the mode has to say, and its stderr. */
export interface Output {
  /** Writes to stdout. */
  write(text: string): void;
  /** Writes one value as one line of JSON, newlines inside of it escaped. */
  json(value: unknown): void;
  /** Writes a line to stderr, without secrets. */
  complain(text: string): void;
  /** Settles when the reader of stdout has caught up, or is gone; undefined when it does not lag behind. */
  whenTaken(): Promise<void> | undefined;
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>;
}

/**
 * Takes stdout over: what others print there (a hook's `console.log`) goes to stderr, so that it can never break a
 * protocol or mix with an answer. `onClosed` is called when nobody reads any more.
 */
export function takeOverStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, onClosed: () => void): Output {
  const write = stdout.write.bind(stdout);
  let lag: Promise<void> | undefined;
  const raw = (text: string, done?: () => void): void => {
    if (write(text, done) || lag !== undefined) return;
    lag = caughtUp(stdout).then(() => {
      lag = undefined;
    });
  };
  Object.assign(stdout, { write: stderr.write.bind(stderr) });
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (stream === stdout || error.code !== 'EPIPE') onClosed();
    });
  }
  return {
    write: text => raw(text),
    json: value => raw(`${toJson(value)}\n`),
    complain: text => {
      stderr.write(`${hideSecrets(text)}\n`);
    },
    whenTaken: () => lag,
    flush: async () => {
      await new Promise<void>(resolve => raw('', () => resolve()));
      await new Promise<void>(resolve => stderr.write('', () => resolve()));
    },
  };
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

/** JSON of anything: what hooks put into details may hold what JSON cannot. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle or a big integer somewhere inside: the slow way marks it and keeps the rest.
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
