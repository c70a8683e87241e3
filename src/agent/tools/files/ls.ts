import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { raceAbort, throwIfAborted } from '../abort';
import { currentTarget, whileUnchanged } from './file-target';
import { resolveExisting } from './paths';
import { effectiveLimit, errorCode, textResult, withNotices } from '../result';
import { textArgument } from '../facts';
import { defineTool, type Tool } from '../tool';
import { DEFAULT_MAX_BYTES, formatSize, truncateHead, type TruncationResult } from '../truncate';

const DEFAULT_LIMIT = 500;
/** Created at its first use: the first object of `Intl` takes about 20 ms. */
let collator: Intl.Collator | undefined;
const order = (a: string, b: string): number => (collator ??= new Intl.Collator('en')).compare(a, b);

const parameters = Type.Object({
  path: Type.Optional(Type.String({ description: 'Folder to list (default: the working directory)' })),
  limit: Type.Optional(Type.Number({ description: `Most entries to list (default: ${DEFAULT_LIMIT})` })),
});

/** Details of an `ls` result; undefined when nothing was cut. */
export interface LsToolDetails {
  readonly truncation?: TruncationResult;
  readonly entryLimitReached?: number;
}

/** File access that hooks may replace (EXT). */
export interface LsOperations {
  readonly exists: (absolutePath: string) => Promise<boolean> | boolean;
  /** Follows symbolic links; throws when there is nothing. */
  readonly stat: (absolutePath: string) => Promise<{ isDirectory: () => boolean }> | { isDirectory: () => boolean };
  readonly readdir: (absolutePath: string) => Promise<string[]> | string[];
}

/** Options of {@link createLsTool}. */
export interface LsToolOptions {
  readonly operations?: LsOperations | undefined;
}

/** The `ls` tool. */
export function createLsTool(
  cwd: string,
  options: LsToolOptions = {},
): Tool<typeof parameters, LsToolDetails | undefined> {
  return defineTool({
    name: 'ls',
    label: 'ls',
    icon: 'list-tree',
    summaryKind: 'path',
    isReadOnly: true,
    summarize: args => textArgument(args, 'path') || '.',
    description:
      `List a folder: names in alphabetical order, dotfiles included, folders with a trailing slash. Shows at most ` +
      `${DEFAULT_LIMIT} entries or ${formatSize(DEFAULT_MAX_BYTES)}.`,
    promptSnippet: 'List folders',
    parameters,
    async execute(_toolCallId, { path, limit }, signal) {
      throwIfAborted(signal);
      const target = options.operations === undefined ? currentTarget() : undefined;
      const folder = target?.real ?? resolveExisting(path === undefined || path === '' ? '.' : path, cwd);
      const most = effectiveLimit(limit, DEFAULT_LIMIT);
      const listing = whileUnchanged(target, folder, () =>
        list(options.operations ?? localOperations, folder, most, signal),
      );
      const { entries, hasMore } = await raceAbort(signal, listing);
      return present(entries, hasMore ? most : undefined);
    },
  });
}

const localOperations: LsOperations = {
  exists: async path => {
    try {
      await stat(path);
      return true;
    } catch (error) {
      const code = errorCode(error);
      return code !== 'ENOENT' && code !== 'ENOTDIR';
    }
  },
  stat,
  readdir: path => readdir(path),
};

async function list(
  operations: LsOperations,
  folder: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<{ entries: readonly string[]; hasMore: boolean }> {
  if (!(await operations.exists(folder))) throw new Error(`Path not found: ${folder}`);
  if (!(await operations.stat(folder)).isDirectory()) throw new Error(`Not a directory: ${folder}`);
  let names: string[];
  try {
    names = await operations.readdir(folder);
  } catch (error) {
    throw new Error(`Cannot read directory: ${messageOf(error)}`, { cause: error });
  }
  const sorted = names
    .map(name => ({ name, key: name.toLowerCase() }))
    .sort((a, b) => order(a.key, b.key) || (a.name < b.name ? -1 : 1));
  const entries: string[] = [];
  for (const { name } of sorted.slice(0, limit)) {
    throwIfAborted(signal);
    entries.push(name + (await suffix(operations, join(folder, name))));
  }
  return { entries, hasMore: sorted.length > limit };
}

async function suffix(operations: LsOperations, path: string): Promise<string> {
  try {
    return (await operations.stat(path)).isDirectory() ? '/' : '';
  } catch {
    // A dangling link is still an entry.
    return '';
  }
}

function present(
  entries: readonly string[],
  limitReached: number | undefined,
): ReturnType<typeof textResult<LsToolDetails | undefined>> {
  if (entries.length === 0) return textResult('(empty directory)', undefined);
  const truncation = truncateHead(entries.join('\n'), { maxLines: Number.MAX_SAFE_INTEGER });
  const notices: string[] = [];
  if (limitReached !== undefined) {
    notices.push(`${limitReached} entries limit reached. Use limit=${limitReached * 2} for more`);
  }
  if (truncation.truncated) notices.push(`${formatSize(DEFAULT_MAX_BYTES)} limit reached`);
  if (notices.length === 0) return textResult(truncation.content, undefined);
  return textResult(withNotices(truncation.content, notices), {
    ...(truncation.truncated && { truncation }),
    ...defined({ entryLimitReached: limitReached }),
  });
}
