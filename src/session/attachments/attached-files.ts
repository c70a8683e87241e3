import { readdir, realpath, stat } from 'node:fs/promises';
import { join, posix, relative, resolve, win32 } from 'node:path';
import type { ImageContent } from '@mariozechner/pi-ai';
import * as l10n from '@vscode/l10n';
import { typedSkill } from '../../agent/resources/skill';
import type { ContentPart, UserMessage } from '../../agent/messages';
import { resolveExisting } from '../../agent/tools/files/paths';
import { createReadTool } from '../../agent/tools/files/read';
import { slashed } from '../../base/files/slashed';
import type { TextFile } from '../../protocol/composer/composer';
import { mentionWords, type MentionWord } from '../../protocol/composer/mention-words';
import { DEFAULT_MAX_BYTES, formatSize, truncateHead, type TruncationResult } from '../../agent/tools/truncate';
import { SOURCE_NAMES, type ContextSource, type SourceName } from './context-source';
import type { EditorText } from './editor-texts';
import { linesOfFile } from './file-lines';

/** A text that was put beside what the user typed. */
const ATTACHED_BLOCK = /^<(?:file name|context source)="([^"]*)">[\s\S]*<\/(?:file|context)>$/;
/** A text file that a user attached, or that the text names: that has its path for a name. */
const TEXT_FILE = /^<file name="([^"]*)">\n([\s\S]*)\n<\/file>$/;
/** How the block of an image file looks; its image follows. */
const IMAGE_FILE = /^<file name="[^"]*"><\/file>$/;
const SOURCE = new RegExp(`^(${SOURCE_NAMES.join('|')})(?::(.+))?$`);
const LINES = /^(.+):(\d+)(?:-(\d+))?$/;
const SYMBOL = /^(.+)#([^#]+)$/;
/** How lines of a file are called, also those of a symbol or of the selection. */
const NAMED_LINES = /^(?:\S+ in |selection of )?(.+?):(\d+)(?:-\d+)?(?:, \d+(?:-\d+)?)*$/;
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
 * `@selection`, `@terminal`, `@diff`); each once and in order, and no lines of a file that another mention shows as well.
 * What names nothing of this stays a word of the text, and so does everything in a fenced block of code. `ofEditor` follows
 * in the same way: of what a mention shows as well, only the place is sent.
 */
export async function attachedFiles(
  text: string,
  from: AttachFrom,
  ofEditor: readonly EditorText[] = [],
): Promise<readonly ContentPart[]> {
  const read: Placed[] = [];
  const seen = new Set<string>();
  for (const { candidates } of mentionWords(text)) {
    const found = await firstNamed(candidates, from);
    if (found === undefined || seen.has(found.key)) continue;
    seen.add(found.key);
    read.push({ place: found.place, ...(await found.read()) });
  }
  for (const own of ofEditor) read.push(await shownByEditor(own));
  return read.flatMap((one, at) => {
    const copied = read.find(
      (other, index) => index !== at && covers(other, one) && (index < at || !covers(one, other)),
    );
    if (copied === undefined) return one.parts;
    return one.pointer !== undefined && areOther(copied, one) ? [one.pointer] : [];
  });
}

/** What the editor has, as it is sent: a file as if it were named, a selection as a text that returns for editing. */
async function shownByEditor(given: EditorText): Promise<Placed> {
  const { name, text, path, lines, hasWholeLines = false } = given;
  const place = path === undefined ? `@${name}` : await realPath(path);
  const { truncated, outputLines } = truncateHead(text);
  const parts = [textPart(cutText(given))];
  if (lines === undefined) return { place, parts, lines: truncated ? [1, outputLines] : ALL_LINES };
  const [first, last] = lines;
  return {
    place,
    parts,
    lines: hasWholeLines ? [first, truncated ? first + outputLines - 1 : last] : NOTHING.lines,
    of: lines,
    pointer: block(name, 'These lines are in a text that is sent along, too.'),
  };
}

/** What words of a text name, see {@link attachedFiles}; undefined for a word that names nothing. */
export function namedBy(
  words: readonly MentionWord['candidates'][],
  from: AttachFrom,
): Promise<readonly (NamedContext | undefined)[]> {
  return Promise.all(words.map(candidates => firstNamed(candidates, from)));
}

