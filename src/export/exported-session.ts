import { messageOfEntry } from '../agent/session/context';
import type { StoredEntry } from '../agent/session/entry';
import { clipped } from '../base/text/clipped';
import { singleLine } from '../base/text/single-line';
import { hideSecrets, hideSecretsIn } from '../base/text/redact';
import type { EntryNode } from '../agent/session/tree';
import type { ReadableSession } from '../agent/session/readable-session';
import { exportItems, type ExportItem } from './items';

/** Which entries an export holds: the path to the current one, or every branch. */
export type ExportScope = 'path' | 'tree';

/** One branch of an exported session. */
export interface ExportBranch {
  /** 1 and up for branches beside the current path, which is 0. */
  readonly number: number;
  /** The item it hangs on, by entry; undefined when it begins the session. */
  readonly from: string | undefined;
  items(): Generator<ExportItem>;
}

/** A session as the writers of HTML and Markdown see it: without secrets. Entries are read while it is walked through. */
export interface ExportedSession {
  /** Its name, or the beginning of the first message; empty if there is neither. */
  readonly title: string;
  readonly id: string;
  readonly cwd: string;
  /** ISO 8601; may be empty. */
  readonly created: string;
  readonly current: ExportBranch;
  /** The other branches that have something to show. */
  readonly others: readonly ExportBranch[];
}

const TITLE_CHARS = 80;

/** Prepares a session for writing; reads only what the title needs, and the first entries of other branches. */
export function exportedSession(store: ReadableSession, scope: ExportScope): ExportedSession {
  const { current, others } = splitBranches(store.getNodes(), store.getLeafId());
  const branch = (source: Branch, number: number): ExportBranch => ({
    number,
    from: shownAt(store, source.from)?.id,
    items: () =>
      exportItems(entriesOf(store, source), id => {
        const label = store.getLabel(id);
        return label === undefined || label === '' ? undefined : hideSecrets(label);
      }),
  });
  const main = branch(current, 0);
  const shown = scope === 'path' ? [] : others.filter(other => branch(other, 0).items().next().done !== true);
  return {
    title: hideSecrets(store.getSessionName() ?? firstWords(main)),
    id: store.getSessionId(),
    cwd: store.getCwd(),
    created: store.getHeader()?.timestamp ?? '',
    current: main,
    others: shown.map((other, index) => branch(other, index + 1)),
  };
}

/** A sequence of entries without forks: the current path, or an abandoned one. */
interface Branch {
  /** The entry before it; undefined at the beginning of the session. */
  readonly from: EntryNode | undefined;
  /** From its beginning to its end. */
  readonly nodes: readonly EntryNode[];
}

/** All entries of a session as branches: each entry is in exactly one of them. */
interface Branches {
  /** From the root to the leaf; without entries when the leaf is before the first one. */
  readonly current: Branch;
  /**
   * In the order of their first entry in the file. At a fork, a branch continues with the entry that was written last.
   */
  readonly others: readonly Branch[];
}

/** Splits a session's entries (in file order, as `ReadableSession.getNodes` gives them) into its branches. */
function splitBranches(nodes: readonly EntryNode[], leafId: string | null): Branches {
  const byId = new Map<string, EntryNode>(nodes.map(node => [node.id, node]));
  const path: EntryNode[] = [];
  let at = leafId === null ? undefined : byId.get(leafId);
  for (; at; at = usableParent(at)) path.push(at);
  path.reverse();
  const taken = new Set(path);
  const next = lastChildren(nodes);
  const others: Branch[] = [];
  for (const node of nodes) {
    if (taken.has(node)) continue;
    const line: EntryNode[] = [];
    for (let step: EntryNode | undefined = node; step && !taken.has(step); step = next.get(step)) {
      taken.add(step);
      line.push(step);
    }
    others.push({ from: usableParent(node), nodes: line });
  }
  return { current: { from: undefined, nodes: path }, others };
}

/** The nearest entry above that can be used. */
function usableParent(node: EntryNode): EntryNode | undefined {
  let parent = node.parent;
  while (parent?.damaged === true) parent = parent.parent;
  return parent;
}

function lastChildren(nodes: readonly EntryNode[]): ReadonlyMap<EntryNode, EntryNode> {
  const last = new Map<EntryNode, EntryNode>();
  for (const node of nodes) {
    const parent = usableParent(node);
    if (parent) last.set(parent, node);
  }
  return last;
}

/** The beginning of what the user said first on a branch, on one line; empty when nothing. */
export function firstWords(branch: ExportBranch): string {
  let looked = 0;
  for (const item of branch.items()) {
    if (item.kind === 'user' && item.text.trim() !== '') {
      return clipped(singleLine(item.text), TITLE_CHARS);
    }
    looked += 1;
    if (looked > 20) return '';
  }
  return '';
}

/** The shown entry that leads a reader to this one: the call of a result, or the entry before one that is not shown. */
function shownAt(store: ReadableSession, node: EntryNode | undefined): EntryNode | undefined {
  for (let at = node; at; at = usableParent(at)) {
    const entry = store.getEntry(at.id);
    const message = entry && messageOfEntry(entry);
    if (message !== undefined && message.role !== 'toolResult') return at;
  }
  return undefined;
}

function* entriesOf(store: ReadableSession, { nodes }: Branch): Generator<StoredEntry> {
  for (const { id } of nodes) {
    const entry = store.getEntryOnce(id);
    if (entry !== undefined) yield hideSecretsIn(entry);
  }
}
