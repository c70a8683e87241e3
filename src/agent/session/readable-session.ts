import {
  buildContext,
  contextEntriesOn,
  loadContext,
  projectContext,
  selectionOn,
  type SessionContext,
  type SessionProjection,
} from './context';
import { isSessionEntry, type EntryId, type SessionHeader, type StoredEntry } from './entry';
import { applyLabel, nestedTree, type EntryTree, type Label, type SessionTreeNode, type EntryNode } from './tree';

/** The reading part of a session. Its names are those of pi's `SessionManager`, with which hooks read sessions. */
export abstract class ReadableSession {
  protected leafId: EntryId | null;
  private labels: Map<string, Label> | undefined;
  private name: string | undefined;
  private nameKnown = false;

  protected constructor(
    protected header: SessionHeader | undefined,
    protected tree: EntryTree,
  ) {
    this.leafId = tree.last?.id ?? null;
  }

  /** The entry of a node; undefined when it cannot be used. */
  protected abstract read(node: EntryNode): StoredEntry | undefined;

  /** Like {@link read}, but does not keep the entry in memory. */
  protected readOnce(node: EntryNode): StoredEntry | undefined {
    return this.read(node);
  }

  getCwd(): string {
    return this.header?.cwd ?? '';
  }

  /** Empty for a session in memory. */
  abstract getSessionDir(): string;

  /** Empty when the header cannot be read. */
  getSessionId(): string {
    return this.header?.id ?? '';
  }

  /** Undefined for a session in memory. The file need not exist yet. */
  abstract getSessionFile(): string | undefined;

  /** Whether it has a file, or will have one. */
  isPersisted(): boolean {
    return this.getSessionFile() !== undefined;
  }

  getHeader(): SessionHeader | null {
    return this.header ?? null;
  }

  getLeafId(): EntryId | null {
    return this.leafId;
  }

  getLeafEntry(): StoredEntry | undefined {
    return this.leafId === null ? undefined : this.getEntry(this.leafId);
  }

  getEntry(id: string): StoredEntry | undefined {
    const node = this.tree.get(id);
    return node && this.read(node);
  }

  /** {@link getEntry} for callers that read a whole session once: the entry is not kept in memory. */
  getEntryOnce(id: string): StoredEntry | undefined {
    const node = this.tree.get(id);
    return node && this.readOnce(node);
  }

  getLabel(id: string): string | undefined {
    return this.getLabels().get(id)?.label;
  }

  /** All labels by the id of the entry that has them. */
  getLabels(): ReadonlyMap<string, Label> {
    if (this.labels) return this.labels;
    this.labels = new Map();
    for (const node of this.tree.nodes) {
      const entry = node.type === 'label' ? this.read(node) : undefined;
      if (entry && isSessionEntry(entry) && entry.type === 'label') applyLabel(this.labels, entry);
    }
    return this.labels;
  }

  /** Without the header, in file order, of all branches. Reads what is not in memory: for the tail of a long session take {@link getPathIds}. */
  getEntries(): StoredEntry[] {
    return this.tree.nodes.flatMap(node => this.read(node) ?? []);
  }

  getChildren(parentId: string | null): StoredEntry[] {
    return this.tree.children(parentId).flatMap(node => this.read(node) ?? []);
  }

  /** Whether there is more than one path; reads nothing from the file. */
  get isForked(): boolean {
    return this.tree.isForked;
  }

  /** Direct children in file order; reads nothing from the file. */
  getChildIds(parentId: string | null): readonly { readonly id: EntryId; readonly type: string }[] {
    return this.tree.children(parentId).filter(node => node.damaged !== true);
  }

  getTree(): SessionTreeNode[] {
    return nestedTree(this.tree, node => this.read(node), this.getLabels());
  }

  /** From the root to `fromId` (default: the leaf). */
  getBranch(fromId?: string): StoredEntry[] {
    return this.tree.path(fromId ?? this.leafId).flatMap(node => this.read(node) ?? []);
  }

  /** The older name of {@link getBranch}. */
  getPath(fromId?: string): StoredEntry[] {
    return this.getBranch(fromId);
  }

  /** Ids and types from the root to the leaf; reads nothing from the file. */
  getPathIds(fromId?: string): { readonly id: EntryId; readonly type: string }[] {
    return this.tree.path(fromId ?? this.leafId);
  }

  /** The nodes of all usable entries, in file order; reads nothing from the file. */
  getNodes(): readonly EntryNode[] {
    return this.tree.nodes.filter(node => node.damaged !== true);
  }

  /** The deepest entry that is on the paths of both. */
  commonAncestor(first: string | null, second: string | null): EntryId | null {
    return this.tree.commonAncestor(first, second)?.id ?? null;
  }

  /** The latest name given anywhere in the session. */
  getSessionName(): string | undefined {
    if (!this.nameKnown) {
      const node = this.tree.nodes.findLast(candidate => candidate.type === 'session_info');
      this.noteName(node && this.read(node));
    }
    return this.name;
  }

  /** The context that the path to the leaf gives the model. */
  buildSessionContext(): SessionContext {
    return buildContext(this.tree.path(this.leafId), node => this.read(node));
  }

  /** See {@link contextEntriesOn}. */
  buildContextEntries(): StoredEntry[] {
    return contextEntriesOn(this.tree.path(this.leafId), node => this.read(node));
  }

  /** Like {@link buildSessionContext}, with the entry of each message, and entries without messages. */
  buildSessionProjection(): SessionProjection {
    return projectContext(this.tree.path(this.leafId), node => this.read(node));
  }

  /** The model and thinking level that the path to the leaf selects; reads only the entries about them. */
  buildSelection(): ReturnType<typeof selectionOn> {
    return selectionOn(this.tree.path(this.leafId), node => this.read(node));
  }

  /** The latest `model_change` on the path, whatever model answered since. */
  lastModelChange(): SessionContext['model'] {
    const node = this.getPathIds().findLast(({ type }) => type === 'model_change');
    const entry = node && this.getEntry(node.id);
    if (entry === undefined || !isSessionEntry(entry) || entry.type !== 'model_change') return null;
    return { provider: entry.provider, modelId: entry.modelId };
  }

  /** As {@link buildSessionContext}, in slices: opening a long session must not block the host. */
  loadSessionContext(): Promise<SessionContext> {
    return loadContext(this.tree.path(this.leafId), node => this.read(node));
  }

  /** Starts again with another tree. */
  protected reset(tree: EntryTree): void {
    this.tree = tree;
    this.leafId = tree.last?.id ?? null;
    this.labels = undefined;
    this.nameKnown = false;
  }

  /** Updates label and name when an entry is added. */
  protected note(entry: StoredEntry): void {
    if (!isSessionEntry(entry)) return;
    if (entry.type === 'label' && this.labels) applyLabel(this.labels, entry);
    if (entry.type === 'session_info') this.noteName(entry);
  }

  private noteName(entry: StoredEntry | undefined): void {
    this.nameKnown = true;
    const name = entry && isSessionEntry(entry) && entry.type === 'session_info' ? entry.name : undefined;
    this.name = name === undefined || name.trim() === '' ? undefined : name.trim();
  }
}
