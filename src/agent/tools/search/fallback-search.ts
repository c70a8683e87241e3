import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { openRegular, readRegularText } from '../../../base/regular-file';
import { exists } from '../../../base/on-disk';
import { throwIfAborted } from '../abort';
import { parseIgnoreFile, type IgnoreFile } from './gitignore';
import { LineMatcher } from './line-matcher';
import { fileFilter } from './ripgrep-search';
import { GrepCollector, type GrepLine, type GrepQuery, type GrepResult } from './search';

/** The ignore files of one folder; `parent` is the folder above, up to the root of the disk. */
interface IgnoreLevel {
  readonly folder: string;
  readonly parent: IgnoreLevel | undefined;
  readonly plain: IgnoreFile | undefined;
  readonly git: IgnoreFile | undefined;
  readonly exclude: IgnoreFile | undefined;
  /** A repository begins here: the `.gitignore` files above do not count. */
  readonly isRepository: boolean;
}

/**
 * All files below a folder that are not ignored, in the order of `comparePaths`, as ripgrep would list them: hidden
 * ones included, `.git` left out, symbolic links not followed, `.gitignore` and `.ignore` honoured also outside of a
 * repository. Folders that cannot be read are skipped.
 */
export async function* walkFiles(root: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const top = await levelAbove(root);
  const stack: { readonly path: string; readonly above: IgnoreLevel | undefined; readonly isFile: boolean }[] = [
    { path: '', above: top, isFile: false },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    throwIfAborted(signal);
    if (next.isFile) {
      yield next.path;
      continue;
    }
    const folder = join(root, next.path);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(entry => entry.name));
    const level = await readLevel(folder, names, next.above);
    const wanted = entries
      .filter(entry => entry.name !== '.git' && (entry.isFile() || entry.isDirectory()))
      .filter(entry => !isIgnored(level, join(folder, entry.name), entry.isDirectory()))
      .sort((a, b) => (a.name < b.name ? 1 : -1));
    for (const entry of wanted) {
      const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
      stack.push({ path, above: level, isFile: entry.isFile() });
    }
  }
}

/** A text to search. */
interface Searched {
  /** As in {@link GrepLine}. */
  readonly file: string;
  /** Its lines, some at a time. */
  readonly batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
}

/**
 * Searches without ripgrep. The pattern is a JavaScript regular expression then (with `(?i)` and `(?P<name>…)`
 * understood); files that hold a NUL byte are skipped. Throws what {@link LineMatcher} throws.
 */
export async function fallbackGrep(query: GrepQuery, signal: AbortSignal | undefined): Promise<GrepResult> {
  return searchAll(textsIn(query, signal), query, signal);
}

/** Searches one text that is already in memory (given by a hook's file access), as {@link fallbackGrep} does. */
export async function grepText(
  text: string,
  file: string,
  query: GrepQuery,
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return searchAll([{ file, batches: [lines] }], query, signal);
}

async function* textsIn(query: GrepQuery, signal: AbortSignal | undefined): AsyncGenerator<Searched> {
  const accepts = fileFilter(query);
  const files = query.isDirectory ? walkFiles(query.root, signal) : [basename(query.root)];
  for await (const file of files) {
    const path = query.isDirectory ? join(query.root, file) : query.root;
    if (accepts(file)) yield { file, batches: linesOf(path, signal) };
  }
}

async function searchAll(
  texts: AsyncIterable<Searched> | Iterable<Searched>,
  query: GrepQuery,
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const matcher = new LineMatcher(query);
  const matches: Matches = lines => matcher.test(lines, signal);
  try {
    const collector = new GrepCollector(query.context, query.limit);
    for await (const line of searchTexts(texts, matches, query.context)) {
      if (!collector.add(line)) break;
    }
    return collector;
  } finally {
    matcher.dispose();
  }
}

type Matches = (lines: readonly string[]) => Promise<readonly boolean[]>;

async function* searchTexts(
  texts: AsyncIterable<Searched> | Iterable<Searched>,
  matches: Matches,
  context: number,
): AsyncGenerator<GrepLine> {
  for await (const text of texts) yield* searchText(text, matches, context);
}

/** The matches of a text with the lines around them, each line once. */
async function* searchText({ file, batches }: Searched, matches: Matches, context: number): AsyncGenerator<GrepLine> {
  const before: GrepLine[] = [];
  let number = 0;
  let after = 0;
  for await (const batch of batches) {
    const texts = batch.map(withoutReturns);
    const results = await matches(texts);
    for (const [index, text] of texts.entries()) {
      const line = { file, number: ++number, isMatch: results[index] === true, text };
      if (line.isMatch || after > 0) {
        yield* before.splice(0);
        after = line.isMatch ? context : after - 1;
        yield line;
      } else {
        before.push(line);
        before.splice(0, before.length - context);
      }
    }
  }
}

/** The line without the carriage returns at its end. A pattern for them would take long for a line with many others. */
function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(0, end);
}

/** The lines of a file, some at a time; ends at the first NUL byte, and where reading fails. */
async function* linesOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let open: string[] = []; // The pieces of a line whose end was not read yet.
  try {
    const file = await openRegular(path);
    for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
      throwIfAborted(signal);
      if (chunk.includes(0)) return;
      const [first = '', ...others] = decoder.write(chunk).split('\n');
      open.push(first);
      const last = others.pop();
      if (last === undefined) continue;
      yield [open.join(''), ...others];
      open = [last];
    }
  } catch {
    // Unreadable files are skipped, as ripgrep does with our options; an abort is thrown by the caller.
    throwIfAborted(signal);
    return;
  }
  const rest = open.join('') + decoder.end();
  if (rest !== '') yield [rest];
}

function isIgnored(level: IgnoreLevel, path: string, isDirectory: boolean): boolean {
  const say = (file: IgnoreFile | undefined, { folder }: IgnoreLevel): boolean | undefined =>
    file?.(path.slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, ''), isDirectory);
  for (let at: IgnoreLevel | undefined = level; at !== undefined; at = at.parent) {
    const verdict = say(at.plain, at);
    if (verdict !== undefined) return verdict;
  }
  for (let at: IgnoreLevel | undefined = level; at !== undefined; at = at.parent) {
    const verdict = say(at.git, at) ?? say(at.exclude, at);
    if (verdict !== undefined) return verdict;
    if (at.isRepository) return false;
  }
  return false;
}

async function levelAbove(folder: string): Promise<IgnoreLevel | undefined> {
  const above = dirname(folder);
  if (above === folder) return undefined;
  const names = new Set(['.gitignore', '.ignore', '.git']);
  return readLevel(above, names, await levelAbove(above));
}

async function readLevel(
  folder: string,
  names: ReadonlySet<string>,
  parent: IgnoreLevel | undefined,
): Promise<IgnoreLevel> {
  const load = async (name: string): Promise<IgnoreFile | undefined> => {
    if (!names.has(name.split('/')[0] ?? name)) return undefined;
    const text = await readRegularText(join(folder, name)).catch(() => undefined);
    return text === undefined ? undefined : parseIgnoreFile(text);
  };
  const isRepository = names.has('.git') && (await exists(join(folder, '.git')));
  const [plain, git, exclude] = await Promise.all([
    load('.ignore'),
    load('.gitignore'),
    isRepository ? load('.git/info/exclude') : undefined,
  ]);
  return { folder, parent, plain, git, exclude, isRepository };
}