async function firstNamed(candidates: readonly string[], from: AttachFrom): Promise<NamedContext | undefined> {
  for (const candidate of candidates) {
    const found = await lookUp(candidate, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Something that a word names. */
export interface NamedContext {
  /** The word, without `@`, quotes and the punctuation of a sentence. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symbol' | SourceName;
  /** Absolute; absent for sources of the editor. */
  readonly path?: string;
  /** The first of the named lines, from 1. */
  readonly line?: number;
  /** The same for each way to name this. */
  readonly key: string;
  /** The same for each way to name this file, or a part of it. */
  readonly place: string;
  readonly read: () => Promise<Shown>;
}

/** What the model is shown. */
interface Shown {
  readonly parts: readonly ContentPart[];
  /** The first and the last line of the place that it contains. */
  readonly lines: readonly [first: number, last: number];
  /** The lines that it is from, where it does not contain them from beginning to end. */
  readonly of?: readonly [first: number, last: number];
  /** Says which lines are meant, in place of a text that another one contains. */
  readonly pointer?: ContentPart;
}

type Placed = Shown & { readonly place: string };

const ALL_LINES = [1, Infinity] as const;
const NOTHING: Shown = { parts: [], lines: [Infinity, 0] };

function covers(one: Placed, other: Placed): boolean {
  const [first, last] = other.of ?? other.lines;
  return one.place === other.place && one.lines[0] <= first && one.lines[1] >= last;
}

function areOther({ lines: one }: Shown, { of: other }: Shown): boolean {
  return other !== undefined && (one[0] !== other[0] || one[1] !== other[1]);
}

async function lookUp(candidate: string, from: AttachFrom): Promise<NamedContext | undefined> {
  const { cwd, context } = from;
  const source = context === undefined ? null : SOURCE.exec(candidate);
  if (source !== null && context !== undefined) {
    const kind = source[1] as SourceName;
    const of = source[2] === undefined ? undefined : resolveExisting(source[2], cwd);
    const read = async (): Promise<Shown> => ({ parts: await readSource(kind, of, context, from), lines: ALL_LINES });
    return { name: candidate, kind, key: candidate, place: `@${candidate}`, read };
  }
  const path = resolveExisting(candidate, cwd);
  const kind = await pathKind(path);
  if (kind === 'file') {
    const place = await realPath(path);
    return { name: candidate, kind, path, key: place, place, read: () => readFile(path, from) };
  }
  if (kind === 'folder') {
    if (!candidate.endsWith('/')) return undefined;
    const place = await realPath(path);
    const read = async (): Promise<Shown> => ({ parts: await readFolder(path, from), lines: ALL_LINES });
    return { name: candidate, kind, path, key: place, place, read };
  }
  return (await linesNamed(candidate, from)) ?? symbolNamed(candidate, from);
}

async function linesNamed(name: string, from: AttachFrom): Promise<NamedContext | undefined> {
  const [, file = '', first = '', last = first] = LINES.exec(name) ?? [];
  const path = file === '' ? undefined : resolveExisting(file, from.cwd);
  if (path === undefined || (await pathKind(path)) !== 'file') return undefined;
  const place = await realPath(path);
  const lines = [Number(first), Number(last)] as const;
  const read = (): Promise<Shown> => readLines(path, lines, '', from);
  return { name, kind: 'file', path, line: lines[0], key: `${place}:${lines.join('-')}`, place, read };
}

async function symbolNamed(name: string, from: AttachFrom): Promise<NamedContext | undefined> {
  const [, file = '', symbol = ''] = SYMBOL.exec(name) ?? [];
  const path = file === '' || from.context === undefined ? undefined : resolveExisting(file, from.cwd);
  if (path === undefined || (await pathKind(path)) !== 'file') return undefined;
  const place = await realPath(path);
  const read = async (): Promise<Shown> => {
    if (await isTooLargeForSymbols(name, path, from)) return NOTHING;
    const lines = await from.context?.linesOfSymbol(path, symbol);
    if (lines !== undefined) return readLines(path, lines, `${symbol} in `, from);
    from.warn?.(l10n.t('{1} has no symbol {0}. The whole file was attached.', symbol, below(path, from)));
    return readFile(path, from);
  };
  return { name, kind: 'symbol', path, key: `${place}#${symbol}`, place, read };
}

/** The path without links, which is the same however a file is named. */
function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
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

async function readFile(path: string, { cwd, context, resizesImages }: AttachFrom): Promise<Shown> {
  const unsaved = context?.unsavedText(path);
  if (unsaved !== undefined) {
    const text = `<file name="${path}">\n${cutAttachment(unsaved)}\n</file>`;
    return { parts: [{ type: 'text', text }], lines: linesShown(truncateHead(unsaved)) };
  }
  try {
    const read = createReadTool(cwd, { autoResizeImages: resizesImages });
    const { content, details } = await read.execute('attached', { path }, undefined);
    const images = content.filter(part => part.type === 'image');
    const texts = content.filter(part => part.type === 'text').map(part => part.text);
    // For an image, the text only says how the image was changed.
    const text = images.length === 0 ? texts.map(each => `\n${each}\n`).join('') : texts.map(afterFirstLine).join('');
    const parts = [{ type: 'text', text: `<file name="${path}">${text}</file>` } as const, ...images];
    return { parts, lines: linesShown(details?.truncation) };
  } catch {
    return NOTHING; // It cannot be read after all; the model still sees the name, and its own attempt says why.
  }
}

function linesShown(cut: TruncationResult | undefined): readonly [number, number] {
  return cut?.truncated === true ? [1, cut.outputLines] : ALL_LINES;
}

async function readLines(
  path: string,
  [first, last]: readonly [number, number],
  what: string,
  from: AttachFrom,
): Promise<Shown> {
  try {
    const end = Math.max(first, last);
    const unsaved = from.context?.unsavedText(path);
    const text = unsaved === undefined ? await linesOfFile(path, first, end) : linesIn(unsaved, first, end);
    const place = `${below(path, from)}:${first === last ? first : `${first}-${last}`}`;
    if (text === '') from.warn?.(l10n.t('{0} has no such lines: nothing was attached.', place));
    if (text === '') return NOTHING;
    const lastShown = CUT.test(text) ? first + text.split('\n').length - 2 : end;
    return { parts: [block(`${what}${place}`, text)], lines: [first, lastShown] };
  } catch {
    return NOTHING; // As above.
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

/** The line that says that a text was cut. */
const CUT = /\n\[Cut\b.*\]$/;

/** What is sent of a text that the editor has. */
export function cutText({ name, text }: EditorText): TextFile {
  return { name, text: cutAttachment(text) };
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
  return typeof content === 'string' ? [] : returningTexts(content.slice(1));
}

/** The texts among parts of a message that return with it for editing. Files that it names by their path do not. */
export function returningTexts(parts: readonly ContentPart[]): readonly TextFile[] {
  return parts.flatMap(part => {
    const file = part.type === 'text' ? textFileIn(part.text) : undefined;
    return file === undefined || isAnyAbsolute(file.name) ? [] : [file];
  });
}

/** A text that is sent along, as a part of the message. */
export function textPart({ name, text }: TextFile): ContentPart {
  return { type: 'text', text: `<file name="${name.replaceAll('"', "'")}">\n${text}\n</file>` };
}

/** The text file in a part of a message; undefined when the part is something else. */
export function textFileIn(text: string): TextFile | undefined {
  const [, name, content] = TEXT_FILE.exec(text) ?? [];
  return name === undefined || content === undefined ? undefined : { name, text: content };
}

/** A session may be of another machine. */
function isAnyAbsolute(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

/** Whether a part of a user message, by its place, is attached and not typed. */
export function isAttachedPart(part: ContentPart, index: number): boolean {
  return part.type === 'image' || (index > 0 && ATTACHED_BLOCK.test(part.text));
}

/** What a user typed to get this content: attached files and the text of a skill are left out. */
export function typedText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  const texts =
    typeof content === 'string' ? [content] : content.flatMap(part => (part.type === 'text' ? [part.text ?? ''] : []));
  const typed = texts.filter((text, index) => index === 0 || !ATTACHED_BLOCK.test(text)).join('\n');
  return typedSkill(typed) ?? typed;
}

/** Something that was sent along with a typed text. */
export interface AttachedName {
  /** The path of a file, or the source of another text. */
  readonly name: string;
  /** Absolute; absent for what cannot be opened. */
  readonly path?: string;
  /** The first line that was sent, from 1; absent for a whole file. */
  readonly line?: number;
}

/** The attachments of a typed text, in order. Lines are of a file below `cwd`, unless they name it in full. */
export function attachedNames(content: UserMessage['content'], cwd: string): readonly AttachedName[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part, index) => {
    const name = index > 0 && part.type === 'text' ? ATTACHED_BLOCK.exec(part.text)?.[1] : undefined;
    if (name === undefined) return [];
    const [, file, line] = NAMED_LINES.exec(name) ?? [];
    if (file !== undefined) return [{ name, path: resolve(cwd, file), line: Number(line) }];
    return [isAnyAbsolute(name) ? { name, path: name } : { name }];
  });
}
