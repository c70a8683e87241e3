import { appendFileSync } from 'node:fs';
import { appendFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sizeOf } from '../files/on-disk';
import { readRegularText } from '../files/regular-file';

/** Bytes at which a new file is begun; the one before is kept, so that twice as much is on disk at most. */
const FILE_LIMIT = 4 * 1024 * 1024;
/** Files of windows that share one may have grown beyond the limit together. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Characters up to which a text is written at once. */
const SHORT = 16 * 1024;
const OURS = { mode: 0o600 };

/** The lines that were read. Lines that are torn or of a newer version are left out and counted. */
export interface ReadLines<T> {
  readonly entries: readonly T[];
  readonly unreadable: number;
}

/** Tells what a parsed line is; undefined: nothing that can be read here. */
type LineReader<T> = (value: unknown) => T | undefined;

/** A bounded record on disk, as JSON lines. Lines are appended whole, so that windows on one folder may share a file. */
export class JsonLinesFile<T> {
  private size: number | undefined;

  /** `path` absolute; its folder is made when something is written. */
  constructor(
    private readonly path: string,
    private readonly reader: LineReader<T>,
    private readonly limit = FILE_LIMIT,
  ) {}

  private get older(): string {
    return `${this.path}.1`;
  }

  /** Oldest first; a missing file holds nothing. */
  async read(): Promise<ReadLines<T>> {
    const texts = await Promise.all([textOf(this.older), textOf(this.path)]);
    return readJsonLines(texts.join('\n'), this.reader);
  }

  /** `lines` end with a line break. Rejects when the disk does. */
  async append(lines: string): Promise<void> {
    const isFirst = this.size === undefined;
    this.size ??= await sizeOf(this.path);
    if (this.size > 0 && this.size + lines.length > this.limit) {
      await rename(this.path, this.older).catch((error: unknown) => {
        // Another window that shares the file, or the user, has removed it.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
      this.size = 0;
    }
    // A crash may have left half a line, which must not take the next one with it.
    const text = isFirst && this.size > 0 ? `\n${lines}` : lines;
    await this.write(text);
    this.size += Buffer.byteLength(text);
  }

  /** The folder is made when it turns out to be missing: asking for it each time costs as much as writing. */
  private async write(text: string): Promise<void> {
    // Synchronous where the text is short: waking a thread takes longer than the call.
    const append = (): void | Promise<void> =>
      text.length > SHORT ? appendFile(this.path, text, OURS) : appendFileSync(this.path, text, OURS);
    try {
      await append();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(dirname(this.path), { recursive: true });
      await append();
    }
  }

  async clear(): Promise<void> {
    await Promise.all([this.path, this.older].map(path => rm(path, { force: true })));
    this.size = 0;
  }
}

/** Reads what {@link JsonLinesFile} wrote or a user exported. */
export function readJsonLines<T>(text: string, reader: LineReader<T>): ReadLines<T> {
  const entries: T[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const entry = entryIn(line, reader);
    if (entry === undefined) unreadable += 1;
    else entries.push(entry);
  }
  return { entries, unreadable };
}

function entryIn<T>(line: string, reader: LineReader<T>): T | undefined {
  try {
    return reader(JSON.parse(line));
  } catch {
    return undefined; // Torn by a crash; counted by the caller.
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readRegularText(path, { most: MOST_BYTES });
  } catch {
    return ''; // Nothing was recorded here yet, or it cannot be read: either way there is nothing to show.
  }
}
