import type { AgentMessage } from '../../agent/messages';
import { copyMessage } from '../copy';
import type { HookConversation } from '../conversation-port';
import type { EntryLike } from '../hook-event';
import { isVisibleEntry, visibleEntries } from './visible-session';

/** The readers of a session that the runtime itself needs; anything missing reads as an empty session. */
export interface SessionReader {
  header(): Readonly<Record<string, unknown>> | undefined;
  /** Root to leaf, header left out. */
  branch(): readonly EntryLike[];
  leafId(): string | null;
  sessionId(): string;
}

/** One element of the V1 view: the header or an entry (docs/dialects.md, C6). */
export type ViewEntry = Readonly<Record<string, unknown>> & { readonly type: string; readonly id?: string };

function call(target: object, names: readonly string[]): unknown {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (typeof method === 'function') return Reflect.apply(method, target, []);
  }
  return undefined;
}

/** Reads a session manager of any generation: `getPath` is `getBranch` (docs/dialects.md, C21). */
function readerOf(sessionManager: object): SessionReader {
  return {
    header: () => recordOf(call(sessionManager, ['getHeader'])),
    branch: () => {
      const path = call(sessionManager, ['getBranch', 'getPath']);
      return Array.isArray(path) ? (path as readonly EntryLike[]) : [];
    },
    leafId: () => {
      const id = call(sessionManager, ['getLeafId']);
      return typeof id === 'string' ? id : null;
    },
    sessionId: () => {
      const id = call(sessionManager, ['getSessionId']);
      return typeof id === 'string' ? id : '';
    },
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}

interface CachedView {
  readonly key: string;
  readonly view: readonly ViewEntry[];
}
const views = new WeakMap<object, CachedView>();

/**
 * The session as V1 and V2 know it: the header at index 0, then the entries of the current path; compactions carry
 * `firstKeptEntryIndex` (docs/dialects.md, C6). Built once per leaf, of copies: what a hook changes in it never reaches
 * the session.
 */
export function v1View(conversation: HookConversation): readonly ViewEntry[] {
  const reader = readerOf(conversation.sessionManager);
  const key = `${reader.sessionId()}:${reader.leafId() ?? ''}`;
  const cached = views.get(conversation.sessionManager);
  if (cached?.key === key) return cached.view;
  const view = buildView(reader);
  views.set(conversation.sessionManager, { key, view });
  return view;
}

function buildView(reader: SessionReader): readonly ViewEntry[] {
  const header = { type: 'session', ...reader.header() } as ViewEntry & Record<string, unknown>;
  const parent = header['parentSession'] ?? header['branchedFrom'];
  const view: ViewEntry[] = [
    parent === undefined ? header : { ...header, parentSession: parent, branchedFrom: parent },
  ];
  const path = reader.branch();
  const indexOf = indexesIn(path);
  for (const entry of visibleEntries(path.slice(openingSettings(path)))) {
    view.push(entry.type === 'compaction' ? withIndex(entry, view.length, indexOf) : copyEntry(entry));
  }
  return view;
}

/**
 * The index of every entry on a path by id, header counted; an entry that hooks do not see has the index of the next
 * one.
 */
function indexesIn(path: readonly EntryLike[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  const opening = openingSettings(path);
  let index = 1;
  for (const [place, entry] of path.entries()) {
    indexOf.set(entry.id, index);
    if (place >= opening && isVisibleEntry(entry)) index += 1;
  }
  return indexOf;
}

/**
 * The number of entries at the beginning of a path that only name the model and the thinking level: today's pi writes
 * them into each new session. V1 had them in the header, and its hooks expect the first message as the first entry.
 */
function openingSettings(path: readonly EntryLike[]): number {
  const first = path.findIndex(({ type }) => type !== 'model_change' && type !== 'thinking_level_change');
  return first < 0 ? path.length : first;
}

function copyEntry(entry: EntryLike): ViewEntry {
  const copy = { ...entry } as EntryLike & { message?: AgentMessage };
  if (copy.message !== undefined) copy.message = copyMessage(copy.message);
  return copy;
}

/** A compaction that keeps nothing points at its own index, as V1 wrote it. */
function withIndex(entry: EntryLike, own: number, indexOf: ReadonlyMap<string, number>): ViewEntry {
  const keptId: unknown = Reflect.get(entry, 'firstKeptEntryId');
  const index = typeof keptId === 'string' ? indexOf.get(keptId) : undefined;
  return { ...entry, firstKeptEntryIndex: index === undefined ? own : Math.min(index, own) };
}

/** Index in the V1 view of the entry of a path, see {@link v1View}; -1 when it is not on the current path. */
export function indexOnPath(conversation: HookConversation, entryId: string): number {
  return indexesIn(readerOf(conversation.sessionManager).branch()).get(entryId) ?? -1;
}

/** Index of an entry in the V1 view, header counted; -1 when it is not on the current path. */
export function indexInView(view: readonly ViewEntry[], entryId: string): number {
  return view.findIndex(entry => entry.id === entryId && entry.type !== 'session');
}

/**
 * The id for V1's index of the first kept entry; `''` keeps nothing, undefined: there is no such index
 * (docs/dialects.md, C7).
 */
export function keptIdAt(view: readonly ViewEntry[], index: unknown): string | undefined {
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) return undefined;
  if (index >= view.length) return '';
  return view[Math.max(index, 1)]?.id ?? '';
}
