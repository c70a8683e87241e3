import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors';
import { SessionReader } from './codec';
import { isSessionEntry, type StoredEntry } from './entry';
import { isCode } from './lock';

/** Bytes read at either end of a file: enough for the header, the first words and the latest name. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 4 * 1024;
const CHUNK_BYTES = 512 * 1024;
const PARALLEL = 8;
const NEWLINE = 0x0a;
const SESSION_INFO = Buffer.from('{"type":"session_info"');
const MESSAGE = Buffer.from('{"type":"message"');

/** Folder of a workspace's sessions, named as pi names it (reference section 14). Both paths absolute. */
export function sessionDirFor(agentDir: string, cwd: string): string {
  const name = cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-');
  return join(agentDir, 'sessions', `--${name}--`);
}

/** One line in the list of sessions. */
export interface SessionInfo {
  readonly file: string;
  /** Empty when the header cannot be read. */
  readonly id: string;
  readonly cwd: string;
  readonly parentSession?: string | undefined;
  readonly name?: string | undefined;
  /** Beginning of the first user message; empty when there is none near the head. */
  readonly firstText: string;
  readonly messageCount: number;
  /** False while name and count rest on the two ends of the file only; {@link SessionCatalog.complete} settles that. */
  readonly isComplete: boolean;
  readonly created: Date;
  /** Time of the last entry, or of the file when that entry is not within the tail. */
  readonly modified: Date;
  readonly size: number;
  /** Why the file cannot be continued as it is, when it cannot. */
  readonly problem?: string | undefined;
}

interface Known {
  readonly size: number;
  readonly mtimeMs: number;
  readonly info: SessionInfo;
}

/**
 * Lists the session files of one folder from their heads and tails. What was found is remembered by size and time of the
 * file, so that listing again reads only what changed.
 */
export class SessionCatalog {
  private readonly known = new Map<string, Known>();

  constructor(private readonly dir: string) {}

  /** Newest first. A missing folder has no sessions; a file that cannot be read at all is listed with its problem. */
  async list(): Promise<SessionInfo[]> {
    const files = await filesIn(this.dir);
    for (const file of this.known.keys()) if (!files.includes(file)) this.known.delete(file);
    const infos = await inParallel(files, file => this.look(file));
    return infos
      .filter(info => info !== undefined)
      .sort((a, b) => b.modified.getTime() - a.modified.getTime() || b.file.localeCompare(a.file));
  }

  /** Reads, in slices, what lies between head and tail of a listed file: its exact count and latest name. */
  async complete(file: string): Promise<SessionInfo | undefined> {
    const info = await this.look(file);
    if (!info || info.isComplete) return info;
    const whole = { ...info, ...(await withFile(file, readMiddle)), isComplete: true };
    const known = this.known.get(file);
    if (known) this.known.set(file, { ...known, info: whole });
    return whole;
  }

  private async look(file: string): Promise<SessionInfo | undefined> {
    try {
      return await withFile(file, async handle => {
        const { size, mtimeMs } = await handle.stat();
        const known = this.known.get(file);
        if (known?.size === size && known.mtimeMs === mtimeMs) return known.info;
        const info = await readEnds(handle, file, size, mtimeMs);
        this.known.set(file, { size, mtimeMs, info });
        return info;
      });
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      const time = new Date(0);
      const empty = { id: '', cwd: '', firstText: '', messageCount: 0, size: 0, created: time, modified: time };
      return { ...empty, file, isComplete: true, problem: messageOf(error) };
    }
  }
}

async function filesIn(dir: string): Promise<string[]> {
  try {
    const names = await readdir(dir);
    return names.filter(name => name.endsWith('.jsonl')).map(name => join(dir, name));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, 'r');
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}

