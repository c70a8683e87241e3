import { readdirSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isCode } from '../../../../base/errors';
import { isSessionEntry } from '../../../../agent/session/entry';
import { SessionList } from '../../../../agent/session/library/session-list';
import { decodeSession } from './sync-session';

/** A session in the lists of pi's `SessionManager`. */
export interface ListedSession {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  readonly name: string | undefined;
  readonly parentSessionPath: string | undefined;
  readonly created: Date;
  readonly modified: Date;
  readonly messageCount: number;
  readonly firstMessage: string;
  readonly allMessagesText: string;
}

export type ListProgress = (loaded: number, total: number, sessions?: readonly ListedSession[]) => void;

/** The sessions in folders, the latest first. Files that are not sessions are skipped. Rejects only when aborted. */
export async function listSessions(
  dirs: readonly string[],
  progress: ListProgress | undefined,
  signal: AbortSignal | undefined,
): Promise<ListedSession[]> {
  const files = (await Promise.all(dirs.map(filesIn))).flat();
  const found: ListedSession[] = [];
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    const info = await infoOf(file);
    if (info !== undefined) found.push(info);
    progress?.(index + 1, files.length, latestFirst(found));
  }
  signal?.throwIfAborted();
  return latestFirst(found);
}

/** The folders directly below `dir`; none if it cannot be read. Symbolic links count as folders. */
export async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => join(dir, name));
}

/** The session files in a folder whose header passes, the last written first; none if there is no such folder. */
export function sessionFiles(
  dir: string,
  passes: (header: { readonly id: string; readonly cwd: string }) => boolean,
): string[] {
  try {
    return readdirSync(dir)
      .filter(name => name.endsWith('.jsonl'))
      .map(name => ({ file: join(dir, name), time: statSync(join(dir, name)).mtimeMs }))
      .sort((a, b) => b.time - a.time)
      .flatMap(({ file }) => {
        const header = SessionList.at(file);
        return header.id !== '' && passes(header) ? [file] : [];
      });
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Whether two paths name one folder. */
export function isSamePath(first: string, second: string): boolean {
  return resolve(first) === resolve(second);
}

async function filesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter(name => name.endsWith('.jsonl')).map(name => join(dir, name));
}

async function infoOf(path: string): Promise<ListedSession | undefined> {
  const [text, times] = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch(() => [undefined, undefined]);
  const { header, tree } = decodeSession(text ?? '');
  if (header === undefined || times === undefined) return undefined;
  const entries = tree.nodes.flatMap(({ entry }) => (entry !== undefined && isSessionEntry(entry) ? [entry] : []));
  const messages = entries.flatMap(entry => (entry.type === 'message' ? [entry.message] : []));
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const texts = spoken
    .map(message => ({ role: message.role, text: messageText(message) }))
    .filter(({ text }) => text !== '');
  const name = entries.findLast(entry => entry.type === 'session_info')?.name?.trim();
  const headerTime = Date.parse(header.timestamp);
  const created = Number.isNaN(headerTime) ? times.mtime : new Date(headerTime);
  const lastTime = Math.max(0, ...spoken.map(({ timestamp }) => timestamp));
  return {
    path,
    id: header.id,
    cwd: header.cwd,
    name: name === '' ? undefined : name,
    parentSessionPath: header.parentSession,
    created,
    modified: lastTime > 0 ? new Date(lastTime) : created,
    messageCount: messages.length,
    firstMessage: texts.find(({ role }) => role === 'user')?.text ?? '(no messages)',
    allMessagesText: texts.map(({ text }) => text).join(' '),
  };
}

function messageText(message: object): string {
  const content: unknown = 'content' in message ? message.content : undefined;
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as { readonly type: string; readonly text?: string }[]) : [];
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join(' ');
}

function latestFirst(infos: readonly ListedSession[]): ListedSession[] {
  return infos.toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
}
