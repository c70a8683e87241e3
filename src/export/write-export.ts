import { createWriteStream, existsSync, realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { expandHome } from '../agent/settings/configured-path';
import type { ReadableSession } from '../agent/session/readable-session';
import { messageOf } from '../base/errors';
import { exportedSession, type ExportScope } from './exported-session';

const SLICE_MS = 8;
/** Pieces are written together until they have so many characters. */
const BLOCK_CHARS = 256 * 1024;

export type ExportFormat = 'html' | 'markdown' | 'jsonl';

const ENDINGS: Readonly<Record<ExportFormat, string>> = { html: 'html', markdown: 'md', jsonl: 'jsonl' };

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly scope: ExportScope;
  /** BCP 47 tag for the HTML file; English when absent. */
  readonly language?: string;
  readonly signal?: AbortSignal;
}

/** The format a file's ending asks for; undefined for any other ending. */
function formatOf(path: string): ExportFormat | undefined {
  const ending = extname(path).toLowerCase();
  if (ending === '.html' || ending === '.htm') return 'html';
  if (ending === '.jsonl') return 'jsonl';
  return ending === '.md' || ending === '.markdown' ? 'markdown' : undefined;
}

/** The default name of an export: that of the session's file, as in pi. */
export function exportName(store: ReadableSession, format: ExportFormat): string {
  const file = store.getSessionFile();
  const name = file === undefined ? store.getSessionId() : basename(file, '.jsonl');
  return `pi-session-${name}.${ENDINGS[format]}`;
}

/**
 * Exports as `/export`, `--export` and the RPC command do: to the given path, whose ending says the format, or to
 * `pi-session-….html` in `cwd`. HTML holds the whole session with its tree, Markdown and JSONL the current path,
 * as pi's do. Resolves with the absolute path.
 * @throws Error for an ending that is not a format and for a session in which nothing was said; see also {@link writeExport}
 */
export async function exportTo(store: ReadableSession, cwd: string, outputPath: string | undefined): Promise<string> {
  const given = outputPath === undefined || outputPath.trim() === '' ? undefined : outputPath.trim();
  const format = given === undefined ? 'html' : formatOf(given);
  if (format === undefined) throw new Error(`An export is .html, .md or .jsonl, not "${given ?? ''}"`);
  if (!store.getNodes().some(({ type }) => type === 'message')) {
    throw new Error('Nothing to export yet - start a conversation first');
  }
  const name = given ?? exportName(store, format);
  const target = resolve(cwd, expandHome(name));
  await writeExport(store, target, { format, scope: format === 'html' ? 'tree' : 'path' });
  return target;
}

/** Whether both paths lead to one file that exists; the second is of a session that may have none. */
function isSameFile(path: string, sessionFile: string | undefined): boolean {
  if (sessionFile === undefined || !existsSync(path) || !existsSync(sessionFile)) return false;
  return realpathSync(path) === realpathSync(sessionFile);
}

/**
 * Writes a session to a file (absolute path), piece by piece, letting the event loop run in between. The file appears
 * when it is whole: an export that fails or is aborted leaves what was there before.
 * @throws Error for the session's own file, and one that names the target when that cannot be written
 */
export async function writeExport(store: ReadableSession, target: string, options: ExportOptions): Promise<void> {
  if (isSameFile(target, store.getSessionFile())) throw new Error(`${target} is the session itself`);
  const pieces = await piecesOf(store, options);
  const draft = `${target}.${process.pid}.tmp`;
  try {
    await pipeline(inSlices(pieces, options.signal), createWriteStream(draft, { flags: 'wx' }));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    const names = messageOf(error).includes(draft);
    throw names ? new Error(messageOf(error).replaceAll(draft, target), { cause: error }) : error;
  }
}

async function* inSlices(pieces: Iterable<string>, signal: AbortSignal | undefined): AsyncGenerator<string> {
  let pause = performance.now() + SLICE_MS;
  let block = '';
  for (const piece of pieces) {
    block += piece;
    if (block.length >= BLOCK_CHARS) {
      yield block;
      block = '';
    }
    if (performance.now() < pause) continue;
    await setImmediate();
    signal?.throwIfAborted();
    pause = performance.now() + SLICE_MS;
  }
  yield block;
}

/** The writers and their libraries are loaded when they are needed. */
async function piecesOf(store: ReadableSession, { format, scope, language }: ExportOptions): Promise<Iterable<string>> {
  if (format === 'jsonl') return (await import('./to-jsonl')).sessionToJsonl(store, new Date());
  const session = exportedSession(store, scope);
  if (format === 'markdown') return (await import('./to-markdown')).sessionToMarkdown(session);
  return (await import('./to-html')).sessionToHtml(session, language);
}
