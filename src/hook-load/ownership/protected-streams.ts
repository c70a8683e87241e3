import type * as fs from 'node:fs';
import { devNull } from 'node:os';
import { isRecord } from '../../base/json/is-record';

/** In a process whose stdin and stdout carry a protocol, code of hooks gets an empty stdin, and stderr as its stdout. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

const PATHS: ReadonlyMap<unknown, string> = new Map([
  ...['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].map(path => [path, devNull] as const),
  ...['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].map(path => [path, '/dev/stderr'] as const),
]);

/** Functions of `node:fs` whose first argument is a path or a file descriptor, also those that only read or only write. */
const TO_FILES =
  /^(?:open|openAsBlob|read|readv|readFile|write|writev|writeFile|appendFile|createReadStream|createWriteStream)(?:Sync)?$/;

/**
 * The option `stdio` of a child, in which the streams of the process are replaced. Undefined stays, since such a child has pipes,
 * unless it `inherits` by default, as one of `fork` does; that one also needs a channel for messages.
 */
export function protectedStdio(given: unknown, inherits: boolean): unknown {
  if (given === undefined || given === null) return inherits ? ['ignore', STDERR, STDERR, 'ipc'] : given;
  if (given === 'inherit') return ['ignore', STDERR, STDERR, ...(inherits ? ['ipc'] : [])];
  return Array.isArray(given) ? given.map(protectedStream) : given;
}

/** One entry of such a list: `inherit`, a file descriptor, or a stream that has one. */
function protectedStream(entry: unknown, index: number): unknown {
  const fd = entry === 'inherit' ? index : isRecord(entry) ? entry['fd'] : entry;
  if (fd === STDIN) return 'ignore';
  return fd === STDOUT ? STDERR : entry;
}

/** Members of `node:fs` or `node:fs/promises` that use other files in place of the streams of the process. */
export function protectedFiles(
  module: object,
  real: Pick<typeof fs, 'openSync' | 'read' | 'write' | 'writev'>,
): Readonly<Record<string, unknown>> {
  let empty: number | undefined;
  const other = (file: unknown): unknown => {
    if (file === STDIN) return (empty ??= real.openSync(devNull, 'r'));
    return file === STDOUT ? STDERR : (PATHS.get(file) ?? file);
  };
  // What is used in place of a stream is not closed with it.
  const kept = { ...real, close: (_fd: number, done: (error: null) => void) => done(null) };
  const replaced = (args: readonly unknown[]): readonly unknown[] => {
    const [file, options, ...rest] = args;
    if (!isRecord(options) || (options['fd'] !== STDIN && options['fd'] !== STDOUT)) {
      return [other(file), ...args.slice(1)];
    }
    return [file, { ...options, fd: other(options['fd']), fs: kept }, ...rest];
  };
  const apply = (target: () => unknown, self: unknown, args: readonly unknown[]): unknown =>
    Reflect.apply(target, self, replaced(args)) as unknown;
  const members = Object.entries(module).filter(([name, value]) => TO_FILES.test(name) && typeof value === 'function');
  return Object.fromEntries(members.map(([name, value]) => [name, new Proxy(value as () => unknown, { apply })]));
}
