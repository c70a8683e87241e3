import type { ConversationMessage, SystemMessage } from '../../agent/messages';
import type { ContextEditEntry, MessageEntry, SessionEntry, UsageEntry } from '../../agent/session/entry';
import type { Dialect } from '../dialect';
import type { CompactionResult, EntryLike } from '../hook-event';

/**
 * The entries that only today's pi knows: the system prompt as a message, usage outside of answers, and edits of the
 * context. Files of the older dialects do not see them, neither as entries nor in an index (docs/dialects.md, C40). In
 * this file, hooks are those of the older dialects.
 */
type NewerEntry = UsageEntry | ContextEditEntry | (MessageEntry & { readonly message: SystemMessage });

/** The entries that hooks can see, of those that this code understands. */
export type VisibleEntry =
  | Exclude<SessionEntry, NewerEntry | MessageEntry>
  | (Omit<MessageEntry, 'message'> & { readonly message: ConversationMessage });

/** Members of known entries that came later. */
const NEWER_MEMBERS = ['systemMessage', 'usage'] as const;

export function isVisibleEntry(entry: EntryLike): boolean {
  if (entry.type === 'usage' || entry.type === 'context_edit') return false;
  if (entry.type !== 'message') return true;
  const { message } = entry as { readonly message?: { readonly role?: unknown } };
  return message?.role !== 'system';
}

/** One entry as hooks see it, with the last visible entry as its parent; `find` gives entries by id. */
function visibleEntry<E extends EntryLike>(entry: E, find: (id: string) => EntryLike | undefined): E {
  const parentId = visibleId(entry.parentId, find);
  const message =
    entry.type === 'message' ? visibleMessage((entry as { readonly message?: unknown }).message) : undefined;
  const hasLater = entry.type !== 'message' && NEWER_MEMBERS.some(name => name in entry);
  if (parentId === entry.parentId && !hasLater && message === undefined) return entry;
  const copy = { ...entry, parentId };
  if (hasLater) for (const name of NEWER_MEMBERS) Reflect.deleteProperty(copy, name);
  if (message !== undefined) Reflect.set(copy, 'message', message);
  return copy;
}

/** The message as hooks see it; undefined when they see it unchanged. */
function visibleMessage(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('nestedCalls' in message)) return undefined;
  const visible = { ...message };
  Reflect.deleteProperty(visible, 'nestedCalls');
  return visible;
}

/** Entries that hang on one another, as files of a dialect know them. */
export function entriesFor<E extends EntryLike>(
  { exposesPromptEntries }: Dialect,
  entries: readonly E[],
): readonly E[] {
  return exposesPromptEntries ? entries : visibleEntries(entries);
}

/** What became of a compaction, as files of a dialect know it. */
export function resultFor({ exposesPromptEntries }: Dialect, result: CompactionResult): CompactionResult {
  if (exposesPromptEntries || result.usage === undefined) return result;
  const visible = { ...result };
  delete visible.usage;
  return visible;
}

/**
 * The index among {@link entriesFor} of the entry at `index` among all entries; for a hidden entry, that of the next
 * visible one.
 */
export function indexFor({ exposesPromptEntries }: Dialect, entries: readonly EntryLike[], index: number): number {
  return exposesPromptEntries ? index : visibleIndex(entries, index);
}

/** The id under which files of a dialect find a place in the session: that of the nearest entry above that they know. */
export function idFor(
  { exposesPromptEntries }: Dialect,
  manager: object | undefined,
  id: string | null,
): string | null {
  if (exposesPromptEntries || manager === undefined || !('getEntry' in manager)) return id;
  return visibleId(id, entryId => (manager as Readable).getEntry(entryId));
}

/** The entries of a branch that hooks can see. */
export function visibleEntries<E extends EntryLike>(entries: readonly E[]): E[] {
  const hidden = new Map<string, EntryLike>();
  for (const entry of entries) if (!isVisibleEntry(entry)) hidden.set(entry.id, entry);
  return entries.filter(isVisibleEntry).map(entry => visibleEntry(entry, id => hidden.get(id)));
}

/** The nearest entry above that hooks know, the one named included. */
function visibleId(id: string | null, find: (id: string) => EntryLike | undefined): string | null {
  let at = id;
  for (;;) {
    const entry = at === null ? undefined : find(at);
    if (entry === undefined || isVisibleEntry(entry)) return at;
    at = entry.parentId;
  }
}

/** How many of the first `count` entries hooks see, which is their index for the entry at `count`. */
export function visibleIndex(entries: readonly EntryLike[], count: number): number {
  return count < 0 ? count : entries.slice(0, count).filter(isVisibleEntry).length;
}

