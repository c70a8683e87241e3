import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { parseObject } from '../../../base/json/parse-object';
import type { Problem } from '../../../base/result';
import { isRecord } from '../../../base/json/is-record';
import { parse } from '../../../base/json/schema';
import { withObjectArguments } from '../../call-arguments';
import {
  asEntryId,
  ENTRY_SCHEMAS,
  HeaderSchema,
  isEntryType,
  messageSchema,
  SESSION_VERSION,
  type EntryId,
  type SessionHeader,
  type StoredEntry,
} from '../entry';

type JsonObject = Readonly<Record<string, unknown>>;

/** What the first bytes of a line show about an entry without parsing it. */
export interface EntryHead {
  readonly type: string;
  readonly id: EntryId;
  readonly parentId: EntryId | null;
}

/** The result of reading one line of a session file. */
export type ReadLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'header' }
  | {
      readonly kind: 'entry';
      readonly entry: StoredEntry;
      readonly problem?: Problem;
      /** Whether {@link rereadEntry} gives the same entry from the line alone. False for migrated entries. */
      readonly rereadable: boolean;
    }
  | { readonly kind: 'unusable'; readonly head?: EntryHead; readonly problem: Problem };

/** Enough for type, id and parent of every line that pi or this code writes head first. */
export const PEEK_BYTES = 200;

