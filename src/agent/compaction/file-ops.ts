import type { AgentMessage } from '../messages';
import { toolFacts } from '../tools';
import type { FileUse } from '../tools/facts';

/** Paths that tools were called with, by what was done (pi's shape: hooks read it from the preparation). */
export interface FileOps {
  readonly read: Set<string>;
  readonly written: Set<string>;
  readonly edited: Set<string>;
}

const MEMBERS = { read: 'read', write: 'written', edit: 'edited' } as const satisfies Record<
  FileUse['use'],
  keyof FileOps
>;

/** What a summary remembers of files; stored as `details` of its entry. */
export interface FileLists {
  /** Read and not changed, sorted. */
  readonly readFiles: string[];
  readonly modifiedFiles: string[];
}

export function createFileOps(): FileOps {
  return { read: new Set(), written: new Set(), edited: new Set() };
}

/** Adds the file operations of the tool calls of a message. */
export function addFileOps(ops: FileOps, message: AgentMessage): void {
  if (message.role !== 'assistant') return;
  for (const block of message.content) {
    if (block.type !== 'toolCall') continue;
    const file = toolFacts(block.name).file(block.arguments);
    if (file !== undefined) ops[MEMBERS[file.use]].add(file.path);
  }
}

/** Adds the lists that an earlier summary of ours left in its `details`; anything else there is ignored. */
export function addFileDetails(ops: FileOps, details: unknown): void {
  if (typeof details !== 'object' || details === null) return;
  for (const path of stringsIn(details, 'readFiles')) ops.read.add(path);
  for (const path of stringsIn(details, 'modifiedFiles')) ops.edited.add(path);
}

function stringsIn(details: object, key: string): string[] {
  const value: unknown = key in details ? (details as Record<string, unknown>)[key] : undefined;
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

/** The final lists: a file that was changed is not listed as read. */
export function fileLists(ops: FileOps): FileLists {
  const modified = new Set([...ops.edited, ...ops.written]);
  const readFiles = [...ops.read].filter(path => !modified.has(path)).sort();
  return { readFiles, modifiedFiles: [...modified].sort() };
}

/** The lists as they are at the end of a summary; empty when there are none. */
export function formatFileLists(lists: FileLists): string {
  const section = (tag: string, paths: readonly string[]): string =>
    paths.length === 0 ? '' : `\n\n<${tag}>\n${paths.join('\n')}\n</${tag}>`;
  return section('read-files', lists.readFiles) + section('modified-files', lists.modifiedFiles);
}
