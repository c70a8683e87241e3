import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type } from '@sinclair/typebox';
import { openRegular, readRegular } from '../../../../base/files/regular-file';
import { raceAbort, throwIfAborted } from '../../abort';
import { currentTarget } from '../file-target';
import { withFileQueue } from './mutation-queue';
import { resolveForWrite } from '../paths';
import { overwriteFile } from './overwrite-file';
import { decodeExactly, encodeExactly, MOST_CODED_BYTES, type CodecOf, type TextCodec } from '../text-codec';
import { toUtf16, utf16Of } from '../text-encoding';
import type { WriteRecords } from './write-records';
import { writeTarget } from './write-target';
import { errorCode, textResult } from '../../result';
import { fileToolFacts } from '../../facts';
import { defineTool, STRICT_IF_POSSIBLE, type Tool } from '../../tool';

/** The arguments of `write`. */
export const writeParameters = Type.Object({
  path: Type.String({ description: 'File to write, relative to the working directory or absolute' }),
  content: Type.String({ description: 'The whole new content' }),
});

/** File access that hooks may replace (EXT). */
export interface WriteOperations {
  readonly writeFile: (absolutePath: string, content: string) => Promise<void>;
  /** Creates a folder with its parents. */
  readonly mkdir: (directory: string) => Promise<void>;
}

/** Options of {@link createWriteTool}. */
export interface WriteToolOptions {
  readonly operations?: WriteOperations | undefined;
  /** Where a file is recorded while it is written; absent: nowhere. */
  readonly records?: WriteRecords | undefined;
  /** The encodings of files that are not Unicode; absent: not known. */
  readonly codecOf?: CodecOf | undefined;
}

/** The `write` tool. */
export function createWriteTool(cwd: string, options: WriteToolOptions = {}): Tool<typeof writeParameters, undefined> {
  const { records } = options;
  return defineTool({
    name: 'write',
    label: 'write',
    ...fileToolFacts('new-file', 'write'),
    description: 'Create a file or replace all of its content. Missing folders are created.',
    promptSnippet: 'Create or replace files',
    promptGuidelines: ['Use write only for new files and complete rewrites.'],
    parameters: writeParameters,
    constrainedSampling: STRICT_IF_POSSIBLE,
    async execute(_toolCallId, { path, content }, signal) {
      throwIfAborted(signal);
      const target = options.operations === undefined ? currentTarget() : undefined;
      const absolutePath = target?.real ?? resolveForWrite(path, cwd);
      const write = async (): Promise<void> => {
        throwIfAborted(signal);
        if (options.operations !== undefined) {
          await raceAbort(signal, writeThrough(options.operations, absolutePath, content));
        } else {
          const coded = await codedAs(absolutePath, content, { path, codec: options.codecOf?.(absolutePath) });
          await (target === undefined
            ? writeLocal(absolutePath, coded, records)
            : writeTarget(target, coded, { path, records }));
        }
      };
      await raceAbort(options.operations && signal, withFileQueue(absolutePath, write));
      return textResult(`Successfully wrote to ${path}`, undefined);
    },
  });
}

async function writeThrough(operations: WriteOperations, absolutePath: string, content: string): Promise<void> {
  await operations.mkdir(dirname(absolutePath));
  await operations.writeFile(absolutePath, content);
}

/** The content in the encoding of the existing file: UTF-16 with a mark, or the editor's encoding. Otherwise UTF-8. */
async function codedAs(
  absolutePath: string,
  content: string,
  { path, codec }: { readonly path: string; readonly codec: TextCodec | undefined },
): Promise<string | readonly Buffer[]> {
  const found = codec && (await bytesAt(absolutePath));
  if (codec !== undefined && found !== undefined && (await decodeExactly(codec, found)) !== undefined) {
    return [await encodeExactly(codec, content, `Cannot write ${path}`)];
  }
  return writtenContent(content, await headOf(absolutePath));
}

/** What `write` puts into a file that is not in an encoding of the editor, and that begins with these bytes. */
export function writtenContent(content: string, head: Buffer): string | readonly Buffer[] {
  const encoding = utf16Of(head);
  return encoding === undefined ? content : [toUtf16(content, encoding)];
}

/** Empty if the file is missing. Undefined if it is too large or cannot be read; the write then reports why. */
async function bytesAt(absolutePath: string): Promise<Buffer | undefined> {
  try {
    return await readRegular(absolutePath, { most: MOST_CODED_BYTES });
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? Buffer.alloc(0) : undefined;
  }
}

const HEAD_BYTES = 4;

/** Empty if the file is missing or cannot be read; the write then reports why. */
async function headOf(absolutePath: string): Promise<Buffer> {
  try {
    const file = await openRegular(absolutePath);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** Errors use the words of the operating system, which name the path and the reason. */
async function writeLocal(
  absolutePath: string,
  content: string | readonly Buffer[],
  records: WriteRecords | undefined,
): Promise<void> {
  await mkdir(dirname(absolutePath), { recursive: true });
  await overwriteFile(absolutePath, content, records);
}
