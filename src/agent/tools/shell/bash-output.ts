import { createWriteStream, type WriteStream } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { unfinishedSequence, withoutTerminalStrings } from '../../../base/text/terminal-strings';
import type { OutputPart } from '../command-keeper';
import { fullOutputPath } from '../full-output-file';
import {
  characterStart,
  wholeCharactersEnd,
  countNewlines,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateTail,
  type TruncationResult,
} from '../truncate';

const NEWLINE = 0x0a;
/** More than twice the limit, so that the kept end always has 51200 bytes of whole characters and lines. */
const RING_BYTES = 128 * 1024;
/** This much may wait to be written: the command continues to print, and what waits is written together. */
const WAITING_BYTES = 512 * 1024;
/** The file holds at most this much: a command that never stops printing must not fill the disk. */
const MOST_SAVED_BYTES = 512 * 1024 * 1024;

export interface BashOutputOptions {
  /** At most this many bytes go to the file, the first ones; 512 MB when absent. */
  readonly mostSavedBytes?: number;
}

/** The end of a command's output, and facts about the part that was cut. */
export interface BashSnapshot {
  readonly text: string;
  readonly truncation: TruncationResult;
  /** File with the whole output, or with as much of its beginning as a file may hold, once there is one. */
  readonly fullOutputPath?: string;
  /** How much of the output is in the file, in bytes, when that is not all of it. */
  readonly savedBytes?: number;
  /** Why there is no such file, when writing it failed. */
  readonly saveProblem?: string;
}

/**
 * Collects output of any length in a fixed amount of memory: the last 128 KiB in a ring, exact totals beside it, and
 * everything, up to a limit, in a temporary file as soon as the model's limits are passed.
 */
export class BashOutput {
  private readonly ring = Buffer.allocUnsafe(RING_BYTES);
  private written = 0;
  private newlines = 0;
  private openLineBytes = 0;
  private closedLineBytes = 0;
  private file: { readonly stream: WriteStream; readonly path: string; saved: number } | undefined;
  private saveProblem: string | undefined;
  private finished = false;
  private keepsFile = false;
  private readonly mostSaved: number;

  constructor({ mostSavedBytes = MOST_SAVED_BYTES }: BashOutputOptions = {}) {
    this.mostSaved = mostSavedBytes;
  }

  /** Adds bytes; the promise, if any, settles when the temporary file can take more. */
  append(chunk: Buffer): Promise<void> | undefined {
    if (chunk.length === 0 || this.finished) return undefined;
    const overflows = this.written + chunk.length > DEFAULT_MAX_BYTES;
    if (this.file === undefined && (overflows || this.lines > DEFAULT_MAX_LINES)) this.spill();
    this.keep(chunk);
    this.count(chunk);
    return this.save(chunk);
  }

  /** The end of the output so far; cheap enough to be taken ten times a second. */
  snapshot(): BashSnapshot {
    const kept = this.keptBytes();
    const whole = kept.length === this.written;
    const text = whole
      ? withoutControls(kept.toString('utf8'))
      : wholeLines(withoutControls(kept.toString('utf8', characterStart(kept, 0))));
    // When output was dropped, the totals count the raw output; otherwise they count the text shown.
    const total = whole ? {} : { total: { lines: this.lines, bytes: this.written } };
    const truncation = truncateTail(text, total);
    return {
      text: truncation.content,
      truncation,
      ...(this.file !== undefined && this.saveProblem === undefined && this.savedPart(this.file)),
      ...defined({ saveProblem: this.saveProblem }),
    };
  }

  /** From now on all output goes to the file, also if models could see all of it, and the file stays. */
  saveAll(): void {
    this.keepsFile = true;
    if (this.file === undefined && !this.finished) this.spill();
  }

