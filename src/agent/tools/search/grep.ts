import { stat } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { openRegular, SpecialFileError } from '../../../base/files/regular-file';
import { raceAbort, throwIfAborted } from '../abort';
import { currentTarget, whileUnchanged } from '../files/file-target';
import { resolveExisting } from '../files/paths';
import { effectiveLimit, textResult, withNotices } from '../result';
import { RipgrepLocator } from './ripgrep';
import { ripgrepGrep, ripgrepText } from './ripgrep-search';
import { withinSearchTime } from './search-limits';
import type { GrepQuery, GrepResult } from './search';
import { summarizeSearch } from '../facts';
import { defineTool, type Tool } from '../tool';
import {
  DEFAULT_MAX_BYTES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  truncateHead,
  truncateLine,
  type TruncationResult,
} from '../truncate';

const DEFAULT_LIMIT = 100;
const MAX_CONTEXT = 1000;

const parameters = Type.Object({
  pattern: Type.String({ description: 'Regular expression, or plain text with literal' }),
  path: Type.Optional(Type.String({ description: 'Folder or file to search (default: the working directory)' })),
  glob: Type.Optional(Type.String({ description: "Only files that match, e.g. '*.ts' or 'src/**/*.spec.ts'" })),
  ignoreCase: Type.Optional(Type.Boolean({ description: 'Ignore case (default: false)' })),
  literal: Type.Optional(Type.Boolean({ description: 'Take the pattern as plain text (default: false)' })),
  context: Type.Optional(Type.Number({ description: 'Lines to show before and after each match (default: 0)' })),
  limit: Type.Optional(Type.Number({ description: `Most matches (default: ${DEFAULT_LIMIT})` })),
});

/** Details of a `grep` result; undefined when nothing was cut. */
export interface GrepToolDetails {
  readonly truncation?: TruncationResult;
  readonly matchLimitReached?: number;
  readonly linesTruncated?: boolean;
}

/** File access that hooks may replace (EXT); folders are always searched on this machine. */
export interface GrepOperations {
  /** Throws when there is nothing at the path. */
  readonly isDirectory: (absolutePath: string) => Promise<boolean> | boolean;
  readonly readFile: (absolutePath: string) => Promise<string> | string;
}

/** Options of {@link createGrepTool}. */
export interface GrepToolOptions {
  readonly operations?: GrepOperations | undefined;
  readonly ripgrep?: RipgrepLocator | undefined;
}

/** The `grep` tool. */
export function createGrepTool(
  cwd: string,
  options: GrepToolOptions = {},
): Tool<typeof parameters, GrepToolDetails | undefined> {
  const ripgrep = options.ripgrep ?? new RipgrepLocator();
  return defineTool({
    name: 'grep',
    label: 'grep',
    icon: 'search-fuzzy',
    isReadOnly: true,
    summarize: summarizeSearch,
    description:
      `Search the contents of files; prints matching lines with file and line number. Ignored files (.gitignore) are ` +
      `left out. Shows at most ${DEFAULT_LIMIT} matches or ${formatSize(DEFAULT_MAX_BYTES)}; ` +
      `lines are cut to ${GREP_MAX_LINE_LENGTH} characters.`,
    promptSnippet: 'Search file contents for patterns (respects .gitignore)',
    parameters,
    async execute(_toolCallId, params, signal) {
      throwIfAborted(signal);
      const target = options.operations === undefined ? currentTarget() : undefined;
      const given = params.path === undefined || params.path === '' ? '.' : params.path;
      const root = target?.real ?? resolveExisting(given, cwd);
      const limit = effectiveLimit(params.limit, DEFAULT_LIMIT);
      const base = {
        root,
        pattern: params.pattern,
        glob: params.glob,
        ignoreCase: params.ignoreCase ?? false,
        literal: params.literal ?? false,
        context: Math.min(MAX_CONTEXT, Math.max(0, Math.floor(params.context ?? 0))),
        limit,
      };
      const searching = whileUnchanged(target, given, () =>
        withinSearchTime(signal, limited => search(base, options.operations, ripgrep, limited)),
      );
      const result = await raceAbort(signal, searching);
      return present(result, base);
    },
  });
}

async function search(
  base: Omit<GrepQuery, 'isDirectory'>,
  operations: GrepOperations | undefined,
  ripgrep: RipgrepLocator,
  signal: AbortSignal,
): Promise<GrepResult> {
  const query = { ...base, isDirectory: await isDirectory(base.root, operations) };
  if (operations !== undefined && !query.isDirectory) {
    const text = await operations.readFile(query.root);
    return ripgrep.use(program => ripgrepText(program, text, query, signal));
  }
  if (!query.isDirectory) await refuseSpecial(query.root);
  return ripgrep.use(program => ripgrepGrep(program, query, signal));
}

/** A search of a pipe or device would never end. */
async function refuseSpecial(file: string): Promise<void> {
  try {
    await (await openRegular(file)).close();
  } catch (error) {
    // What else keeps it from being read is skipped, as everywhere in a search.
    if (error instanceof SpecialFileError) throw new Error(`Cannot search ${error.message}`, { cause: error });
  }
}

async function isDirectory(root: string, operations: GrepOperations | undefined): Promise<boolean> {
  try {
    return operations ? await operations.isDirectory(root) : (await stat(root)).isDirectory();
  } catch (error) {
    throw new Error(`Path not found: ${root}`, { cause: error });
  }
}

/** Whether a pattern asks for a line end, which no line has. One in a class of what must not be there does not. */
function asksForLineEnd({ pattern, literal }: Pick<GrepQuery, 'pattern' | 'literal'>): boolean {
  if (literal) return pattern.includes('\n');
  const wanted = pattern.replace(/\[\^(?:\\.|[^\]\\])*\]/gs, '');
  return /\n|(?<!\\)(?:\\\\)*\\(?:n|R|x0[aA]|x\{0*[aA]\}|u000[aA])/.test(wanted);
}

const LINE_END_NOTICE =
  'No matches found. The pattern has a line end, and grep looks at one line at a time. Search for a part of it that is ' +
  'in one line, with context for the lines around it';

function present(
  result: GrepResult,
  query: Pick<GrepQuery, 'pattern' | 'literal' | 'limit'>,
): ReturnType<typeof textResult<GrepToolDetails | undefined>> {
  const { limit } = query;
  if (result.lines.length === 0) {
    return textResult(asksForLineEnd(query) ? LINE_END_NOTICE : 'No matches found', undefined);
  }
  const cut = result.lines.map(line => ({ ...line, ...truncateLine(line.text) }));
  const linesTruncated = cut.some(line => line.wasTruncated);
  const lines = cut.map(({ file, number, isMatch, text }) =>
    isMatch ? `${file}:${number}: ${text}` : `${file}-${number}- ${text}`,
  );
  const truncation = truncateHead(lines.join('\n'), { maxLines: Number.MAX_SAFE_INTEGER });
  const notices: string[] = [];
  if (result.hasMore) {
    notices.push(`${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation.truncated) notices.push(`${formatSize(DEFAULT_MAX_BYTES)} limit reached`);
  if (linesTruncated) {
    notices.push(`Some lines truncated to ${GREP_MAX_LINE_LENGTH} chars. Use read tool to see full lines`);
  }
  if (notices.length === 0) return textResult(truncation.content, undefined);
  return textResult(withNotices(truncation.content, notices), {
    ...(truncation.truncated && { truncation }),
    ...(result.hasMore && { matchLimitReached: limit }),
    ...(linesTruncated && { linesTruncated }),
  });
}
