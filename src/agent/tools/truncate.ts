/** Most lines of a file or of a command's output that the model is shown. */
export const DEFAULT_MAX_LINES = 2000;
/** Most bytes of a file or of a command's output that the model is shown. */
export const DEFAULT_MAX_BYTES = 51_200;
/** Most characters of one line in a search result. */
export const GREP_MAX_LINE_LENGTH = 500;

const NEWLINE = 0x0a;

/** What was cut and why; a part of the `details` of tool results. */
export interface TruncationResult {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: 'lines' | 'bytes' | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  /** Only {@link truncateTail} cuts inside a line, when the last line alone is over the byte limit. */
  readonly lastLinePartial: boolean;
  /** Only {@link truncateHead} sets it; the content is then empty. */
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** The size of a text. A final newline ends the last line and does not start another. */
export interface TextSize {
  readonly lines: number;
  readonly bytes: number;
}

/** Limits of a truncation; `total` is given when `content` is only the kept part of something larger. */
export interface TruncationOptions {
  readonly maxLines?: number;
  readonly maxBytes?: number;
  readonly total?: TextSize;
}

/** `512B`, `50.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

/** Number of newline bytes in a chunk. Four bytes at a time: output and files of many megabytes are counted so. */
export function countNewlines(chunk: Uint8Array): number {
  if (chunk.length < 8) return countByByte(chunk, 0, chunk.length);
  const head = -chunk.byteOffset & 3;
  const words = new Int32Array(chunk.buffer, chunk.byteOffset + head, (chunk.length - head) >>> 2);
  let count = countByByte(chunk, 0, head) + countByByte(chunk, head + words.length * 4, chunk.length);
  for (let i = 0; i < words.length; i++) {
    const difference = (words[i] ?? 0) ^ 0x0a0a0a0a;
    // The high bit of each byte of `zeros` is set where the byte of `difference` is zero.
    const zeros = ~(((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference | 0x7f7f7f7f);
    if (zeros !== 0) count += ((zeros >>> 7) & 1) + ((zeros >>> 15) & 1) + ((zeros >>> 23) & 1) + (zeros >>> 31);
  }
  return count;
}

function countByByte(chunk: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (chunk[i] === NEWLINE) count++;
  return count;
}

/** Keeps the first whole lines that fit; a first line over the byte limit gives empty content and a flag. */
export function truncateHead(content: string, options: TruncationOptions = {}): TruncationResult {
  const bytes = Buffer.from(content);
  const limits = limitsOf(options);
  const total = options.total ?? sizeOf(bytes);
  if (fits(total, limits)) return untouched(content, total, limits);

  let end = 0;
  let lines = 0;
  while (lines < limits.maxLines && (lines === 0 || end < bytes.length)) {
    const lineStart = lines === 0 ? 0 : end + 1;
    if (lineStart >= bytes.length) break;
    const newline = bytes.indexOf(NEWLINE, lineStart);
    const lineEnd = newline === -1 ? bytes.length : newline;
    if (lineEnd > limits.maxBytes) break;
    end = lineEnd;
    lines++;
  }
  const kept = { content: bytes.toString('utf8', 0, end), lines, bytes: end };
  return cut(kept, total, { ...limits, firstLineExceedsLimit: lines === 0 });
}

/** Keeps the last whole lines that fit; of a last line over the byte limit it keeps the end. */
export function truncateTail(content: string, options: TruncationOptions = {}): TruncationResult {
  const bytes = Buffer.from(content);
  const limits = limitsOf(options);
  const total = options.total ?? sizeOf(bytes);
  if (fits(total, limits)) return untouched(content, total, limits);

  const textEnd = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  const tail = lastLines(bytes, textEnd, limits);
  const lastLinePartial = tail.lines === 0;
  const start = lastLinePartial ? characterStart(bytes, textEnd - limits.maxBytes) : tail.start;
  // The final newline is kept if it fits, so that the text below looks the same as without a cut.
  const end = bytes.length - start <= limits.maxBytes ? bytes.length : textEnd;
  const kept = { content: bytes.toString('utf8', start, end), lines: tail.lines, bytes: end - start };
  return cut(kept, total, { ...limits, lastLinePartial });
}

/** Cuts one line to `maxChars` UTF-16 units (never inside a surrogate pair) and marks the cut. */
export function truncateLine(line: string, maxChars = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  const last = line.charCodeAt(maxChars - 1);
  const cut = last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars;
  return { text: `${line.slice(0, cut)}... [truncated]`, wasTruncated: true };
}

/** First position at or after `from` where a UTF-8 character starts. */
export function characterStart(bytes: Uint8Array, from: number): number {
  let position = Math.max(0, from);
  while (position < bytes.length && ((bytes[position] ?? 0) & 0xc0) === 0x80) position++;
  return position;
}

/** Where the last character ends that is complete: after it, at most the beginning of another one follows. */
export function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

interface Limits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

function limitsOf({ maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: TruncationOptions): Limits {
  return { maxLines, maxBytes };
}

function fits(total: TextSize, limits: Limits): boolean {
  return total.lines <= limits.maxLines && total.bytes <= limits.maxBytes;
}

function sizeOf(bytes: Uint8Array): TextSize {
  const unterminated = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0;
  return { lines: countNewlines(bytes) + unterminated, bytes: bytes.length };
}

/** Where the last whole lines that fit begin, and how many they are. */
function lastLines(bytes: Buffer, textEnd: number, limits: Limits): { readonly start: number; readonly lines: number } {
  let start = textEnd + 1;
  let lines = 0;
  while (lines < limits.maxLines && start > 0) {
    const lineEnd = start - 1;
    const lineStart = lineEnd === 0 ? 0 : bytes.lastIndexOf(NEWLINE, lineEnd - 1) + 1;
    if (textEnd - lineStart > limits.maxBytes) break;
    start = lineStart;
    lines++;
  }
  return { start, lines };
}

function untouched(content: string, total: TextSize, limits: Limits): TruncationResult {
  return {
    content,
    truncated: false,
    truncatedBy: null,
    totalLines: total.lines,
    totalBytes: total.bytes,
    outputLines: total.lines,
    outputBytes: total.bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    ...limits,
  };
}

function cut(
  kept: { readonly content: string; readonly lines: number; readonly bytes: number },
  total: TextSize,
  facts: Limits & { readonly lastLinePartial?: boolean; readonly firstLineExceedsLimit?: boolean },
): TruncationResult {
  const lastLinePartial = facts.lastLinePartial ?? false;
  // All lines can fit even if the final newline is one byte too many. Nothing important is lost then.
  const truncated = kept.lines < total.lines;
  const by = kept.lines >= facts.maxLines ? 'lines' : 'bytes';
  return {
    content: kept.content,
    truncated,
    truncatedBy: truncated ? by : null,
    totalLines: total.lines,
    totalBytes: total.bytes,
    outputLines: lastLinePartial ? 1 : kept.lines,
    outputBytes: kept.bytes,
    lastLinePartial,
    firstLineExceedsLimit: facts.firstLineExceedsLimit ?? false,
    maxLines: facts.maxLines,
    maxBytes: facts.maxBytes,
  };
}