  /**
   * The output from a byte on, with colors and cursor moves; while the command runs, up to the last whole character and
   * sequence. If the byte is not kept any more, the text begins later.
   */
  from(position: number): OutputPart {
    const kept = this.keptBytes();
    const first = this.written - kept.length;
    const start = position >= first ? position - first : characterStart(kept, 0);
    const end = this.finished ? kept.length : wholeCharactersEnd(kept);
    const printed = kept.toString('utf8', start, end);
    const unfinished = this.finished ? '' : unfinishedSequence(printed);
    return {
      text: withoutTerminalStrings(printed.slice(0, printed.length - unfinished.length)),
      position: first + Math.max(start, end) - Buffer.byteLength(unfinished),
      omitted: Math.max(0, first + start - position),
    };
  }

  /** Closes the file and gives the final state; a file that nothing refers to is removed. */
  async finish(): Promise<BashSnapshot> {
    this.finished = true;
    if (this.file === undefined && this.snapshot().truncation.truncated) this.spill();
    await this.closeFile();
    const final = this.snapshot();
    if (final.truncation.truncated || this.file === undefined || this.keepsFile) return final;
    await unlink(this.file.path).catch(() => undefined);
    return { text: final.text, truncation: final.truncation };
  }

  /**
   * The output of the command, for programs. If it is longer than `mostBytes`, it is the beginning and the end, with a
   * line between them that counts the missing bytes. To be called after the end of the command. Never rejects: without
   * the file, it is only the end.
   */
  async whole(mostBytes: number): Promise<{ readonly text: string; readonly isWhole: boolean }> {
    const kept = this.keptBytes();
    if (kept.length === this.written) return { text: kept.toString('utf8'), isWhole: true };
    const [head, tail] = await this.bothEnds(mostBytes).catch(() => [Buffer.alloc(0), kept]);
    if (head === undefined) return { text: kept.toString('utf8', characterStart(kept, 0)), isWhole: false };
    if (tail === undefined) return { text: head.toString('utf8'), isWhole: true };
    const omitted = this.written - head.length - tail.length;
    const first = new StringDecoder('utf8').write(head);
    const last = tail.toString('utf8', characterStart(tail, 0));
    return { text: `${first}\n\n[... ${omitted} bytes omitted ...]\n\n${last}`, isWhole: false };
  }

  /** All of the output, or its first and its last bytes. Rejects when the file cannot be read. */
  private async bothEnds(mostBytes: number): Promise<readonly Buffer[]> {
    if (this.file === undefined) throw new Error('Nothing was saved.');
    const { path, saved } = this.file;
    const half = Math.floor(mostBytes / 2);
    if (saved < this.written) return this.savedAndKept(await readParts(path, [[0, Math.min(half, saved)]]));
    if (this.written <= mostBytes) return readParts(path, [[0, this.written]]);
    return readParts(path, [
      [0, half],
      [this.written - half, half],
    ]);
  }

  /** What the file holds and what the ring holds, which may overlap. */
  private savedAndKept([head = Buffer.alloc(0)]: readonly Buffer[]): readonly Buffer[] {
    const kept = this.keptBytes();
    const overlap = head.length + kept.length - this.written;
    return overlap < 0 ? [head, kept] : [Buffer.concat([head, kept.subarray(overlap)])];
  }

  /** The line in brackets that says what the model does not see. */
  notice(snapshot: BashSnapshot): string {
    const { truncation } = snapshot;
    const first = truncation.totalLines - truncation.outputLines + 1;
    const last = truncation.totalLines;
    const where = placeText(snapshot);
    if (truncation.lastLinePartial) {
      const size = formatSize(this.lastLineBytes);
      return `[Showing last ${formatSize(truncation.outputBytes)} of line ${last} (line is ${size}). ${where}]`;
    }
    const limit = truncation.truncatedBy === 'bytes' ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : '';
    return `[Showing lines ${first}-${last} of ${last}${limit}. ${where}]`;
  }

  private get lines(): number {
    return this.newlines + (this.openLineBytes > 0 ? 1 : 0);
  }

  private get lastLineBytes(): number {
    return this.openLineBytes > 0 ? this.openLineBytes : this.closedLineBytes;
  }