const HEAD =
  /^\{"type":"([\w.-]+)","id":"([\x21\x23-\x5b\x5d-\x7e]+)","parentId":(?:null|"([\x21\x23-\x5b\x5d-\x7e]+)"),/;

/** Reads an entry's head from the first bytes of its line (as latin1); undefined means: parse the line to know. */
export function peekHead(start: string): EntryHead | undefined {
  const match = HEAD.exec(start);
  const [, type, id, parentId] = match ?? [];
  if (type === undefined || id === undefined || type === 'session') return undefined;
  return { type, id: asEntryId(id), parentId: parentId === undefined ? null : asEntryId(parentId) };
}

/**
 * Reads the lines of one session file in order, with the state of the lines before: the header, its version, and for version 1
 * the index of each entry. Migrations happen here, in memory. Generated ids depend only on the file, so that two readers give an
 * entry the same id.
 */
export class SessionDecoder {
  header: SessionHeader | undefined;
  /** Version found in the header; undefined while there is none. */
  version: number | undefined;
  /** Why the file's head cannot be trusted to be continued; undefined when it can. */
  headProblem: Problem | undefined;
  /** The file has a newer version; it is continued in the current version. */
  versionProblem: Problem | undefined;
  private sawLine = false;
  /** By index in the array of all readable lines, as version 1 counts; undefined stands for a header. */
  private readonly idsByIndex: (EntryId | undefined)[] = [];
  private readonly givenIds = new Set<string>();
  private previousId: EntryId | null = null;

  /** True when entries of this file change while they are read, so that their lines cannot be read again later. */
  get migrates(): boolean {
    return this.header !== undefined && (this.version ?? 1) < SESSION_VERSION;
  }

  /** Tells the decoder about an entry of which only the head was read. */
  skipped(head: EntryHead): void {
    this.sawLine = true;
    this.previousId = head.id;
  }

  /** Reads one line, without its newline; `line` is 1-based. */
  read(text: string, line: number): ReadLine {
    if (text.trim() === '') return { kind: 'blank' };
    const first = !this.sawLine;
    this.sawLine = true;
    // Some editors write a byte order mark.
    const whole = parseObject(first ? text.replace(/^\uFEFF/, '') : text);
    const record = whole ?? salvage(text);
    if (first) this.judgeFirst(whole, line);
    if (!record) return { kind: 'unusable', problem: this.headProblem && first ? this.headProblem : unreadable(line) };
    if (record['type'] === 'session') return this.readHeader(record, line);
    const read = this.readEntry(record, line);
    if (whole || read.kind !== 'entry') return read;
    const problem = { message: 'A torn entry before another one on the same line is lost', line };
    return { ...read, problem, rereadable: false };
  }

  private judgeFirst(record: JsonObject | undefined, line: number): void {
    if (record?.['type'] === 'session') return;
    const reason = record ? 'is not a session header' : 'cannot be read';
    this.headProblem = { message: `The first line ${reason}`, line };
    if (!record) this.idsByIndex.push(undefined);
  }

  private readHeader(record: JsonObject, line: number): ReadLine {
    const parsed = parse(HeaderSchema, record);
    this.idsByIndex.push(undefined);
    if (!parsed.ok) {
      const problem = { message: `Bad session header: ${parsed.problems[0]?.message ?? ''}`, line };
      this.headProblem ??= problem;
      return { kind: 'unusable', problem };
    }
    const { id } = parsed.value;
    if (this.header && this.header.id !== id) {
      return { kind: 'unusable', problem: { message: `A second session header (${id}) is ignored`, line } };
    }
    this.version ??= parsed.value.version ?? 1;
    this.header ??= currentHeader(parsed.value);
    if (this.version > SESSION_VERSION) {
      const message = `Session version ${this.version} is newer than Hookline knows; new entries are of version ${SESSION_VERSION}`;
      this.versionProblem ??= { message, line };
    }
    return { kind: 'header' };
  }

  private readEntry(record: JsonObject, line: number): ReadLine {
    const { id, parentId, given } = this.identify(record, line);
    const index = this.idsByIndex.push(id) - 1;
    const migrated: Record<string, unknown> = { ...record, id, parentId };
    if (given && record['type'] === 'compaction' && typeof record['firstKeptEntryIndex'] === 'number') {
      // An index that names the header, or an entry that had no id when the compaction was read, keeps nothing.
      const target =
        record['firstKeptEntryIndex'] <= index ? this.idsByIndex[record['firstKeptEntryIndex']] : undefined;
      migrated['firstKeptEntryId'] ??= target ?? id;
      delete migrated['firstKeptEntryIndex'];
    }
    this.previousId = id;
    const read = toEntry(migrated, line);
    if (read.ok) return { kind: 'entry', entry: read.entry, rereadable: !given };
    const type = typeof record['type'] === 'string' ? record['type'] : 'unknown';
    return { kind: 'unusable', head: { type, id, parentId }, problem: read.problem };
  }

  private identify(record: JsonObject, line: number): { id: EntryId; parentId: EntryId | null; given: boolean } {
    const hasIds = this.header === undefined || (this.version ?? 1) >= 2;
    const id = record['id'];
    if (hasIds && typeof id === 'string' && id !== '') {
      const parentId = record['parentId'];
      return { id: asEntryId(id), parentId: toParentId(parentId), given: false };
    }
    return { id: this.giveId(line), parentId: this.previousId, given: true };
  }

  private giveId(line: number): EntryId {
    for (let attempt = 0; ; attempt++) {
      const hash = createHash('sha1')
        .update(`${this.header?.id ?? ''}:${line}:${attempt}`)
        .digest('hex')
        .slice(0, 8);
      if (this.givenIds.has(hash)) continue;
      this.givenIds.add(hash);
      return asEntryId(hash);
    }
  }
}

function currentHeader(value: Static<typeof HeaderSchema>): SessionHeader {
  const parentSession = value.parentSession ?? value.branchedFrom;
  return {
    ...value,
    version: Math.max(value.version ?? 1, SESSION_VERSION),
    timestamp: value.timestamp ?? '',
    cwd: value.cwd ?? '',
    ...defined({ parentSession }),
  };
}

function unreadable(line: number): Problem {
  return { message: 'Unreadable line', line };
}

function toParentId(value: unknown): EntryId | null {
  return typeof value === 'string' && value !== '' ? asEntryId(value) : null;
}

/** Reads an entry again that a {@link SessionDecoder} reported as `rereadable`, or of which only the head was read. */
export function rereadEntry(text: string, line: number): ReturnType<typeof toEntry> {
  const record = parseObject(text);
  if (!record) return { ok: false, problem: unreadable(line) };
  return toEntry({ ...record, parentId: toParentId(record['parentId']) }, line);
}

/** pi appends directly after an incomplete line; the entry after it is complete. */
function salvage(text: string): JsonObject | undefined {
  const START = '{"type":"';
  let at = text.indexOf(START, 1);
  for (let tries = 0; at > 0 && tries < 8; tries++) {
    const record = parseObject(text.slice(at));
    if (record) return record;
    at = text.indexOf(START, at + 1);
  }
  return undefined;
}

/** Checks a record with id and parent against the schema of its type, and adds members that old versions left out. */
export function toEntry(
  record: JsonObject,
  line?: number,
): { ok: true; entry: StoredEntry } | { ok: false; problem: Problem } {
  const at = defined({ line });
  const type = record['type'];
  if (typeof type !== 'string' || type === '') {
    return { ok: false, problem: { message: 'Entry without a type', ...at } };
  }
  const complete = withDefaults(type, record);
  if (!isEntryType(type)) return { ok: true, entry: complete as StoredEntry };
  const checked = parse(ENTRY_SCHEMAS[type], complete);
  if (!checked.ok) {
    return { ok: false, problem: { message: `Bad ${type} entry: ${checked.problems[0]?.message ?? ''}`, ...at } };
  }
  if (checked.value.type !== 'message') return { ok: true, entry: checked.value };
  const message = parse(messageSchema(checked.value.message.role), checked.value.message);
  if (message.ok) return { ok: true, entry: checked.value };
  const problem = `Bad ${checked.value.message.role} message: ${message.problems[0]?.message ?? ''}`;
  return { ok: false, problem: { message: problem, ...at } };
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST };

function withDefaults(type: string, record: JsonObject): JsonObject {
  const entry = typeof record['timestamp'] === 'string' ? record : { ...record, timestamp: '' };
  switch (type) {
    case 'message':
      return { ...entry, message: withMessageDefaults(entry['message']) };
    case 'compaction':
      return { tokensBefore: 0, ...entry, firstKeptEntryId: entry['firstKeptEntryId'] ?? entry['id'] };
    case 'branch_summary':
      return { fromId: entry['parentId'] ?? 'root', ...entry };
    case 'custom_message':
      return { display: true, ...entry };
    case 'model_change':
      return withModelName(entry);
    default:
      return entry;
  }
}

function withMessageDefaults(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('role' in message)) return message;
  if (message.role === 'hookMessage') return { ...message, role: 'custom' };
  const content = 'content' in message ? message.content : undefined;
  // Files of other programs have null in place of missing content; pi accepts that, too.
  if (message.role === 'system') return content == null ? { ...message, content: '' } : message;
  if (message.role === 'user' || message.role === 'toolResult') {
    return content == null ? { ...message, content: [] } : message;
  }
  if (message.role !== 'assistant') return message;
  const blocks: unknown = content ?? [];
  const parts = Array.isArray(blocks) ? (blocks as readonly unknown[]).map(withCallDefaults) : blocks;
  return { usage: NO_USAGE, stopReason: 'stop', ...message, content: parts };
}

/** Earlier versions wrote whatever a model gave as arguments. */
function withCallDefaults(block: unknown): unknown {
  return isRecord(block) && block['type'] === 'toolCall' ? withObjectArguments(block) : block;
}

/** Oh-my-pi writes `model: "provider/id"`. */
function withModelName(entry: JsonObject): JsonObject {
  const name = entry['model'];
  const slash = typeof name === 'string' ? name.indexOf('/') : -1;
  if (typeof name !== 'string' || slash < 1 || entry['provider'] !== undefined) return entry;
  return { ...entry, provider: name.slice(0, slash), modelId: name.slice(slash + 1) };
}

/**
 * One line of the file, including the newline. Throws with the entry's name for values that JSON does not have (cycles,
 * BigInt).
 */
export function encodeLine(value: SessionHeader | StoredEntry): string {
  try {
    return `${JSON.stringify(value)}\n`;
  } catch (error) {
    throw new Error(`Entry of type "${value.type}" cannot be saved: ${messageOf(error)}`, { cause: error });
  }
}
