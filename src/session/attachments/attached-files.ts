import { readdir, stat } from 'node:fs/promises';
import { join, posix, relative, win32 } from 'node:path';
import type { ImageContent } from '@mariozechner/pi-ai';
import * as l10n from '@vscode/l10n';
import { typedSkill } from '../../agent/resources/skill';
import type { ContentPart, UserMessage } from '../../agent/messages';
import { resolveExisting } from '../../agent/tools/files/paths';
import { createReadTool } from '../../agent/tools/files/read';
import { slashed } from '../../base/files/slashed';
import type { TextFile } from '../../protocol/composer';
import { DEFAULT_MAX_BYTES, formatSize, truncateHead } from '../../agent/tools/truncate';
import { SOURCE_NAMES, type ContextSource, type SourceName } from './context-source';
import { linesOfFile } from './file-lines';

/** `@path` at the start or after a blank; quoted when the path has blanks. */
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|(\S+))/g;
/** What a sentence puts behind a path. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
/** Begins a block of code in markdown; what follows a run of backticks holds none. */
const FENCE_START = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** A text that was put beside what the user typed. */
const ATTACHED_BLOCK = /^<(?:file name|context source)="([^"]*)">[\s\S]*<\/(?:file|context)>$/;
/** A text file that a user attached, or that the text names: that has its path for a name. */
const TEXT_FILE = /^<file name="([^"]*)">\n([\s\S]*)\n<\/file>$/;
/** How the block of an image file looks; its image follows. */
const IMAGE_FILE = /^<file name="[^"]*"><\/file>$/;
const SOURCE = new RegExp(`^(${SOURCE_NAMES.join('|')})(?::(.+))?$`);
const LINES = /^(.+):(\d+)(?:-(\d+))?$/;
const SYMBOL = /^(.+)#([^#]+)$/;
/** Most entries of a folder that are listed. */
const MOST_ENTRIES = 500;
/** Largest file in which a symbol is looked up, in bytes: the editor reads it whole for that. */
const MOST_FOR_SYMBOLS = 10 * 1024 * 1024;

/** Where mentions are looked up. */
export interface AttachFrom {
  /** Absolute. */
  readonly cwd: string;
  readonly context?: ContextSource | undefined;
  /** Says to the user why something named is not sent along, or not whole. */
  readonly warn?: (text: string) => void;
  /** Whether images are made small enough for models; true when absent. */
  readonly resizesImages?: boolean;
}

/**
 * What a text names with `@`: files as the read tool shows them (its limits hold; images as image parts), some of their
 * lines (`@a.ts:3-8`), a symbol (`@a.ts#name`), the names in a folder (`@src/`), and sources of the editor (`@problems`,
 * `@selection`, `@terminal`, `@diff`); each once and in order. What names nothing of this stays a word of the text, and so
 * does everything in a fenced block of code.
 */
export async function attachedFiles(text: string, from: AttachFrom): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  const seen = new Set<string>();
  for (const [, double, single, bare] of outsideFences(text).matchAll(MENTION)) {
    const named = double ?? single;
    const candidates = named === undefined ? spellings(bare ?? '') : [named];
    for (const candidate of candidates) {
      const found = await lookUp(candidate, from);
      if (found === undefined) continue;
      if (!seen.has(found.key)) parts.push(...(await found.read()));
      seen.add(found.key);
      break;
    }
  }
  return parts;
}

/**
 * A text without its fenced blocks of code: an `@` in code is an annotation or a package, not a mention of a file. As
 * in Markdown, a block without an end reaches to the end of the text.
 */
function outsideFences(text: string): string {
  let fence = '';
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    if (fence === '') {
      fence = FENCE_START.exec(line)?.[1] ?? '';
      if (fence === '') kept.push(line);
    } else if (closes(line, fence)) fence = '';
  }
  return kept.join('\n');
}

function closes(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && marks === fence.slice(0, 1).repeat(marks.length) && !/^ {4}/.test(line);
}

interface Found {
  /** Identifies the found file or symbol, which is sent only once. */
  readonly key: string;
  readonly read: () => Promise<readonly ContentPart[]>;
}

