import { constants, fstatSync } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import { Type, type Static } from '@sinclair/typebox';
import { openRegular, readHandle, readSmallSync, SpecialFileError } from '../../../base/files/regular-file';
import { raceAbort, throwIfAborted } from '../abort';
import { describeImage, isBitmap } from '../../images/describe-image';
import { fitImage } from '../../images/fit-images';
import { currentTarget, whileUnchanged } from './file-target';
import { LineWindow } from './line-window';
import { resolveExisting } from './paths';
import { decodeExactly, type CodecOf, type TextCodec } from './text-codec';
import { asUtf8, utf16Of } from './text-encoding';
import { textResult } from '../result';
import { fileToolFacts } from '../facts';
import { defineTool, STRICT_IF_POSSIBLE, type Tool, type ToolResult } from '../tool';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, type TruncationResult } from '../truncate';

/** Bytes that are enough to recognise a picture (not always to measure a JPEG). */
const IMAGE_SNIFF_BYTES = 32;

const CHUNK_BYTES = 256 * 1024;
/** A longer text in UTF-16 is not read, since it is converted as a whole. */
const MOST_WHOLE_BYTES = 64 * 1024 * 1024;
/** Larger pictures are not read. */
const MOST_IMAGE_BYTES = 64 * 1024 * 1024;
/** Providers refuse more than 5 MB of base64 per picture, and sides over 8000 pixels. */
const MAX_IMAGE_BYTES = 3.5 * 1024 * 1024;
const MAX_IMAGE_SIDE = 8000;

const parameters = Type.Object({
  path: Type.String({ description: 'File to read, relative to the working directory or absolute' }),
  offset: Type.Optional(Type.Number({ description: 'First line to read, counted from 1' })),
  limit: Type.Optional(Type.Number({ description: 'Most lines to read' })),
});

const OUTPUT = Type.Union([
  Type.String(),
  Type.Object({ type: Type.Literal('image'), data: Type.String(), mimeType: Type.String(), note: Type.String() }),
]);

/** Details of a `read` result; undefined when nothing was cut and the model sees what was read. */
export interface ReadToolDetails {
  readonly truncation?: TruncationResult;
  /** Id of the model for which a picture was read that it cannot see. Only the user is told: another model may see it. */
  readonly imageUnsupportedByModel?: string;
}

/** File access that hooks may replace (EXT). */
export interface ReadOperations {
  readonly readFile: (absolutePath: string) => Promise<Buffer>;
  /** Throws when the file cannot be read. */
  readonly access: (absolutePath: string) => Promise<void>;
  /** The type of a picture; null or undefined for other files. By content when this is missing. */
  readonly detectImageMimeType?: (absolutePath: string) => Promise<string | null | undefined>;
}

/** Options of {@link createReadTool}. */
export interface ReadToolOptions {
  /** Whether pictures are made small enough for models; true when absent. */
  readonly autoResizeImages?: boolean | (() => boolean) | undefined;
  readonly operations?: ReadOperations | undefined;
  /** The encodings of files that are not Unicode; absent: not known. */
  readonly codecOf?: CodecOf | undefined;
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
    constrainedSampling: STRICT_IF_POSSIBLE,
    outputSchema: OUTPUT,
    async execute(_toolCallId, { path, offset, limit }, signal, _onUpdate, context) {
      throwIfAborted(signal);
      const { autoResizeImages: resizes = true } = options;
      const showing: Showing = {
        resizes: typeof resizes === 'function' ? resizes() : resizes,
        ...(context?.model?.input.includes('image') === false ? { unseenBy: context.model.id } : {}),
      };
      const target = options.operations === undefined ? currentTarget() : undefined;
      const absolutePath = target?.real ?? resolveExisting(path, cwd);
      const first = Math.max(0, Math.floor(offset ?? 1) - 1);
      const range = { path, first, offset, limit: limit === undefined ? undefined : Math.max(0, Math.floor(limit)) };
      const read = options.operations ? readThrough(options.operations) : readLocal;
      const result = await whileUnchanged(target, path, () =>
        raceAbort(signal, read(absolutePath, { ...range, showing, codec: options.codecOf?.(absolutePath) }, signal)),
      );
      return { ...result, structuredContent: dataOf(result) };
    },
  });
}

/** The result for programs that call the tool: the text, or the image with the text about it. */
function dataOf({ content }: ReadResult): Static<typeof OUTPUT> {
  const note = content.find(part => part.type === 'text')?.text ?? '';
  const image = content.find(part => part.type === 'image');
  return image === undefined ? note : { type: 'image', data: image.data, mimeType: image.mimeType, note };
}

/** How the model gets a picture. */
interface Showing {
  readonly resizes: boolean;
  /** Id of the model, if it cannot see pictures. */
  readonly unseenBy?: string;
}

type Reader = (
  absolutePath: string,
  request: LineRange & { readonly showing: Showing; readonly codec: TextCodec | undefined },
  signal: AbortSignal | undefined,
) => Promise<ReadResult>;

