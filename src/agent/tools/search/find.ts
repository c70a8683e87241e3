import { stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { Type } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { raceAbort, throwIfAborted } from '../abort';
import { eachFileBelow } from './files-below';
import { compileGlob } from './glob';
import { currentTarget, whileUnchanged } from '../files/file-target';
import { resolveExisting } from '../files/paths';
import { effectiveLimit, textResult, withNotices } from '../result';
import { RipgrepLocator } from './ripgrep';
import { comparePaths } from './search';
import { summarizeSearch } from '../facts';
import { defineTool, type Tool } from '../tool';
import { DEFAULT_MAX_BYTES, formatSize, truncateHead, type TruncationResult } from '../truncate';

const DEFAULT_LIMIT = 1000;
const FOREIGN_IGNORE = ['**/node_modules/**', '**/.git/**'];

const parameters = Type.Object({
  pattern: Type.String({
    description: "Glob: '*.ts' for names in any folder, 'src/**/*.spec.ts' for paths from the folder that is searched",
  }),
  path: Type.Optional(Type.String({ description: 'Folder to search in (default: the working directory)' })),
  limit: Type.Optional(Type.Number({ description: `Most results (default: ${DEFAULT_LIMIT})` })),
});

/** Details of a `find` result; undefined when nothing was cut. */
export interface FindToolDetails {
  readonly truncation?: TruncationResult;
  readonly resultLimitReached?: number;
}

/** File access that hooks may replace (EXT). */
export interface FindOperations {
  readonly exists: (absolutePath: string) => Promise<boolean> | boolean;
  /** Paths that match, relative to `cwd` or absolute. */
  readonly glob: (
    pattern: string,
    cwd: string,
    options: { ignore: string[]; limit: number },
  ) => Promise<string[]> | string[];
}

/** Options of {@link createFindTool}. */
export interface FindToolOptions {
  readonly operations?: FindOperations | undefined;
  readonly ripgrep?: RipgrepLocator | undefined;
}

/** The `find` tool. */
export function createFindTool(
  cwd: string,
  options: FindToolOptions = {},
): Tool<typeof parameters, FindToolDetails | undefined> {
  const ripgrep = options.ripgrep ?? new RipgrepLocator();
  return defineTool({
    name: 'find',
    label: 'find',
    icon: 'search',
    isReadOnly: true,
    summarize: summarizeSearch,
    description:
      `Find files and folders by glob pattern; paths are relative to the folder searched. Ignored files ` +
      `(.gitignore) are left out. Shows at most ${DEFAULT_LIMIT} results or ${formatSize(DEFAULT_MAX_BYTES)}.`,
    promptSnippet: 'Find files by glob pattern (respects .gitignore)',
    parameters,
    async execute(_toolCallId, { pattern, path, limit }, signal) {
      throwIfAborted(signal);
      const { operations } = options;
      const target = operations === undefined ? currentTarget() : undefined;
      const root = target?.real ?? resolveExisting(path === undefined || path === '' ? '.' : path, cwd);
      const most = effectiveLimit(limit, DEFAULT_LIMIT);
      const search = (): Promise<Found> =>
        operations
          ? findThrough(operations, root, pattern, most)
          : findLocal(ripgrep, root, new FoundPaths(patternBelow(root, pattern), most), signal);
      const { paths, hasMore } = await raceAbort(signal, whileUnchanged(target, root, search));
      return present(paths, hasMore ? most : undefined);
    },
  });
}

/** A pattern may begin with the absolute path of the folder. */
function patternBelow(root: string, pattern: string): string {
  return pattern.startsWith(`${root}/`) ? pattern.slice(root.length) : pattern;
}

interface Found {
  readonly paths: readonly string[];
  readonly hasMore: boolean;
}

async function findThrough(operations: FindOperations, root: string, pattern: string, limit: number): Promise<Found> {
  if (!(await operations.exists(root))) throw new Error(`Path not found: ${root}`);
  const found = await operations.glob(pattern, root, { ignore: [...FOREIGN_IGNORE], limit });
  const paths = found.map(path => (isAbsolute(path) ? relative(root, path) : path).replaceAll('\\', '/'));
  // A function that was asked for no more than the limit cannot tell whether there are more.
  return { paths: paths.slice(0, limit), hasMore: paths.length >= limit };
}

async function findLocal(
  ripgrep: RipgrepLocator,
  root: string,
  found: FoundPaths,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const info = await stat(root).catch(() => undefined);
  if (info === undefined) throw new Error(`Path not found: ${root}`);
  if (!info.isDirectory()) throw new Error(`Not a directory: ${root}`);
  await eachFileBelow(root, ripgrep, path => found.addFile(path), signal);
  return found.result();
}

/**
 * Keeps the first results in order, in bounded memory. Folders are those on the way to a listed file, so empty and
 * ignored ones do not appear. As with `fd`, a pattern without capitals ignores case.
 */
class FoundPaths {
  private readonly matches: (path: string) => boolean;
  private readonly foldersOnly: boolean;
  private readonly seen = new Set<string>();
  private paths: string[] = [];
  private hasMore = false;

  constructor(
    pattern: string,
    private readonly limit: number,
  ) {
    this.foldersOnly = pattern.length > 1 && pattern.endsWith('/');
    const glob = this.foldersOnly ? pattern.slice(0, -1) : pattern;
    this.matches = compileGlob(glob, { ignoreCase: pattern === pattern.toLowerCase(), withBracketNames: true });
  }

  addFile(path: string): void {
    if (!this.foldersOnly && this.matches(path)) this.add(path);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (this.seen.has(folder)) return;
      this.seen.add(folder);
      if (this.matches(folder)) this.add(`${folder}/`);
    }
  }

  result(): Found {
    this.cut();
    return { paths: this.paths, hasMore: this.hasMore };
  }

  private add(path: string): void {
    this.paths.push(path);
    if (this.paths.length > 2 * this.limit + DEFAULT_LIMIT) this.cut();
  }

  private cut(): void {
    this.paths.sort(comparePaths);
    if (this.paths.length <= this.limit) return;
    this.paths.length = this.limit;
    this.hasMore = true;
  }
}

function present(
  paths: readonly string[],
  limitReached: number | undefined,
): ReturnType<typeof textResult<FindToolDetails | undefined>> {
  if (paths.length === 0) return textResult('No files found matching pattern', undefined);
  const truncation = truncateHead(paths.join('\n'), { maxLines: Number.MAX_SAFE_INTEGER });
  const notices: string[] = [];
  if (limitReached !== undefined) {
    notices.push(`${limitReached} results limit reached. Use limit=${limitReached * 2} for more, or refine pattern`);
  }
  if (truncation.truncated) notices.push(`${formatSize(DEFAULT_MAX_BYTES)} limit reached`);
  if (notices.length === 0) return textResult(truncation.content, undefined);
  return textResult(withNotices(truncation.content, notices), {
    ...(truncation.truncated && { truncation }),
    ...defined({ resultLimitReached: limitReached }),
  });
}
