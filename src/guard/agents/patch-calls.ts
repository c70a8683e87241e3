import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { editsIn } from '../../agent/tools/files/editing/edit-arguments';
import type { EventAnswer, GuardedEventOf, TranslatedCall } from './agent';
import { changedCall, type ChangedCall } from './changed-input';
import { parsePatch, patchText, type FilePatch, type PatchChunk } from './patch';
import { textIn } from './payload';
import { absolutePath, CannotChangeError } from './tool-calls';

/** The largest file whose text a call shows that Codex's patch does not contain, in bytes. */
const LARGEST = 1024 * 1024;

/** The patch among the arguments of a tool for patches, whose hooks may get it as a command; empty without one. */
export function patchIn(input: Readonly<Record<string, unknown>>): string {
  return textIn(input, 'command') ?? textIn(input, 'input') ?? '';
}

/** The calls of pi's tools that do what such a call does; undefined where it has no patch that can be read. */
export function patchInputCalls(
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): readonly TranslatedCall[] | undefined {
  const files = parsePatch(patchIn(input));
  return files === undefined ? undefined : patchCalls(files, cwd);
}

/**
 * The arguments of such a call after a hook changed it; undefined where it changed nothing.
 * @throws {CannotChangeError}
 */
export function changedPatchInput(
  event: GuardedEventOf<'tool_call'>,
  inputs: EventAnswer['input'],
): Record<string, unknown> | undefined {
  const { input } = event.original;
  const change = changedCall(event, inputs);
  const files = parsePatch(patchIn(input));
  if (change === undefined || files === undefined) return change && { ...change.changed };
  const member = input['command'] === undefined ? 'input' : 'command';
  return { ...input, [member]: changedPatch(files, change, event.cwd) };
}

/**
 * The calls of pi's tools that do what a patch does: `write` for a new file, `edit` for a changed one, an edit of the whole text
 * for one that is deleted. A moved file is edited in its old place and written in its new one.
 */
export function patchCalls(files: readonly FilePatch[], cwd: string): readonly TranslatedCall[] {
  return files.flatMap(file => {
    const path = absolutePath(file.path, cwd);
    switch (file.type) {
      case 'add':
        return [{ toolName: 'write', input: { path, content: file.content } }];
      case 'delete':
        return [{ toolName: 'edit', input: { path, edits: [{ oldText: textOf(path) ?? '', newText: '' }] } }];
      case 'update': {
        const edit = { toolName: 'edit', input: { path, edits: file.chunks.map(asEdit) } };
        if (file.moveTo === undefined) return [edit];
        return [
          edit,
          { toolName: 'write', input: { path: absolutePath(file.moveTo, cwd), content: moved(path, file) } },
        ];
      }
    }
  });
}

/**
 * The patch after a hook changed its one call.
 * @throws {CannotChangeError} unless it adds or edits one file, and nothing else of the call was changed
 */
export function changedPatch(
  files: readonly FilePatch[],
  { call: { input: before }, changed: after }: ChangedCall,
  cwd: string,
): string {
  const [file] = files;
  const names = Object.keys({ ...before, ...after }).filter(name => !isDeepStrictEqual(before[name], after[name]));
  const part = file?.type === 'add' ? 'content' : 'edits';
  const isSimple =
    files.length === 1 && (file?.type === 'add' || (file?.type === 'update' && file.moveTo === undefined));
  if (!isSimple || names.some(name => name !== 'path' && name !== part)) {
    throw new CannotChangeError('A hook changed a patch in a way that cannot be written as a patch.');
  }
  const path = names.includes('path') ? changedPath(after['path'], cwd) : file.path;
  if (file.type === 'add') return patchText([{ ...file, path, content: changedContent(after['content']) }]);
  return patchText([{ ...file, path, chunks: changedChunks(file.chunks, after) }]);
}

function changedPath(path: unknown, cwd: string): string {
  if (typeof path !== 'string' || path === '' || /[\r\n]/.test(path)) {
    throw new CannotChangeError('A hook gave a patch no path.');
  }
  return absolutePath(path, cwd);
}

function changedContent(content: unknown): string {
  if (typeof content !== 'string' || (content !== '' && !content.endsWith('\n'))) {
    throw new CannotChangeError('A hook gave a new file a text without a line end, which a patch cannot write.');
  }
  return content;
}

function changedChunks(chunks: readonly PatchChunk[], after: Readonly<Record<string, unknown>>): readonly PatchChunk[] {
  const edits = editsIn(after);
  if (edits?.length !== chunks.length) {
    throw new CannotChangeError('A hook changed how many places of a file a patch edits.');
  }
  return chunks.map((chunk, index) => {
    const edit = edits[index];
    if (edit === undefined || isDeepStrictEqual(edit, asEdit(chunk))) return chunk;
    return { ...chunk, oldLines: linesOf(edit.oldText), newLines: linesOf(edit.newText) };
  });
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

function asEdit({ oldLines, newLines }: PatchChunk): { readonly oldText: string; readonly newText: string } {
  return { oldText: oldLines.join('\n'), newText: newLines.join('\n') };
}

/** The text in the new place of a moved file; only the new lines where the old text is not there. */
function moved(path: string, { chunks }: FilePatch & { readonly type: 'update' }): string {
  let text = textOf(path);
  for (const { oldText, newText } of chunks.map(asEdit)) {
    const at = text?.indexOf(oldText) ?? -1;
    text = text === undefined || at === -1 ? undefined : text.slice(0, at) + newText + text.slice(at + oldText.length);
  }
  return text ?? chunks.map(chunk => asEdit(chunk).newText).join('\n');
}

function textOf(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined; // Not there or not readable: Codex itself says so.
  }
}
