import { closeSync, readSync, statSync } from 'node:fs';
import { readdir, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openRegular, openRegularSync } from '../../../base/files/regular-file';
import { isCode, messageOf } from '../../../base/errors';
import { rereadEntry, SessionDecoder } from '../file/codec';
import { holderOf, LOCK_ENDING } from '../file/lock';
import { isSessionEntry, type StoredEntry } from '../entry';
import { applyLabel, type Label } from '../tree';

/** Bytes read at either end of a file: enough for the header, the first words and the latest name. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 4 * 1024;
/** Bytes read at most to find the first words, where a long system prompt is before them. */
const FIRST_TEXT_BYTES = 256 * 1024;
const SESSION_ENDING = '.jsonl';
const CHUNK_BYTES = 512 * 1024;
const SLICE_MS = 8;
const NAME_BYTES = 4096;
const NEWLINE = 0x0a;
const SESSION_INFO = '{"type":"session_info"';
const MESSAGE = '{"type":"message"';
const LABEL = '{"type":"label"';
/** A longer line is not a label that anyone set. */
const LABEL_BYTES = 4096;
/**
 * The timestamp of the entry itself: it is before the content where the head comes first, and after it at the end of the line.
 */
const TIMESTAMP =
  /^\{"type":"\w+",(?:"id":"[^"]*","parentId":(?:null|"[^"]*"),)?"timestamp":"([^"]*)"|"timestamp":"([^"]*)"\}\s*$/;
const FIRST_TEXT_CHARS = 500;

/** Folder of a workspace's sessions, named as pi names it. Both paths absolute. */
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
  /** In order of setting; for a long file only those near its ends, until it is complete. */
  readonly labels: readonly string[];
  /** Beginning of the first user message; empty when there is none near the head. */
  readonly firstText: string;
  readonly messageCount: number;
  /**
   * False while name, labels and count come only from the two ends of the file; {@link SessionList.complete} reads
   * the rest.
   */
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
 * Lists the session files of one folder from their heads and tails. Results are cached by size and time of the file, so
 * that listing again reads only changed files.
 */
export class SessionList {
  private readonly known = new Map<string, Known>();

  /** With `cwd`, a folder that several workspaces share is listed as if it held only the sessions of that one. */
  constructor(
    /** Absolute. */
    readonly dir: string,
    private readonly cwd?: string,
  ) {}

  /** One file as it is listed, read from its ends. @throws what the system says when it cannot be read */
  static at(file: string): SessionInfo {
    const { size, mtimeMs } = statSync(file);
    return readEnds(file, size, mtimeMs);
  }

  /** True for a file (absolute path) that is listed here when it exists. */
  covers(file: string): boolean {
    return dirname(resolve(file)) === resolve(this.dir);
  }

  /** Newest first. A missing folder has no sessions; a file that cannot be read at all is listed with its problem. */
  async list(): Promise<SessionInfo[]> {
    const files = await filesIn(this.dir, SESSION_ENDING);
    const present = new Set(files);
    for (const file of this.known.keys()) if (!present.has(file)) this.known.delete(file);
    const infos: SessionInfo[] = [];
    let pause = performance.now() + SLICE_MS;
    for (const file of files) {
      const info = this.look(file);
      if (info) infos.push(info);
      if (performance.now() < pause) continue;
      await setImmediate();
      pause = performance.now() + SLICE_MS;
    }
    const own = infos.filter(info => this.belongs(info));
    return own.sort((a, b) => b.modified.getTime() - a.modified.getTime() || (a.file < b.file ? 1 : -1));
  }

  /**
   * The files of the folder that a living process has open to write, this one too. Reads only the locks that are there. A
   * lock that cannot be read says nothing: whoever opens its file gets the reason.
   */
  async inUse(): Promise<ReadonlySet<string>> {
    const locks = await filesIn(this.dir, `${SESSION_ENDING}${LOCK_ENDING}`);
    const files = locks.map(lock => lock.slice(0, -LOCK_ENDING.length));
    const holders = await Promise.all(files.map(file => holderOf(file).catch(() => undefined)));
    return new Set(files.filter((_file, index) => holders[index] !== undefined));
  }

  /** A file that cannot be read may be of any folder: it is listed with its problem. */
  private belongs({ cwd: other }: SessionInfo): boolean {
    const { dir, cwd } = this;
    if (cwd === undefined || other === '' || basename(dir) === basename(sessionDirFor('', cwd))) return true;
    return resolve(other) === resolve(cwd);
  }

  /**
   * Reads, in slices, what lies between head and tail of a listed file: its exact count, its latest name and its
   * labels.
   */
  async complete(file: string): Promise<SessionInfo | undefined> {
    const info = this.look(file);
    if (!info || info.isComplete) return info;
    const complete = { ...info, ...(await readMiddle(file)), isComplete: true };
    const known = this.known.get(file);
    if (known) this.known.set(file, { ...known, info: complete });
    return complete;
  }

  /** Synchronous: for such small pieces it costs a quarter of asynchronous calls. {@link list} yields in between. */
  private look(file: string): SessionInfo | undefined {
    try {
      const { size, mtimeMs } = statSync(file);
      const known = this.known.get(file);
      if (known?.size === size && known.mtimeMs === mtimeMs) return known.info;
      const info = readEnds(file, size, mtimeMs);
      this.known.set(file, { size, mtimeMs, info });
      return info;
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      const time = new Date(0);
      const empty = {
        id: '',
        cwd: '',
        labels: [],
        firstText: '',
        messageCount: 0,
        size: 0,
        created: time,
        modified: time,
      };
      return { ...empty, file, isComplete: true, problem: messageOf(error) };
    }
  }
}

async function filesIn(dir: string, ending: string): Promise<string[]> {
  try {
    const names = await readdir(dir);
    return names.filter(name => name.endsWith(ending)).map(name => join(dir, name));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function readEnds(file: string, size: number, mtimeMs: number): SessionInfo {
  const { head, tail, cut, isComplete } = linesAtEnds(file, size);
  const start = readStart(head);
  const seen = countMessages(head) + countMessages(tail);
  const last = (isComplete ? head : tail).findLast(line => line.trim() !== '');
  return {
    file,
    id: start.reader.header?.id ?? '',
    cwd: start.reader.header?.cwd ?? '',
    parentSession: start.reader.header?.parentSession,
    name: (nameIn(tail) ?? nameIn(head)) || undefined,
    labels: labelsIn([...head, ...tail]),
    firstText: (start.firstText ?? (textInCutLine(cut) || (isComplete ? '' : textBehindHead(file)))).slice(
      0,
      FIRST_TEXT_CHARS,
    ),
    messageCount: isComplete ? seen : Math.max(seen, Math.round((seen * size) / (HEAD_BYTES + TAIL_BYTES))),
    isComplete,
    created: timeOf(start.reader.header?.timestamp) ?? new Date(mtimeMs),
    modified: timeOf(timestampIn(last)) ?? new Date(mtimeMs),
    size,
    problem: start.reader.headProblem?.message,
  };
}

/** Complete lines at both ends, and the part of a longer line that the head contains. */
function linesAtEnds(file: string, size: number): { head: string[]; tail: string[]; cut: string; isComplete: boolean } {
  const isComplete = size <= HEAD_BYTES + TAIL_BYTES;
  const fd = openRegularSync(file);
  try {
    const head = readAt(fd, 0, isComplete ? size : HEAD_BYTES).split('\n');
    if (isComplete) return { head, tail: [], cut: '', isComplete };
    const cut = head.pop() ?? '';
    const tail = readAt(fd, size - TAIL_BYTES, TAIL_BYTES)
      .split('\n')
      .slice(1);
    return { head, tail, cut, isComplete };
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, offset: number, length: number): string {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.toString('utf8', 0, readSync(fd, buffer, 0, length, offset));
}

/** Reads from the header to the first message of the user. */
function readStart(lines: readonly string[]): {
  readonly reader: SessionDecoder;
  readonly firstText: string | undefined;
} {
  const reader = new SessionDecoder();
  for (const [index, line] of lines.entries()) {
    const read = reader.read(line, index + 1);
    const firstText = read.kind === 'entry' ? userText(read.entry) : undefined;
    if (firstText !== undefined) return { reader, firstText };
  }
  return { reader, firstText: undefined };
}

/** The first text of the user where it is behind the head; empty when it is farther away than is worth reading. */
function textBehindHead(file: string): string {
  const fd = openRegularSync(file);
  try {
    for (let bytes = 4 * HEAD_BYTES; bytes <= FIRST_TEXT_BYTES; bytes *= 4) {
      const lines = readAt(fd, 0, bytes).split('\n');
      const cut = lines.pop() ?? '';
      const text = readStart(lines).firstText ?? textInCutLine(cut);
      if (text !== '') return text;
    }
    return '';
  } finally {
    closeSync(fd);
  }
}

function userText(entry: StoredEntry): string | undefined {
  if (!isSessionEntry(entry) || entry.type !== 'message' || entry.message.role !== 'user') return undefined;
  const { content } = entry.message;
  if (typeof content === 'string') return content;
  return content.map(part => (part.type === 'text' ? part.text : '')).join(' ');
}

function countMessages(lines: readonly string[]): number {
  return lines.filter(line => line.startsWith(MESSAGE)).length;
}

/** The latest name; empty when the latest entry removes it; undefined when there is none. */
function nameIn(lines: readonly string[]): string | undefined {
  const line = lines.findLast(candidate => candidate.startsWith(SESSION_INFO));
  const read = line === undefined ? undefined : rereadEntry(line, 0);
  if (!read?.ok || !isSessionEntry(read.entry) || read.entry.type !== 'session_info') return undefined;
  return (read.entry.name ?? '').trim();
}

/** The labels after these lines, of all entries. */
function labelsIn(lines: readonly string[]): readonly string[] {
  const labels = new Map<string, Label>();
  for (const line of lines) {
    if (!line.startsWith(LABEL)) continue;
    const read = rereadEntry(line, 0);
    if (read.ok && isSessionEntry(read.entry) && read.entry.type === 'label') applyLabel(labels, read.entry);
  }
  return [...labels.values()].map(({ label }) => label);
}

const CUT_USER_TEXT =
  /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)/u;

/** The beginning of a user message whose end was not read. */
function textInCutLine(line: string): string {
  const escaped = CUT_USER_TEXT.exec(line)?.[1];
  if (escaped === undefined) return '';
  // The pattern admits only what may be in a JSON string; the cut may have halved a letter.
  return String(JSON.parse(`"${escaped.replace(/\uFFFD+$/, '')}"`));
}

function timestampIn(line: string | undefined): string | undefined {
  const match = line === undefined ? null : TIMESTAMP.exec(line);
  return match?.[1] ?? match?.[2];
}

function timeOf(text: string | undefined): Date | undefined {
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time);
}

type Middle = Pick<SessionInfo, 'messageCount' | 'name' | 'labels'>;

async function readMiddle(file: string): Promise<Middle> {
  const handle = await openRegular(file);
  try {
    return await countAndName(handle);
  } finally {
    await handle.close();
  }
}

async function countAndName(handle: FileHandle): Promise<Middle> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let messageCount = 0;
  let nameAt: number | undefined;
  const labels: string[] = [];
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
      else if (startsWith(bytes, start, LABEL)) labels.push(lineAt(bytes, start, LABEL_BYTES));
    }
    offset += end;
  }
  const lines = nameAt === undefined ? [] : readAt(handle.fd, nameAt, NAME_BYTES).split('\n', 1);
  return { messageCount, name: nameIn(lines) || undefined, labels: labelsIn(labels) };
}

function* lineStarts(bytes: Buffer, end: number, fromStart: boolean): Generator<number> {
  if (fromStart) yield 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) yield at + 1;
}

function lineAt(bytes: Buffer, start: number, most: number): string {
  const newline = bytes.indexOf(NEWLINE, start);
  return bytes.toString('utf8', start, Math.min(newline < 0 ? bytes.length : newline, start + most));
}

function startsWith(bytes: Buffer, at: number, what: string): boolean {
  return bytes.toString('latin1', at, at + what.length) === what;
}
