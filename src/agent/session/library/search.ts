import { type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { isCode } from '../../../base/errors';
import { openRegular } from '../../../base/files/regular-file';
import { isRecord } from '../../../base/json/is-record';
import { parseObject } from '../../../base/json/parse-object';

const BLOCK_BYTES = 256 * 1024;
const SLICE_MS = 8;
const NEWLINE = 0x0a;
/** A longer line (a session's file holds images too) is skipped rather than held. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BEFORE_CHARS = 40;
const AFTER_CHARS = 100;

/** One entry that holds every word of a query. */
export interface SearchHit {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** Undefined in files of the first version, whose entries have none. */
  readonly entryId: string | undefined;
  readonly role: SearchableText['role'];
  /** ISO 8601; may be empty. */
  readonly time: string;
  /** The text around the first word found, on one line. */
  readonly snippet: { readonly before: string; readonly match: string; readonly after: string };
}

/** The hits of a query in one session file. */
export interface FileHits {
  readonly file: string;
  /** Newest first, not more than asked for. */
  readonly hits: readonly SearchHit[];
  /** How many there are in the file. */
  readonly total: number;
}

export interface SearchOptions {
  /** Ends the search between two blocks; hits until then stay valid. */
  readonly signal?: AbortSignal;
  /** Hits kept of one file; 3 when absent. */
  readonly perFile?: number;
}

/** The words of a query, in lower case: separated by spaces or enclosed in quotes. Empty for an empty query. */
export function wordsOf(query: string): readonly string[] {
  const found = query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g);
  return [...found].map(([, phrase, word]) => phrase ?? (word ?? '').replaceAll('"', '')).filter(word => word !== '');
}

/**
 * Looks for entries that contain all words of a query, file by file in the given order (newest first ranks by recency),
 * and yields each file that has some. Reads block by block and lets the event loop run every few milliseconds; keeps at
 * most one line in memory. Skips files that are missing or cannot be read.
 */
export async function* searchSessions(
  files: readonly string[],
  query: string,
  options: SearchOptions = {},
): AsyncGenerator<FileHits> {
  const words = wordsOf(query);
  if (words.length === 0) return;
  for (const file of files) {
    if (options.signal?.aborted === true) return;
    const found = await searchFile(file, words, options);
    if (found.total > 0) yield found;
  }
}

async function searchFile(file: string, words: readonly string[], options: SearchOptions): Promise<FileHits> {
  const search = new FileSearch(file, words, options);
  let handle: FileHandle;
  try {
    handle = await openRegular(file);
  } catch {
    return search.found; // Removed or unreadable since it was listed; the list shows that.
  }
  try {
    await search.read(handle);
  } catch (error) {
    if (!isCode(error, 'EISDIR') && !isCode(error, 'EIO')) throw error;
  } finally {
    await handle.close();
  }
  return search.found;
}

class FileSearch {
  private hits: SearchHit[] = [];
  private total = 0;
  private line = 1;
  private readonly needle: Needle;

  constructor(
    private readonly file: string,
    private readonly words: readonly string[],
    private readonly options: SearchOptions,
  ) {
    this.needle = new Needle(words);
  }

  get found(): FileHits {
    return { file: this.file, hits: this.hits, total: this.total };
  }

  async read(handle: FileHandle): Promise<void> {
    let rest: Buffer[] = [];
    let restBytes = 0;
    let pause = performance.now() + SLICE_MS;
    for (let offset = 0; this.options.signal?.aborted !== true;) {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      const bytes = block.subarray(0, bytesRead);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      if (end > 0) {
        this.lines(rest.length === 0 ? bytes.subarray(0, end) : Buffer.concat([...rest, bytes.subarray(0, end)]));
        rest = [];
        restBytes = 0;
      }
      if (end < bytesRead && restBytes < MAX_LINE_BYTES) {
        rest.push(bytes.subarray(end));
        restBytes += bytesRead - end;
      }
      if (performance.now() < pause) continue;
      await setImmediate();
      pause = performance.now() + SLICE_MS;
    }
    if (rest.length > 0) this.lines(Buffer.concat(rest));
  }

  /** Searches complete lines. Most blocks do not contain the words and are skipped at once. */
  private lines(block: Buffer): void {
    const mayHold = this.needle.in(block);
    let start = 0;
    while (start < block.length) {
      const newline = block.indexOf(NEWLINE, start);
      const end = newline < 0 ? block.length : newline;
      if (mayHold && this.needle.in(block.subarray(start, end))) {
        this.look(block.toString('utf8', start, end));
      }
      this.line += 1;
      start = end + 1;
    }
  }