async function lookUp(candidate: string, from: AttachFrom): Promise<Found | undefined> {
  const { cwd, context } = from;
  const source = context === undefined ? null : SOURCE.exec(candidate);
  if (source !== null && context !== undefined) {
    const of = source[2] === undefined ? undefined : resolveExisting(source[2], cwd);
    return { key: candidate, read: () => readSource(source[1] as SourceName, of, context, from) };
  }
  const path = resolveExisting(candidate, cwd);
  const kind = await pathKind(path);
  if (kind === 'file') return { key: path, read: () => readFile(path, from) };
  if (kind === 'folder') {
    return candidate.endsWith('/') ? { key: path, read: () => readFolder(path, from) } : undefined;
  }
  return (await linesNamed(candidate, from)) ?? symbolNamed(candidate, from);
}

async function linesNamed(candidate: string, from: AttachFrom): Promise<Found | undefined> {
  const [, name = '', first = '', last = first] = LINES.exec(candidate) ?? [];
  const path = name === '' ? undefined : resolveExisting(name, from.cwd);
  if (path === undefined || (await pathKind(path)) !== 'file') return undefined;
  return { key: candidate, read: () => readLines(path, [Number(first), Number(last)], '', from) };
}

async function symbolNamed(candidate: string, from: AttachFrom): Promise<Found | undefined> {
  const [, name = '', symbol = ''] = SYMBOL.exec(candidate) ?? [];
  const path = name === '' || from.context === undefined ? undefined : resolveExisting(name, from.cwd);
  if (path === undefined || (await pathKind(path)) !== 'file') return undefined;
  return {
    key: candidate,
    read: async () => {
      if (await isTooLargeForSymbols(candidate, path, from)) return [];
      const lines = await from.context?.linesOfSymbol(path, symbol);
      if (lines !== undefined) return readLines(path, lines, `${symbol} in `, from);
      from.warn?.(l10n.t('{1} has no symbol {0}. The whole file was attached.', symbol, below(path, from)));
      return readFile(path, from);
    },
  };
}

/** The editor looks up symbols in the whole text. A file that it has open costs nothing more. */
async function isTooLargeForSymbols(candidate: string, path: string, from: AttachFrom): Promise<boolean> {
  if (from.context?.unsavedText(path) !== undefined) return false;
  const size = await stat(path).then(
    info => info.size,
    () => 0, // It went away meanwhile: the look-up says so.
  );
  if (size <= MOST_FOR_SYMBOLS) return false;
  const limit = formatSize(MOST_FOR_SYMBOLS);
  from.warn?.(
    l10n.t(
      '{1} is too large ({2}) to look up symbols (limit: {0}). Nothing was attached for @{3}. Name some of its lines instead, such as @{1}:1-50.',
      limit,
      below(path, from),
      formatSize(size),
      candidate,
    ),
  );
  return true;
}

function spellings(word: string): readonly string[] {
  const bare = word.replace(PUNCTUATION, '');
  return bare === '' || bare === word ? [word] : [word, bare];
}

async function pathKind(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const info = await stat(path);
    return info.isFile() ? 'file' : info.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined; // Not there, or out of reach: then it is a word like any other.
  }
}

function afterFirstLine(text: string): string {
  return text.split('\n').slice(1).join('\n');
}

async function readFile(path: string, { cwd, context, resizesImages }: AttachFrom): Promise<readonly ContentPart[]> {
  const unsaved = context?.unsavedText(path);
  if (unsaved !== undefined) {
    return [{ type: 'text', text: `<file name="${path}">\n${cutAttachment(unsaved)}\n</file>` }];
  }
  try {
    const read = createReadTool(cwd, { autoResizeImages: resizesImages });
    const { content } = await read.execute('attached', { path }, undefined);
    const images = content.filter(part => part.type === 'image');
    const texts = content.filter(part => part.type === 'text').map(part => part.text);
    // For an image, the text only says how the image was changed.
    const text = images.length === 0 ? texts.map(each => `\n${each}\n`).join('') : texts.map(afterFirstLine).join('');
    return [{ type: 'text', text: `<file name="${path}">${text}</file>` }, ...images];
  } catch {
    return []; // It cannot be read after all; the model still sees the name, and its own attempt says why.
  }
}

