import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { messageOf } from '../../../base/errors';
import { raceAbort, throwIfAborted } from '../abort';
import { diffReplacement, type Replacement } from './diff';
import { findEdit, lineEndAt, toLf } from './edit-match';
import { withFileQueue } from './mutation-queue';
import { resolveExisting } from './paths';
import { replaceFile } from './replace-file';
import { errorCode, textResult } from '../result';
import { fileToolFacts } from '../facts';
import { defineTool, type Tool } from '../tool';
import { countNewlines } from '../truncate';

const BOM = '\ufeff';

const parameters = Type.Object({
  path: Type.String({ description: 'File to change, relative to the working directory or absolute' }),
  oldText: Type.String({ description: 'Text to replace; it must stand in the file exactly once' }),
  newText: Type.String({ description: 'Text to put in its place' }),
});

/** Details of an `edit` result (docs/dialects.md, D1). */
export interface EditToolDetails {
  readonly diff: string;
  /** 1-based line of the first change in the new file. */
  readonly firstChangedLine?: number;
}

/** File access that hooks may replace (EXT). */
export interface EditOperations {
  readonly readFile: (absolutePath: string) => Promise<Buffer>;
  readonly writeFile: (absolutePath: string, content: string) => Promise<void>;
  /** Throws when the file cannot be read and written. */
  readonly access: (absolutePath: string) => Promise<void>;
}

/** Options of {@link createEditTool}. */
export interface EditToolOptions {
  readonly operations?: EditOperations | undefined;
}

interface EditRequest {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** The `edit` tool. */
export function createEditTool(cwd: string, options: EditToolOptions = {}): Tool<typeof parameters, EditToolDetails> {
  return defineTool({
    name: 'edit',
    label: 'edit',
    ...fileToolFacts('edit', 'edit'),
    description:
      'Replace one piece of text in a file. oldText must match the file exactly, white space included, and stand ' +
      'there only once; take in enough of its surroundings.',
    promptSnippet: 'Make precise changes to files by replacing exact text',
    promptGuidelines: ['Use edit for precise changes; oldText must match exactly.'],
    parameters,
    async execute(_toolCallId, request, signal) {
      throwIfAborted(signal);
      const absolutePath = resolveExisting(request.path, cwd);
      const { operations } = options;
      const work = withFileQueue(absolutePath, async () => {
        const files = operations ? foreignFiles(operations, request.path, signal) : localFiles(request.path, signal);
        return editFile(files, absolutePath, request);
      });
      const details = await raceAbort(operations && signal, work);
      return textResult(`Successfully replaced text in ${request.path}.`, details);
    },
  });
}

/** New content as pieces of bytes, so that a large file is not encoded anew, and as text for those who need text. */
interface NewContent {
  readonly pieces: readonly Buffer[];
  readonly encoding: 'utf8' | 'latin1';
  readonly text: () => string;
}

/** Reads and writes, each refusing to begin once the call is aborted. */
interface Files {
  read(absolutePath: string): Promise<Buffer>;
  write(absolutePath: string, content: NewContent): Promise<void>;
}

function localFiles(path: string, signal: AbortSignal | undefined): Files {
  return {
    async read(absolutePath) {
      throwIfAborted(signal);
      try {
        const isDirectory = (await stat(absolutePath)).isDirectory();
        if (isDirectory) throw new Error(`Cannot edit ${path}: it is a directory`);
        await access(absolutePath, constants.R_OK | constants.W_OK);
      } catch (error) {
        throw accessProblem(error, path);
      }
      return raceAbort(signal, readFile(absolutePath));
    },
    async write(absolutePath, { pieces }) {
      throwIfAborted(signal);
      try {
        await replaceFile(absolutePath, pieces);
      } catch (error) {
        throw new Error(`Cannot write ${path}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

function accessProblem(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`File not found: ${path}`, { cause: error });
  if (code === undefined) return error;
  return new Error(`Cannot edit ${path}: ${code === 'EACCES' ? 'permission denied' : messageOf(error)}`, {
    cause: error,
  });
}

function foreignFiles(operations: EditOperations, path: string, signal: AbortSignal | undefined): Files {
  return {
    async read(absolutePath) {
      try {
        await raceAbort(signal, operations.access(absolutePath));
      } catch (error) {
        throwIfAborted(signal);
        throw new Error(`File not found: ${path}`, { cause: error });
      }
      return raceAbort(signal, operations.readFile(absolutePath));
    },
    async write(absolutePath, { text, encoding }) {
      // The port takes text only; bytes that are not UTF-8 would be destroyed on the way.
      if (encoding !== 'utf8') throw new Error(`Cannot edit ${path}: it is not UTF-8 text`);
      await raceAbort(signal, operations.writeFile(absolutePath, text()));
    },
  };
}

async function editFile(files: Files, absolutePath: string, request: EditRequest): Promise<EditToolDetails> {
  if (request.oldText === '') throw new Error(`oldText must not be empty in ${request.path}.`);
  const bytes = await files.read(absolutePath);
  // Bytes that are no UTF-8 survive as they are when each is taken for one character.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const whole = bytes.toString(encoding);
  const bom = whole.startsWith(BOM) ? BOM : '';
  const before = whole.slice(bom.length);
  const change = plan(before, {
    path: request.path,
    oldText: recode(request.oldText, encoding),
    newText: recode(request.newText, encoding),
  });
  const { start, end, inserted } = change;
  const byteAt = (offset: number): number => Buffer.byteLength(bom + before.slice(0, offset), encoding);
  const firstByte = byteAt(start);
  const endByte = firstByte + Buffer.byteLength(before.slice(start, end), encoding);
  await files.write(absolutePath, {
    pieces: [bytes.subarray(0, firstByte), Buffer.from(inserted, encoding), bytes.subarray(endByte)],
    encoding,
    text: () => bom + before.slice(0, start) + inserted + before.slice(end),
  });
  const countLines = (from: number, to: number): number => countNewlines(bytes.subarray(byteAt(from), byteAt(to)));
  const { diff, firstChangedLine } = diffReplacement(before, change, countLines);
  return {
    diff: encoding === 'utf8' ? diff : Buffer.from(diff, encoding).toString('utf8'),
    ...(firstChangedLine !== undefined && { firstChangedLine }),
  };
}

/** What to put in place of which part of the text; throws when there is no such part, or more than one. */
function plan(text: string, { path, oldText, newText }: EditRequest): Replacement {
  const match = findEdit(text, oldText);
  if (match.kind === 'missing') {
    throw new Error(
      `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`,
    );
  }
  if (match.kind === 'ambiguous') {
    throw new Error(
      `Found ${match.count} occurrences of the text in ${path}. The text must be unique. ` +
        `Please provide more context to make it unique.`,
    );
  }
  const { start, end } = match;
  const plain = toLf(newText);
  if (toLf(text.slice(start, end)) === plain) {
    throw new Error(
      `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with ` +
        `special characters or the text not existing as expected.`,
    );
  }
  return { start, end, inserted: lineEndAt(text, start, end) === '\r\n' ? plain.replaceAll('\n', '\r\n') : plain };
}

function recode(text: string, encoding: 'utf8' | 'latin1'): string {
  return encoding === 'utf8' ? text : Buffer.from(text, 'utf8').toString(encoding);
}