  private look(text: string): void {
    const entry = searchableText(text);
    const snippet = entry && snippetOf(entry.text, this.words);
    if (entry === undefined || snippet === undefined) return;
    const { id, role, time } = entry;
    this.total += 1;
    this.hits.unshift({ file: this.file, line: this.line, entryId: id, role, time, snippet });
    this.hits = this.hits.slice(0, this.options.perFile ?? 3);
  }
}

/** Finds out quickly, without parsing, which bytes cannot contain the words. */
class Needle {
  private readonly encoding: 'latin1' | 'utf8';
  private readonly text: string;

  constructor(words: readonly string[]) {
    const [longest = ''] = [...words].sort((a, b) => b.length - a.length);
    // eslint-disable-next-line no-control-regex -- all of ASCII
    this.encoding = /^[\u0000-\u007f]*$/.test(longest) ? 'latin1' : 'utf8';
    this.text = JSON.stringify(longest).slice(1, -1);
  }

  in(bytes: Buffer): boolean {
    const text = bytes.toString(this.encoding).toLowerCase();
    // Some programs escape characters outside of ASCII.
    return text.includes(this.text) || (this.encoding === 'utf8' && text.includes('\\u'));
  }
}

/** Undefined when a word is missing. */
function snippetOf(text: string, words: readonly string[]): SearchHit['snippet'] | undefined {
  const small = text.toLowerCase();
  if (!words.every(word => small.includes(word))) return undefined;
  const [first = ''] = words;
  const at = small.indexOf(first);
  const from = Math.max(0, at - BEFORE_CHARS);
  const before = oneLine(text.slice(from, at));
  const after = oneLine(text.slice(at + first.length, at + first.length + AFTER_CHARS));
  return { before: from > 0 ? `…${before}` : before, match: oneLine(text.slice(at, at + first.length)), after };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** The searchable text of an entry, as it is in its file. */
interface SearchableText {
  /** Undefined in files of the first version. */
  readonly id: string | undefined;
  readonly role: 'user' | 'assistant' | 'tool' | 'hook' | 'summary' | 'label' | 'name';
  /** ISO 8601; may be empty. */
  readonly time: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The words in one line of a session file of any version: what people, models, tools and hooks said, labels and names.
 * Undefined for lines without words and lines that are not entries. Needs no schema: unexpected values are skipped.
 */
function searchableText(line: string): SearchableText | undefined {
  const entry = parseObject(line);
  if (entry === undefined) return undefined;
  const found = roleAndText(entry);
  if (found === undefined || found.text.trim() === '') return undefined;
  return { id: textIn(entry, 'id'), time: textIn(entry, 'timestamp') ?? '', ...found };
}

function roleAndText(entry: Fields): Pick<SearchableText, 'role' | 'text'> | undefined {
  switch (entry['type']) {
    case 'message':
      return isRecord(entry['message']) ? saidBy(entry['message']) : undefined;
    case 'custom_message':
      return { role: 'hook', text: contentText(entry['content']) };
    case 'compaction':
    case 'branch_summary':
      return { role: 'summary', text: textIn(entry, 'summary') ?? '' };
    case 'label':
      return { role: 'label', text: textIn(entry, 'label') ?? '' };
    case 'session_info':
      return { role: 'name', text: textIn(entry, 'name') ?? '' };
    default:
      return undefined;
  }
}

function saidBy(message: Fields): Pick<SearchableText, 'role' | 'text'> | undefined {
  const text = contentText(message['content']);
  switch (message['role']) {
    case 'user':
    case 'assistant':
      return { role: message['role'], text };
    case 'toolResult':
      return { role: 'tool', text };
    case 'bashExecution':
      return { role: 'tool', text: [textIn(message, 'command'), textIn(message, 'output')].join('\n') };
    case 'custom':
    case 'hookMessage':
      return { role: 'hook', text };
    default:
      return undefined;
  }
}

/** Texts, thoughts, and what tools were called with. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (!isRecord(part)) return '';
      if (part['type'] === 'toolCall') return [textIn(part, 'name'), ...leaves(part['arguments'])].join(' ');
      return textIn(part, 'text') ?? textIn(part, 'thinking') ?? '';
    })
    .filter(text => text !== '')
    .join('\n');
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}