async function readEnds(handle: FileHandle, file: string, size: number, mtimeMs: number): Promise<SessionInfo> {
  const reader = new SessionReader();
  const { head, tail, cut, isComplete } = await linesAtEnds(handle, size);
  const first = entriesOf(reader, head);
  const last = isComplete ? first : entriesOf(reader, tail);
  const seen = countMessages(first) + (isComplete ? 0 : countMessages(last));
  return {
    file,
    id: reader.header?.id ?? '',
    cwd: reader.header?.cwd ?? '',
    parentSession: reader.header?.parentSession,
    name: (nameIn(last) ?? nameIn(first)) || undefined,
    firstText: firstUserText(first) ?? textInCutLine(cut),
    messageCount: isComplete ? seen : Math.max(seen, Math.round((seen * size) / (HEAD_BYTES + TAIL_BYTES))),
    isComplete,
    created: timeOf(reader.header?.timestamp) ?? new Date(mtimeMs),
    modified: timeOf(last.at(-1)?.timestamp) ?? new Date(mtimeMs),
    size,
    problem: reader.headProblem?.message,
  };
}

/** Whole lines at both ends, and what the head holds of a line that goes on beyond it. */
async function linesAtEnds(
  handle: FileHandle,
  size: number,
): Promise<{ head: string[]; tail: string[]; cut: string; isComplete: boolean }> {
  const isComplete = size <= HEAD_BYTES + TAIL_BYTES;
  const head = (await readAt(handle, 0, isComplete ? size : HEAD_BYTES)).toString('utf8').split('\n');
  if (isComplete) return { head, tail: [], cut: '', isComplete };
  const cut = head.pop() ?? '';
  const tail = (await readAt(handle, size - TAIL_BYTES, TAIL_BYTES)).toString('utf8').split('\n');
  return { head, tail: tail.slice(1), cut, isComplete };
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await handle.read(buffer, 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

function entriesOf(reader: SessionReader, lines: readonly string[]): StoredEntry[] {
  return lines.flatMap((line, index) => {
    const read = reader.read(line, index + 1);
    return read.kind === 'entry' ? [read.entry] : [];
  });
}

function countMessages(entries: readonly StoredEntry[]): number {
  return entries.filter(entry => entry.type === 'message').length;
}

/** The latest name; an empty one when the latest entry takes the name away; undefined when none is named. */
function nameIn(entries: readonly StoredEntry[]): string | undefined {
  const entry = entries.findLast(candidate => candidate.type === 'session_info');
  return entry && isSessionEntry(entry) && entry.type === 'session_info' ? (entry.name ?? '').trim() : undefined;
}

function firstUserText(entries: readonly StoredEntry[]): string | undefined {
  for (const entry of entries) {
    if (!isSessionEntry(entry) || entry.type !== 'message' || entry.message.role !== 'user') continue;
    const { content } = entry.message;
    if (typeof content === 'string') return content;
    return content.map(part => (part.type === 'text' ? part.text : '')).join(' ');
  }
  return undefined;
}

const CUT_USER_TEXT =
  /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)/u;

/** The beginning of a user message that is longer than what was read. */
function textInCutLine(line: string): string {
  const escaped = CUT_USER_TEXT.exec(line)?.[1];
  if (escaped === undefined) return '';
  // The pattern admits only what may stand in a JSON string; the cut may have halved a letter.
  return String(JSON.parse(`"${escaped.replace(/\uFFFD+$/, '')}"`));
}

function timeOf(text: string | undefined): Date | undefined {
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time);
}

async function readMiddle(handle: FileHandle): Promise<Pick<SessionInfo, 'messageCount' | 'name'>> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let messageCount = 0;
  let nameAt: number | undefined;
  for (let offset = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, offset);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    // A full block is used up to its last newline, where the next one begins: no line's beginning is cut in two.
    const last = bytesRead === CHUNK_BYTES ? bytes.lastIndexOf(NEWLINE) : 0;
    const end = last > 0 ? last : bytesRead;
    for (const start of lineStarts(bytes, end, offset === 0)) {
      if (startsWith(bytes, start, MESSAGE)) messageCount++;
      else if (startsWith(bytes, start, SESSION_INFO)) nameAt = offset + start;
    }
    offset += end;
  }
  const line = nameAt === undefined ? '' : (await readAt(handle, nameAt, 4096)).toString('utf8').split('\n')[0];
  return { messageCount, name: nameIn(entriesOf(new SessionReader(), [line ?? ''])) || undefined };
}

function* lineStarts(bytes: Buffer, end: number, fromStart: boolean): Generator<number> {
  if (fromStart) yield 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) yield at + 1;
}

function startsWith(bytes: Buffer, at: number, what: Buffer): boolean {
  return at + what.length <= bytes.length && what.compare(bytes, at, at + what.length) === 0;
}