  private keep(chunk: Buffer): void {
    const part = chunk.length > RING_BYTES ? chunk.subarray(chunk.length - RING_BYTES) : chunk;
    const position = (this.written + chunk.length - part.length) % RING_BYTES;
    const head = Math.min(part.length, RING_BYTES - position);
    part.copy(this.ring, position, 0, head);
    part.copy(this.ring, 0, head);
    this.written += chunk.length;
  }

  private keptBytes(): Buffer {
    if (this.written <= RING_BYTES) return this.ring.subarray(0, this.written);
    const start = this.written % RING_BYTES;
    return Buffer.concat([this.ring.subarray(start), this.ring.subarray(0, start)]);
  }

  private count(chunk: Buffer): void {
    const newlines = countNewlines(chunk);
    if (newlines === 0) {
      this.openLineBytes += chunk.length;
      return;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    const before = newlines === 1 ? -1 : chunk.lastIndexOf(NEWLINE, last - 1);
    this.closedLineBytes = before === -1 ? this.openLineBytes + last : last - before - 1;
    this.newlines += newlines;
    this.openLineBytes = chunk.length - last - 1;
  }

  private save(chunk: Buffer): Promise<void> | undefined {
    if (this.file === undefined || this.saveProblem !== undefined) return undefined;
    const { stream, saved } = this.file;
    const part = chunk.subarray(0, this.mostSaved - saved);
    if (part.length === 0) return undefined;
    this.file.saved += part.length;
    if (stream.write(part)) return undefined;
    return new Promise(resolve => {
      const done = (): void => {
        stream.off('drain', done).off('close', done);
        resolve();
      };
      stream.once('drain', done).once('close', done);
    });
  }

  /** Opens the file with what came so far, all of which is still in the ring. */
  private spill(): void {
    const path = fullOutputPath('bash', '.log');
    const stream = createWriteStream(path, { mode: 0o600, highWaterMark: WAITING_BYTES });
    stream.on('error', error => {
      this.saveProblem = messageOf(error);
    });
    const first = Buffer.from(this.keptBytes().subarray(0, this.mostSaved));
    stream.write(first);
    this.file = { stream, path, saved: first.length };
  }

  private savedPart({ path, saved }: { readonly path: string; readonly saved: number }): Partial<BashSnapshot> {
    return { fullOutputPath: path, ...(saved < this.written && { savedBytes: saved }) };
  }

  private async closeFile(): Promise<void> {
    const stream = this.file?.stream;
    if (stream === undefined || stream.closed || this.saveProblem !== undefined) return;
    await new Promise<void>(resolve => {
      stream.once('close', () => resolve());
      stream.end();
    });
  }
}

/** Where the output is, in words for a model. */
export function placeText({ fullOutputPath: path, savedBytes, saveProblem }: BashSnapshot): string {
  if (path === undefined) return `Full output could not be saved: ${saveProblem ?? 'no file'}`;
  if (savedBytes === undefined) return `Full output: ${path}`;
  return `The first ${formatSize(savedBytes)} of the output: ${path}`;
}

async function readParts(path: string, parts: readonly (readonly number[])[]): Promise<readonly Buffer[]> {
  const file = await open(path);
  try {
    const read: Buffer[] = [];
    for (const [position = 0, length = 0] of parts) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
      read.push(buffer.subarray(0, bytesRead));
    }
    return read;
  } finally {
    await file.close();
  }
}

/** A cut ring begins inside a line; that line goes, unless it is all there is. */
function wholeLines(text: string): string {
  const newline = text.indexOf('\n');
  return newline === -1 || newline === text.length - 1 ? text : text.slice(newline + 1);
}

/**
 * Removes control characters that no text in a terminal needs, and sequences that are only for a terminal (titles, hyperlinks).
 * Keeps tabs, line ends and colors (ESC).
 */
export function withoutControls(text: string): string {
  const rest = withoutTerminalStrings(text);
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return rest.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f\ufff9-\ufffb]/g, '');
}
