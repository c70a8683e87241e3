import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { defined } from '../../../base/defined';
import { anySignal } from '../../../base/async/wait';
import { ABORTED_TEXT } from '../tool';
import { compileGlob, nameGlobOf, type PathMatcher } from './glob';
import { runProcess } from '../shell/process';
import { oddIgnoreFileAbove, oddIgnoreFileBelow } from './odd-ignore-file';
import { RipgrepUnavailableError } from './ripgrep';
import { isMissingProgram, withMemoryLimit } from './search-limits';
import { comparePaths, GrepCollector, type GrepLine, type GrepQuery, type GrepResult } from './search';

const COMMON_ARGUMENTS = [
  '--no-config',
  '--color=never',
  '--hidden',
  '--no-require-git',
  '--no-messages',
  // Files that are mapped would count as used memory.
  '--no-mmap',
  '--path-separator=/',
  '--null',
  '--glob=!.git',
];
/** Longer lines are cut by ripgrep already; in characters this is always more than a result may show. */
const MAX_COLUMNS = 4096;
const MAX_STDERR_CHARS = 4000;
const MOST_OUTPUT_BYTES = 256 * 1024 * 1024;
const NUL = 0;
const NEWLINE = 0x0a;

/** All files below a folder that are not ignored, in no order; `onFile` gets relative paths with `/`. */
export async function ripgrepFiles(
  program: string,
  root: string,
  onFile: (path: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rest = Buffer.alloc(0);
  const consume = (chunk: Buffer): boolean => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, start)) {
      onFile(relative(bytes.toString('utf8', start, end)));
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
    return true;
  };
  await runRipgrep({ program, args: [...COMMON_ARGUMENTS, '--files', './'], cwd: root, consume, signal });
}

/**
 * Searches with ripgrep and stops it once enough is found. The first run uses all cores; only when there is more than
 * the limit does a second, ordered one decide which matches are shown, so that the result does not depend on chance.
 */
export async function ripgrepGrep(
  program: string,
  query: GrepQuery,
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const accepts = fileFilter(query);
  const first = await grepOnce(program, query, { accepts, extra: [] }, signal);
  if (first.hasMore && query.isDirectory) {
    return grepOnce(program, query, { accepts, extra: ['--sort=path'] }, signal);
  }
  const lines = [...first.lines].sort((a, b) => comparePaths(a.file, b.file) || a.number - b.number);
  return { lines, hasMore: first.hasMore };
}

/** Searches a text that is in memory (given by a hook's file access) as if it were the file of the query. */
export async function ripgrepText(
  program: string,
  text: string,
  query: GrepQuery,
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const file = basename(query.root);
  const collected = new CollectedLines(query, line => ({ ...line, file }));
  const args = [...COMMON_ARGUMENTS, '--text', '--no-ignore', ...queryArguments(query), '-e', query.pattern, '--', '-'];
  const { consume } = collected;
  await runLimited({ program, args, cwd: tmpdir(), input: text, consume, signal });
  return collected.result();
}

/** Which files of a folder the query's glob admits; a leading `!` excludes, folders with all that is below them. */
export function fileFilter(query: Pick<GrepQuery, 'glob' | 'isDirectory'>): PathMatcher {
  const { glob, isDirectory } = query;
  if (glob === undefined || glob === '' || !isDirectory) return () => true;
  const reading = { withBracketNames: true };
  if (!glob.startsWith('!')) return compileGlob(glob, reading);
  const foldersOnly = glob.endsWith('/');
  const excluded = compileGlob(foldersOnly ? glob.slice(1, -1) : glob.slice(1), reading);
  return path => {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      if (excluded(path.slice(0, slash))) return false;
    }
    return foldersOnly || !excluded(path);
  };
}