async function readLines(
  path: string,
  [first, last]: readonly [number, number],
  what: string,
  from: AttachFrom,
): Promise<readonly ContentPart[]> {
  try {
    const end = Math.max(first, last);
    const unsaved = from.context?.unsavedText(path);
    const text = unsaved === undefined ? await linesOfFile(path, first, end) : linesIn(unsaved, first, end);
    const place = `${below(path, from)}:${first === last ? first : `${first}-${last}`}`;
    if (text === '') from.warn?.(l10n.t('{0} has no such lines: nothing was attached.', place));
    return text === '' ? [] : [block(`${what}${place}`, text)];
  } catch {
    return []; // As above.
  }
}

function linesIn(text: string, first: number, last: number): string {
  const lines = text.split(/\r?\n/).slice(Math.max(0, first - 1), last);
  return cutAttachment(lines.join('\n'));
}

async function readFolder(path: string, from: AttachFrom): Promise<readonly ContentPart[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    const more = names.length > MOST_ENTRIES ? [`[${names.length - MOST_ENTRIES} more]`] : [];
    const text = [...names.slice(0, MOST_ENTRIES), ...more].join('\n') || '(empty)';
    return [contextBlock(`folder ${below(path, from)}/`, text)];
  } catch {
    return []; // As above.
  }
}

async function readSource(
  name: SourceName,
  of: string | undefined,
  context: ContextSource,
  { warn }: AttachFrom,
): Promise<readonly ContentPart[]> {
  const answer = await context.read(name, of);
  if (typeof answer !== 'string') return [contextBlock(answer.source, answer.text)];
  warn?.(l10n.t('@{0} was sent as plain text: {1}', name, answer));
  return [];
}

/** A text beside the message, with where it is from. */
function contextBlock(source: string, text: string): ContentPart {
  return block(source, cutAttachment(text));
}

function block(source: string, text: string): ContentPart {
  return { type: 'text', text: `<context source="${source.replaceAll('"', "'")}">\n${text}\n</context>` };
}

/** As much of an attached text as the read tool shows of a file, with words that say so where it was cut. */
export function cutAttachment(text: string): string {
  const { content, truncated, totalBytes } = truncateHead(text);
  if (!truncated) return content;
  // A first line that alone is too long would leave nothing.
  return `${content === '' ? startOf(text) : content}\n[Cut: ${formatSize(totalBytes)} in all]`;
}

/** Its first characters, which do not keep the rest in memory as a part of a string does. */
function startOf(text: string): string {
  return Buffer.from(text.slice(0, DEFAULT_MAX_BYTES)).toString();
}

function below(path: string, { cwd }: AttachFrom): string {
  const shown = relative(cwd, join(path));
  return shown.startsWith('..') ? path : slashed(shown);
}

/** The images a user attached to this content; those of files that the text names come again with the text. */
export function attachedImages(content: UserMessage['content']): readonly ImageContent[] {
  if (typeof content === 'string') return [];
  return content.filter((part, index) => {
    const before = content[index - 1];
    return part.type === 'image' && !(index > 1 && before?.type === 'text' && IMAGE_FILE.test(before.text));
  }) as ImageContent[];
}

/** The texts a user attached to this content; files that the text names come again with the text. */
export function attachedTexts(content: UserMessage['content']): readonly TextFile[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part, index) => {
    const [, name, text] = (index > 0 && part.type === 'text' ? TEXT_FILE.exec(part.text) : undefined) ?? [];
    if (name === undefined || text === undefined || posix.isAbsolute(name) || win32.isAbsolute(name)) return [];
    return [{ name, text }];
  });
}

/** What a user typed to get this content: attached files and the text of a skill are left out. */
export function typedText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  const texts =
    typeof content === 'string' ? [content] : content.flatMap(part => (part.type === 'text' ? [part.text ?? ''] : []));
  const typed = texts.filter((text, index) => index === 0 || !ATTACHED_BLOCK.test(text)).join('\n');
  return typedSkill(typed) ?? typed;
}

/** Names of the attachments of a typed text, in order: paths of files, and the sources of other texts. */
export function attachedNames(content: UserMessage['content']): readonly string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part, index) => {
    const name = index > 0 && part.type === 'text' ? ATTACHED_BLOCK.exec(part.text)?.[1] : undefined;
    return name === undefined ? [] : [name];
  });
}
