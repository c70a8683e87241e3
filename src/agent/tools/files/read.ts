import { constants } from 'node:fs';
import { access, open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { raceAbort, throwIfAborted } from '../abort';
import { LineWindow } from './line-window';
import { resolveExisting } from './paths';
import { textResult } from '../result';
import { fileToolFacts } from '../facts';
import { defineTool, type Tool, type ToolResult } from '../tool';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, type TruncationResult } from '../truncate';

/** What the first bytes of a picture tell. */
interface ImageInfo {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels; missing when the header is damaged or lies beyond the bytes given. */
  readonly width?: number;
  readonly height?: number;
}

/** Bytes that are enough to recognise a picture (not always to measure a JPEG). */
const IMAGE_SNIFF_BYTES = 32;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const START_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** Recognises png, jpeg, gif and webp by content, whatever the file is called. */
export function describeImage(bytes: Buffer): ImageInfo | undefined {
  if (bytes.subarray(0, 8).equals(PNG)) return { mimeType: 'image/png', ...pngSize(bytes) };
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return { mimeType: 'image/gif', ...gifSize(bytes) };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') {
    return { mimeType: 'image/webp', ...webpSize(bytes) };
  }
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) {
    return { mimeType: 'image/jpeg', ...jpegSize(bytes) };
  }
  return undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function ascii(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function pngSize(bytes: Buffer): Size | undefined {
  return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Walks the segments to the frame header. */
function jpegSize(bytes: Buffer): Size | undefined {
  let position = 2;
  while (position + 9 <= bytes.length) {
    const marker = bytes[position + 1] ?? 0;
    if (bytes[position] !== 0xff) return undefined;
    if (START_OF_FRAME.has(marker)) {
      return { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    }
    const isFill = marker === 0xff;
    position += isFill ? 1 : 2 + bytes.readUInt16BE(position + 2);
  }
  return undefined;
}

const CHUNK_BYTES = 256 * 1024;
/** Providers refuse more than 5 MB of base64 per picture, and sides over 8000 pixels. */
const MAX_IMAGE_BYTES = 3.5 * 1024 * 1024;
const MAX_IMAGE_SIDE = 8000;

const parameters = Type.Object({
  path: Type.String({ description: 'File to read, relative to the working directory or absolute' }),
  offset: Type.Optional(Type.Number({ description: 'First line to read, counted from 1' })),
  limit: Type.Optional(Type.Number({ description: 'Most lines to read' })),
});

/** Details of a `read` result; undefined when nothing was cut. */
export interface ReadToolDetails {
  readonly truncation?: TruncationResult;
}

/** File access that hooks may replace (EXT). */
export interface ReadOperations {
  readonly readFile: (absolutePath: string) => Promise<Buffer>;
  /** Throws when the file cannot be read. */
  readonly access: (absolutePath: string) => Promise<void>;
  /** The type of a picture; null or undefined for other files. By content when this is missing. */
  readonly detectImageMimeType?: (absolutePath: string) => Promise<string | null | undefined>;
}

/** Options of {@link createReadTool}; pictures are never resized, so `autoResizeImages` has no effect. */
export interface ReadToolOptions {
  readonly autoResizeImages?: boolean | undefined;
  readonly operations?: ReadOperations | undefined;
}

type ReadResult = ToolResult<ReadToolDetails | undefined>;

interface LineRange {
  readonly path: string;
  /** 0-based. */
  readonly first: number;
  readonly offset: number | undefined;
  readonly limit: number | undefined;
}

/** The `read` tool. */
export function createReadTool(
  cwd: string,
  options: ReadToolOptions = {},
): Tool<typeof parameters, ReadToolDetails | undefined> {
  return defineTool({
    name: 'read',
    label: 'read',
    ...fileToolFacts('file', 'read'),
    description:
      `Read a text file, or look at a picture (png, jpeg, gif, webp). Shows at most ${DEFAULT_MAX_LINES} lines or ` +
      `${formatSize(DEFAULT_MAX_BYTES)} at once, whichever is less; go on with offset and limit.`,
    promptSnippet: 'Read files',
    promptGuidelines: ['Look at files with read, not with cat or sed.'],
    parameters,
    async execute(_toolCallId, { path, offset, limit }, signal) {
      throwIfAborted(signal);
      const absolutePath = resolveExisting(path, cwd);
      const first = Math.max(0, Math.floor(offset ?? 1) - 1);
      const range = { path, first, offset, limit: limit === undefined ? undefined : Math.max(0, Math.floor(limit)) };
      const read = options.operations ? readThrough(options.operations) : readLocal;
      return raceAbort(signal, read(absolutePath, range, signal));
    },
  });
}

type Reader = (absolutePath: string, range: LineRange, signal: AbortSignal | undefined) => Promise<ReadResult>;

const readLocal: Reader = async (absolutePath, range, signal) => {
  const file = await openFile(absolutePath, range.path);
  try {
    const head = Buffer.alloc(IMAGE_SNIFF_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (describeImage(head.subarray(0, bytesRead)) !== undefined) return await readImage(file, range.path);
    const window = newWindow(range);
    await pump(file, window, signal);
    return present(window, range);
  } finally {
    await file.close();
  }
};

function readThrough(operations: ReadOperations): Reader {
  return async (absolutePath, range) => {
    await operations.access(absolutePath);
    const mimeType = await operations.detectImageMimeType?.(absolutePath);
    const bytes = await operations.readFile(absolutePath);
    const image = describeImage(bytes);
    if (typeof mimeType === 'string') return imageResult(bytes, mimeType, range.path, image);
    if (operations.detectImageMimeType === undefined && image !== undefined) {
      return imageResult(bytes, image.mimeType, range.path, image);
    }
    const window = newWindow(range);
    window.push(bytes);
    return present(window, range);
  };
}

/** What goes wrong is told in the words of the system, as in pi. */
async function openFile(absolutePath: string, path: string): Promise<FileHandle> {
  await access(absolutePath, constants.R_OK);
  const info = await stat(absolutePath);
  if (info.isDirectory()) throw new Error('EISDIR: illegal operation on a directory, read');
  // Reading a pipe or a device may never end.
  if (!info.isFile()) throw new Error(`Cannot read ${path}: it is not a regular file.`);
  return open(absolutePath, 'r');
}

async function readImage(file: FileHandle, path: string): Promise<ReadResult> {
  const { size } = await file.stat();
  if (size > MAX_IMAGE_BYTES) {
    const limit = formatSize(MAX_IMAGE_BYTES);
    return textResult(`[Image ${path} is ${formatSize(size)}, exceeds ${limit} limit. Not attached.]`, undefined);
  }
  const bytes = await readFile(file);
  const info = describeImage(bytes);
  return imageResult(bytes, info?.mimeType ?? 'application/octet-stream', path, info);
}

function imageResult(bytes: Buffer, mimeType: string, path: string, info: ImageInfo | undefined): ReadResult {
  const { width = 0, height = 0 } = info ?? {};
  if (bytes.length > MAX_IMAGE_BYTES || Math.max(width, height) > MAX_IMAGE_SIDE) {
    const size = `${formatSize(bytes.length)}, ${width}x${height} pixels`;
    const limit = `${formatSize(MAX_IMAGE_BYTES)} and ${MAX_IMAGE_SIDE} pixels a side`;
    return textResult(`[Image ${path} is ${size}, exceeds the limit of ${limit}. Not attached.]`, undefined);
  }
  return {
    content: [
      { type: 'text', text: `Read image file [${mimeType}]` },
      { type: 'image', data: bytes.toString('base64'), mimeType },
    ],
    details: undefined,
  };
}

function newWindow(range: LineRange): LineWindow {
  return new LineWindow(range.first, range.limit);
}

/** Reads to the end, because the texts tell how many lines there are; only the window is kept in memory. */
async function pump(file: FileHandle, window: LineWindow, signal: AbortSignal | undefined): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    throwIfAborted(signal);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    window.push(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function present(window: LineWindow, range: LineRange): ReadResult {
  const fileLines = window.totalLines;
  if (range.first > 0 && range.first >= fileLines) {
    throw new Error(`Offset ${range.offset ?? 1} is beyond end of file (${fileLines} lines total)`);
  }
  const remaining = fileLines - range.first - window.selectedLines;
  const kept = window.text();
  // Lines left out after the selection are told by a notice of their own: its last newline would only add a blank line.
  const text = remaining > 0 && kept.endsWith('\n') ? kept.slice(0, -1) : kept;
  const total = { lines: window.selectedLines, bytes: window.selectedBytes };
  const truncation = truncateHead(text, total.bytes > DEFAULT_MAX_BYTES ? { total } : {});
  const from = range.first + 1;

  if (truncation.firstLineExceedsLimit) {
    const size = formatSize(window.firstLineBytes);
    const command = `sed -n '${from}p' ${shellWord(range.path)} | head -c ${DEFAULT_MAX_BYTES}`;
    const notice = `[Line ${from} is ${size}, exceeds ${formatSize(DEFAULT_MAX_BYTES)} limit. Use bash: ${command}]`;
    return textResult(notice, { truncation });
  }
  if (truncation.truncated) {
    const to = range.first + truncation.outputLines;
    const limit = truncation.truncatedBy === 'bytes' ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : '';
    const notice = `[Showing lines ${from}-${to} of ${fileLines}${limit}. Use offset=${to + 1} to continue.]`;
    return textResult(`${truncation.content}\n\n${notice}`, { truncation });
  }
  if (remaining > 0) {
    const next = range.first + window.selectedLines + 1;
    const notice = `[${remaining} more lines in file. Use offset=${next} to continue.]`;
    return textResult(`${truncation.content}\n\n${notice}`, undefined);
  }
  return textResult(truncation.content, undefined);
}

/** The path as a shell reads it: quoted only where it must be. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