async function grepOnce(
  program: string,
  query: GrepQuery,
  run: { readonly accepts: PathMatcher; readonly extra: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const collected = new CollectedLines(query, line => (run.accepts(line.file) ? line : undefined));
  const cwd = query.isDirectory ? query.root : dirname(query.root);
  const target = query.isDirectory ? './' : `./${basename(query.root)}`;
  const args = [...COMMON_ARGUMENTS, ...run.extra, ...queryArguments(query), '-e', query.pattern, '--', target];
  await runRipgrep({ program, args, cwd, consume: collected.consume, signal });
  return collected.result();
}

/** Reads what ripgrep prints and keeps what the query asks for. */
class CollectedLines {
  private readonly collector: GrepCollector;
  private readonly parser = new GrepOutputParser();

  constructor(
    query: GrepQuery,
    private readonly kept: (line: GrepLine) => GrepLine | undefined,
  ) {
    this.collector = new GrepCollector(query.context, query.limit);
  }

  /** Takes a piece of the output; false when no more is wanted. */
  readonly consume = (chunk: Buffer): boolean => {
    for (const read of this.parser.push(chunk)) {
      const line = this.kept(read);
      if (line !== undefined && !this.collector.add(line)) return false;
    }
    return true;
  };

  result(): GrepResult {
    return { lines: this.collector.lines, hasMore: this.collector.hasMore };
  }
}

function queryArguments(query: GrepQuery): string[] {
  // A glob on the command line would bring back ignored files; a file type does not.
  const name = query.isDirectory && query.glob?.startsWith('!') === false ? nameGlobOf(query.glob) : undefined;
  return [
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--crlf',
    '--engine=auto',
    '--no-context-separator',
    `--max-columns=${MAX_COLUMNS}`,
    '--max-columns-preview',
    `--max-count=${query.limit + 1}`,
    `--context=${query.context}`,
    query.ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(query.literal ? ['--fixed-strings'] : []),
    ...(name === undefined ? [] : [`--type-add=hookline:${name}`, '--type=hookline']),
  ];
}

interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** For its stdin. */
  readonly input?: string;
  /** Takes output; false when no more is wanted. */
  readonly consume: (chunk: Buffer) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Ripgrep reads each ignore file to its end and has no limits of its own, so it does not run where one may have no end. */
async function runRipgrep(run: RipgrepRun): Promise<void> {
  refuseOdd(oddIgnoreFileAbove(run.cwd));
  const over = new AbortController();
  const stuck = new AbortController();
  const looking = oddIgnoreFileBelow(run.cwd, anySignal(over.signal, run.signal)).then(
    odd => {
      if (odd !== undefined) stuck.abort();
      return odd;
    },
    () => undefined, // It ended before.
  );
  try {
    await runLimited(run, stuck.signal);
  } finally {
    over.abort();
    if (stuck.signal.aborted) refuseOdd(await looking);
  }
}

function refuseOdd(file: string | undefined): void {
  if (file === undefined) return;
  throw new Error(
    `Cannot search: ${file} may have no end, and ripgrep would read it. Put a plain file there, or remove it.`,
  );
}

async function runLimited(run: RipgrepRun, stuck?: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const decoder = new StringDecoder('utf8');
  let stderr = '';
  let bytes = 0;
  const end = await runProcess({
    ...withMemoryLimit(run.program, run.args),
    cwd: run.cwd,
    env: process.env,
    isLeaf: true,
    ...defined({ input: run.input }),
    signal: anySignal(enough.signal, stuck, run.signal),
    onStdout: chunk => {
      bytes += chunk.length;
      if (!enough.signal.aborted && (bytes > MOST_OUTPUT_BYTES || !run.consume(chunk))) enough.abort();
    },
    onStderr: chunk => {
      stderr = (stderr + decoder.write(chunk)).slice(0, MAX_STDERR_CHARS);
    },
  });
  if (run.signal?.aborted === true) throw new Error(ABORTED_TEXT);
  if (bytes > MOST_OUTPUT_BYTES) throw new Error('The search found too much. Search a smaller folder.');
  if (enough.signal.aborted || stuck?.aborted === true) return;
  if (end.kind === 'failed') throw notStarted(run, end.error.message);
  if (isMissingProgram(end.code)) throw notStarted(run, stderr.trim());
  if (end.kind === 'exited' && end.exitSignal !== null) {
    throw new Error(`ripgrep was ended by ${end.exitSignal}, as when it has no memory left. Search a smaller folder.`);
  }
  // 1: nothing found. 2 without a message: some file could not be read, which a search skips.
  if (end.code > 1 && stderr.trim() !== '') throw new Error(stderr.trim());
  if (end.code > 2) throw new Error(`ripgrep exited with code ${end.code}`);
}

function notStarted({ program }: RipgrepRun, why: string): RipgrepUnavailableError {
  return new RipgrepUnavailableError(
    `Cannot search: ripgrep (${program}) could not be started: ${why} Repair it, or install ripgrep so that \`rg\` is on PATH.`,
  );
}

/** Reads `path NUL number separator text newline`, in pieces as they come. */
class GrepOutputParser {
  private rest = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<GrepLine> {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(NUL, start);
      const end = nul === -1 ? -1 : bytes.indexOf(NEWLINE, nul);
      if (end === -1) break;
      const line = parseRecord(bytes.toString('utf8', start, nul), bytes.toString('utf8', nul + 1, end));
      start = end + 1;
      if (line !== undefined) yield line;
    }
    this.rest = Buffer.from(bytes.subarray(start));
  }
}

function parseRecord(path: string, record: string): GrepLine | undefined {
  const [, number, separator, text] = /^(\d+)([:-])(.*)$/s.exec(record) ?? [];
  if (number === undefined || text === undefined) return undefined;
  return {
    // A remark on a binary file may be before the path, on a line of its own.
    file: relative(path.slice(path.lastIndexOf('\n') + 1)),
    number: Number(number),
    isMatch: separator === ':',
    text: text.replace(/\r+$/, ''),
  };
}

function relative(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}
