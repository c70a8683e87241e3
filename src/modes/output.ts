/** The process's own stdout, kept for what the mode has to say, and its stderr. */
export interface Output {
  /** Writes to stdout. */
  write(text: string): void;
  /** Writes one value as one line of JSON, newlines inside of it escaped. */
  json(value: unknown): void;
  /** Writes a line to stderr. */
  complain(text: string): void;
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>;
}

/**
 * Takes stdout over: what others print there (a hook's `console.log`) goes to stderr, so that it can never break a
 * protocol or mix with an answer. `onClosed` is called when nobody reads any more.
 */
export function takeOverStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, onClosed: () => void): Output {
  const write = stdout.write.bind(stdout);
  const raw = (text: string, done?: () => void): void => {
    write(text, done);
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
      stderr.write(`${text}\n`);
    },
    flush: async () => {
      await new Promise<void>(resolve => raw('', () => resolve()));
      await new Promise<void>(resolve => stderr.write('', () => resolve()));
    },
  };
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