const readLocal: Reader = async (absolutePath, range, signal) => {
  const small = readSmallSync(absolutePath);
  if (small !== undefined && imageTypeOf(small.subarray(0, IMAGE_SNIFF_BYTES)) === undefined) {
    const window = newWindow(range);
    window.push((await decodeExactly(range.codec, small)) ?? asUtf8(small));
    return present(window, range);
  }
  const file = await openFile(absolutePath, range.path);
  try {
    // Synchronous, because waking a thread takes longer than the call.
    const { size } = fstatSync(file.fd);
    const buffer = Buffer.allocUnsafe(chunkFor(size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const head = buffer.subarray(0, Math.min(bytesRead, IMAGE_SNIFF_BYTES));
    const imageType = imageTypeOf(head);
    if (imageType !== undefined) return await readImage(file, imageType, range, signal);
    const window = newWindow(range);
    if (utf16Of(head) !== undefined || (range.codec !== undefined && size <= MOST_WHOLE_BYTES)) {
      const bytes = await readHandle(file, range.path, { most: MOST_WHOLE_BYTES, signal });
      window.push((await decodeExactly(range.codec, bytes)) ?? asUtf8(bytes));
      return present(window, range);
    }
    window.push(buffer.subarray(0, bytesRead));
    if (size === 0 || bytesRead !== size) await pump(file, window, { buffer, position: bytesRead }, signal);
    return present(window, range);
  } finally {
    await file.close();
  }
};

const BITMAP = 'image/bmp';

/** The type that an image has by its first bytes; undefined for everything else. */
function imageTypeOf(head: Buffer): string | undefined {
  return describeImage(head)?.mimeType ?? (isBitmap(head) ? BITMAP : undefined);
}

/** Bytes to read at once from a file of this size. Files that the system generates have the size 0. */
function chunkFor(size: number): number {
  return size === 0 ? CHUNK_BYTES : Math.min(size + 1, CHUNK_BYTES);
}

function readThrough(operations: ReadOperations): Reader {
  return async (absolutePath, range) => {
    await operations.access(absolutePath);
    const mimeType = await operations.detectImageMimeType?.(absolutePath);
    const bytes = await operations.readFile(absolutePath);
    const imageType = imageTypeOf(bytes);
    if (typeof mimeType === 'string') return imageResult(bytes, imageType ?? mimeType, range);
    if (operations.detectImageMimeType === undefined && imageType !== undefined) {
      return imageResult(bytes, imageType, range);
    }
    const window = newWindow(range);
    window.push(asUtf8(bytes));
    return present(window, range);
  };
}

/** Errors use the words of the operating system, as in pi. */
async function openFile(absolutePath: string, path: string): Promise<FileHandle> {
  try {
    return await openRegular(absolutePath);
  } catch (error) {
    await access(absolutePath, constants.R_OK);
    if (!(error instanceof SpecialFileError) || error.kind === 'folder') throw error;
    throw new Error(`Cannot read ${path}: it is a ${error.kind}, not a regular file.`, { cause: error });
  }
}

type ImageRequest = Pick<Parameters<Reader>[1], 'path' | 'showing'>;

async function readImage(
  file: FileHandle,
  mimeType: string,
  request: ImageRequest,
  signal: AbortSignal | undefined,
): Promise<ReadResult> {
  const { size } = await file.stat();
  const limit = request.showing.resizes || mimeType === BITMAP ? MOST_IMAGE_BYTES : MAX_IMAGE_BYTES;
  if (size > limit) return textResult(tooLarge(request.path, formatSize(size), formatSize(limit)), undefined);
  const bytes = await readHandle(file, request.path, { most: limit, signal });
  return imageResult(bytes, mimeType, request);
}

async function imageResult(bytes: Buffer, mimeType: string, { path, showing }: ImageRequest): Promise<ReadResult> {
  const details = showing.unseenBy === undefined ? undefined : { imageUnsupportedByModel: showing.unseenBy };
  if (showing.resizes || mimeType === BITMAP) {
    const fitted = await fitImage(bytes);
    if (!fitted.ok) return textResult(`Read image file [${mimeType}]\n${fitted.message}`, undefined);
    const { data, mimeType: type, hints } = fitted;
    const conversion = mimeType === BITMAP ? [`[Image converted from ${BITMAP} to ${type}.]`] : [];
    return {
      content: [
        { type: 'text', text: [`Read image file [${type}]`, ...conversion, ...hints].join('\n') },
        { type: 'image', data, mimeType: type },
      ],
      details,
    };
  }
  const { width = 0, height = 0 } = describeImage(bytes) ?? {};
  if (bytes.length > MAX_IMAGE_BYTES || Math.max(width, height) > MAX_IMAGE_SIDE) {
    const size = `${formatSize(bytes.length)}, ${width}x${height} pixels`;
    const limit = `${formatSize(MAX_IMAGE_BYTES)} and ${MAX_IMAGE_SIDE} pixels a side`;
    return textResult(tooLarge(path, size, limit), undefined);
  }
  const image = { type: 'image', data: bytes.toString('base64'), mimeType } as const;
  return { content: [{ type: 'text', text: `Read image file [${mimeType}]` }, image], details };
}

function tooLarge(path: string, size: string, limit: string): string {
  return `[Image ${path} is ${size}, exceeds the limit of ${limit}. Not attached.]`;
}

function newWindow(range: LineRange): LineWindow {
  return new LineWindow(range.first, range.limit);
}

/**
 * Reads from `position` to the end, because the texts tell how many lines there are; only the window is kept in memory,
 * and the contents of `buffer` change.
 */
async function pump(
  file: FileHandle,
  window: LineWindow,
  { buffer, position }: { readonly buffer: Buffer; readonly position: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let at = position; ;) {
    throwIfAborted(signal);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    window.push(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function present(window: LineWindow, range: LineRange): ReadResult {
  const fileLines = window.totalLines;
  if (range.first > 0 && range.first >= fileLines) {
    throw new Error(`Offset ${range.offset ?? 1} is beyond end of file (${fileLines} lines total)`);
  }
  const remaining = fileLines - range.first - window.selectedLines;
  const kept = window.text();
  // A notice reports the lines left out after the selection: the selection's last newline would only add a blank line.
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

/** The path as a shell reads it, quoted only if necessary. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