/** The members of a session manager that are used here. */
interface Readable {
  getEntry(id: string): EntryLike | undefined;
  getEntries(): EntryLike[];
  getBranch(fromId?: string): EntryLike[];
  getChildren(parentId: string | null): EntryLike[];
  getTree(): TreeNode[];
  getLeafId(): string | null;
  getHeader(): object | null;
  buildContextEntries(): EntryLike[];
  buildSessionProjection(): Projection;
  buildSessionContext(): {
    readonly messages: readonly { readonly role: string }[];
    readonly entryIds?: readonly string[];
  };
}

interface Projection {
  readonly entries: readonly { readonly sourceEntry: EntryLike; readonly messages: readonly WithRole[] }[];
  readonly messages: readonly WithRole[];
}

interface WithRole {
  readonly role: string;
}

interface TreeNode {
  readonly entry: EntryLike;
  readonly children: TreeNode[];
}

type Readers = { readonly [K in keyof Readable | 'getPath' | 'getLeafEntry']?: (...given: never[]) => unknown };

const sessions = new WeakMap<object, object>();

/** A session manager as hooks see it: its answers leave out the newer entries; its other members are its own. */
export function visibleSession(manager: object): object {
  const known = sessions.get(manager);
  if (known !== undefined) return known;
  const readers = readersOf(manager as Readable);
  const visible = new Proxy(manager, {
    get(_target, name) {
      const own = name in manager && Object.hasOwn(readers, name) ? readers[name as keyof Readers] : undefined;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(manager, name, manager);
      return typeof value === 'function' && name !== 'constructor' ? (value.bind(manager) as unknown) : value;
    },
  });
  sessions.set(manager, visible);
  return visible;
}

function readersOf(manager: Readable): Readers {
  const find = (id: string): EntryLike | undefined => manager.getEntry(id);
  const visible = (entry: EntryLike): EntryLike => visibleEntry(entry, find);
  const single = (entry: EntryLike | undefined): EntryLike | undefined =>
    entry !== undefined && isVisibleEntry(entry) ? visibleEntry(entry, find) : undefined;
  const branch = (fromId?: string): EntryLike[] => visibleEntries(manager.getBranch(fromId));
  const leafId = (): string | null => visibleId(manager.getLeafId(), find);
  const children = (parentId: string | null): EntryLike[] =>
    manager
      .getChildren(parentId)
      .flatMap(child => (isVisibleEntry(child) ? visibleEntry(child, find) : children(child.id)));
  return {
    getHeader: () => withFormerNames(manager.getHeader()),
    getEntry: (id: string) => single(manager.getEntry(id)),
    getEntries: () => visibleEntries(manager.getEntries()),
    getBranch: branch,
    getPath: branch,
    getChildren: children,
    getTree: () => visibleNodes(manager.getTree(), find),
    getLeafId: leafId,
    getLeafEntry: () => {
      const id = leafId();
      return id === null ? undefined : single(manager.getEntry(id));
    },
    buildContextEntries: () => manager.buildContextEntries().filter(isVisibleEntry).map(visible),
    buildSessionProjection: () => visibleProjection(manager.buildSessionProjection(), visible),
    buildSessionContext: () => visibleContext(manager.buildSessionContext()),
  };
}

/** The header under the name, too, that it had for the session before it (docs/dialects.md, C21). */
function withFormerNames(header: object | null): object | null {
  return header !== null && 'parentSession' in header ? { ...header, branchedFrom: header.parentSession } : header;
}

/** Without recursion: a long session is a deep tree. */
function visibleNodes(roots: readonly TreeNode[], find: (id: string) => EntryLike | undefined): TreeNode[] {
  const visible: TreeNode[] = [];
  const open: { readonly from: readonly TreeNode[]; readonly to: TreeNode[] }[] = [{ from: roots, to: visible }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    for (const node of step.from) {
      if (!isVisibleEntry(node.entry)) {
        open.push({ from: node.children, to: step.to });
        continue;
      }
      const copy = { ...node, entry: visibleEntry(node.entry, find), children: [] };
      step.to.push(copy);
      open.push({ from: node.children, to: copy.children });
    }
  }
  return visible;
}

function visibleProjection(projection: Projection, visible: (entry: EntryLike) => EntryLike): Projection {
  const isShown = ({ role }: WithRole): boolean => role !== 'system';
  return {
    ...projection,
    entries: projection.entries.flatMap(({ sourceEntry, messages }) =>
      isVisibleEntry(sourceEntry) ? [{ sourceEntry: visible(sourceEntry), messages: messages.filter(isShown) }] : [],
    ),
    messages: projection.messages.filter(isShown),
  };
}

function visibleContext(context: ReturnType<Readable['buildSessionContext']>): object {
  const { messages, entryIds } = context;
  const isShown = (index: number): boolean => messages[index]?.role !== 'system';
  return {
    ...context,
    messages: messages.filter((_message, index) => isShown(index)).map(message => visibleMessage(message) ?? message),
    ...(entryIds === undefined ? {} : { entryIds: entryIds.filter((_id, index) => isShown(index)) }),
  };
}
