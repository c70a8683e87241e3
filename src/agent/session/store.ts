import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Emitter } from '../../base/event';
import { uuidv7 } from '../../base/uuid';
import type { Problem } from '../../base/result';
import type { AgentMessage, BranchSummaryMessage, CompactionSummaryMessage, ContentPart } from '../messages';
import { promptCheckpoint } from '../prompt-record';
import { encodeLine, toEntry } from './codec';
import {
  asEntryId,
  SESSION_VERSION,
  type ContextEditEntry,
  type EntryId,
  type SessionHeader,
  type StoredEntry,
  type StoredUsage,
} from './entry';
import { messageOfEntry } from './context';
import { asStored, isEditable } from './context-edits';
import { copySession } from './fork';
import { SessionFile, SessionNotFound, type SessionAccess } from './session-file';
import { EntryTree, type EntryNode } from './tree';
import { SessionView } from './view';

/** Messages that are stored as `message` entries; the two summaries have entries of their own. */
export type StorableMessage = Exclude<AgentMessage, BranchSummaryMessage | CompactionSummaryMessage>;

/** Thrown by appends to a session that may only be read; `forkTo` continues it in a new file. */
export class SessionReadOnlyError extends Error {
  override readonly name = 'SessionReadOnlyError';
}

export interface CreateOptions {
  /** Folder of the session files, absolute; made when the first line is written. */
  readonly dir: string;
  readonly cwd: string;
  readonly parentSession?: string;
  /** A new one when absent. */
  readonly id?: string;
}

/** Where a copy goes; what is absent is as with the original. */
export type ForkPlace = Partial<Pick<CreateOptions, 'dir' | 'cwd' | 'id'>>;

export interface OpenOptions {
  /** Look only: no lock is taken, nothing can be appended. */
  readonly readOnly?: boolean;
  /** Begin a session of this folder in the file when it does not exist or is empty. */
  readonly cwd?: string;
}

interface Origin {
  readonly header: SessionHeader | undefined;
  readonly dir: string;
  readonly tree: EntryTree;
  readonly file?: SessionFile;
}

/** Types whose entries make a session worth a file (nothing of a conversation may be lost). */
const CONVERSATION: ReadonlySet<string> = new Set(['message', 'custom_message', 'branch_summary', 'compaction']);

/** The prompt alone says nothing of a conversation. */
function begins(entry: StoredEntry): boolean {
  return CONVERSATION.has(entry.type) && messageOfEntry(entry)?.role !== 'system';
}

/**
 * One session: a tree of entries, a leaf that new entries are appended to, and (unless in memory) an append-only file
 * in pi's format. Appends are synchronous for the caller and O(1); their lines are written in order
 * behind it, see {@link flush}.
 */
export class SessionStore extends SessionView {
  private readonly appended = new Emitter<StoredEntry>();
  private readonly complained = new Emitter<Problem>();
  private file: SessionFile | undefined;
  private readonly dir: string;

  private constructor(origin: Origin) {
    super(origin.header, origin.tree);
    this.dir = origin.dir;
    this.file = origin.file;
  }

  /** After each append, with the entry, the leaf already on it. */
  readonly onDidAppend = this.appended.event;
  /** What goes wrong after opening: failed writes, entries found unreadable later, other writers. */
  readonly onDidComplain = this.complained.event;

  /** A new session; its file appears with the first entry of a conversation. */
  static create(options: CreateOptions): SessionStore {
    const header = newHeader(options.cwd, options.parentSession, options.id);
    const name = `${header.timestamp.replace(/[:.]/g, '-')}_${header.id}.jsonl`;
    return SessionStore.unborn(join(options.dir, name), header);
  }

  /** A session without a file (`--no-session`). */
  static inMemory(cwd: string, parentSession?: string, id?: string): SessionStore {
    return new SessionStore({ header: newHeader(cwd, parentSession, id), dir: '', tree: new EntryTree() });
  }

  /**
   * Opens a session file, whatever its state: what can be read is there, the rest is in {@link problems}. Read-only,
   * with the reason in {@link access}, when its head is unreadable or someone else writes to it. Rejects only when
   * there is no such file (and `cwd` is not given) or the system does not let us read it.
   */
  static async open(path: string, options: OpenOptions = {}): Promise<SessionStore> {
    const mode = options.readOnly === true ? 'readOnly' : 'write';
    const tree = new EntryTree();
    let store: SessionStore | undefined;
    const complain = (problem: Problem): void => {
      store?.complained.fire(problem);
    };
    try {
      const file = await SessionFile.load(path, tree, mode, complain);
      if (!file.header && file.access.kind === 'write') file.header = newHeader(options.cwd ?? '');
      store = new SessionStore({ header: file.header, dir: dirname(path), tree, file });
      return store;
    } catch (error) {
      if (!(error instanceof SessionNotFound) || options.cwd === undefined) throw error;
      return SessionStore.unborn(path, newHeader(options.cwd));
    }
  }

  private static unborn(path: string, header: SessionHeader): SessionStore {
    const tree = new EntryTree();
    const complain = (problem: Problem): void => {
      store.complained.fire(problem);
    };
    const file = SessionFile.fresh(path, header, complain, tree);
    const store = new SessionStore({ header, dir: dirname(path), tree, file });
    return store;
  }

  /** Whether appends are possible, and if not, why. */
  get access(): SessionAccess {
    return this.file?.access ?? { kind: 'write' };
  }

  /** What was wrong with the file so far, with line numbers. */
  get problems(): readonly Problem[] {
    return this.file?.problems ?? [];
  }

  /** Takes the right to write from whoever has it; the file is read again, the leaf goes to its end. */
  async takeOver(): Promise<void> {
    if (!this.file) return;
    const unsaved = this.tree.nodes.filter(node => node.entry && !node.source);
    const path = this.file.path;
    await this.file.dispose();
    const tree = new EntryTree();
    const complain = (problem: Problem): void => {
      this.complained.fire(problem);
    };
    this.file = await SessionFile.load(path, tree, 'takeOver', complain);
    this.header = this.file.header ?? this.header;
    this.reset(tree);
    for (const { entry } of unsaved) if (entry && !tree.get(entry.id)) this.insert(entry, encodeLine(entry));
    this.leafId = tree.last?.id ?? null;
  }

  /** Resolves when everything appended so far is in the file; rejects with the reason why it is not. */
  flush(): Promise<void> {
    return this.file?.flush() ?? Promise.resolve();
  }

  /** Writes what is left, frees the file for others and ends all events. Never rejects; call {@link flush} to know. */
  async dispose(): Promise<void> {
    await this.file?.dispose();
    this.appended.dispose();
    this.complained.dispose();
  }

  // Appending

  appendMessage(message: StorableMessage): EntryId {
    return this.append('message', { message });
  }

  appendThinkingLevelChange(thinkingLevel: string): EntryId {
    return this.append('thinking_level_change', { thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): EntryId {
    return this.append('model_change', { provider, modelId });
  }

  /**
   * `firstKeptEntryId` undefined keeps nothing: the entry then names itself. The prompt and the tools that the model
   * knows at this point go into the entry.
   */
  appendCompaction(compaction: {
    readonly summary: string;
    readonly firstKeptEntryId: string | undefined;
    readonly tokensBefore: number;
    readonly details?: unknown;
    readonly fromHook?: boolean;
    /** What the summary took. */
    readonly usage?: StoredUsage;
    /** Further members, kept verbatim (`preserveData` of oh-my-pi's hooks). */
    readonly extra?: Readonly<Record<string, unknown>>;
  }): EntryId {
    const { extra, firstKeptEntryId, ...fields } = compaction;
    const id = this.newId();
    const systemMessage = promptCheckpoint(this.buildSessionContext().messages, Date.now());
    const checkpoint = systemMessage === undefined ? {} : { systemMessage };
    const kept = firstKeptEntryId ?? id;
    return this.append('compaction', { ...extra, ...fields, firstKeptEntryId: kept, ...checkpoint }, id);
  }

  /**
   * Changes what the model gets of an earlier entry of the current path from here on: nothing for `null`, else this
   * content. What a person, a hook, a tool or a model said can be edited.
   * @throws Error `Entry <id> not found`, `… is not on the active branch`, `… does not contribute editable model content`
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry['replacement']): EntryId {
    const target = this.require(targetId);
    if (!this.getPathIds().some(({ id }) => id === target.id)) {
      throw new Error(`Entry ${targetId} is not on the active branch`);
    }
    const entry = this.getEntry(target.id);
    const message = entry && messageOfEntry(entry);
    if (message === undefined || !isEditable(message)) {
      throw new Error(`Entry ${targetId} does not contribute editable model content`);
    }
    return this.append('context_edit', { targetId: target.id, replacement: asStored(replacement, message) });
  }

  /** State of a hook, never seen by the model. */
  appendCustomEntry(customType: string, data?: unknown): EntryId {
    return this.append('custom', { customType, data });
  }

  /** A hook's message, seen by the model, shown when `display`. */
  appendCustomMessageEntry(
    customType: string,
    content: string | ContentPart[],
    display: boolean,
    details?: unknown,
  ): EntryId {
    return this.append('custom_message', { customType, content, display, details });
  }

  /** Names the session; an empty name removes it. */
  appendSessionInfo(name: string): EntryId {
    return this.append('session_info', { name: name.trim() });
  }

  /** Sets or (undefined, empty) removes the label of an entry. Throws `Entry <id> not found`. */
  appendLabelChange(targetId: string, label: string | undefined): EntryId {
    return this.append('label', { targetId: this.require(targetId).id, label });
  }

  /** Appends an entry of any type as V2 hooks do (`saveEntry`). Throws when a known type is misused. */
  appendRaw(raw: { readonly type: string; readonly [member: string]: unknown }): EntryId {
    const { type } = raw;
    const fields: Record<string, unknown> = { ...raw };
    for (const own of ['type', 'id', 'parentId', 'timestamp']) Reflect.deleteProperty(fields, own);
    if (type === 'session') throw new Error('An entry of type "session" is the header and cannot be appended');
    const probe = { ...fields, type, id: 'probe', parentId: null, timestamp: '' };
    const checked = toEntry(probe);
    if (!checked.ok) throw new Error(checked.problem.message);
    return this.append(type, fields);
  }

  /** Copies an entry with its id and parent; for forks. `line` is its text with newline when that is at hand. */
  importEntry(entry: StoredEntry, line = encodeLine(entry)): void {
    this.assertWritable();
    this.insert(entry, line);
  }

  // Moving the leaf

  /** The next append becomes a child of this entry. Throws `Entry <id> not found`. */
  branch(entryId: string): void {
    this.leafId = this.require(entryId).id;
  }

  /** The next append becomes a new root: the first message is written anew. */
  resetLeaf(): void {
    this.leafId = null;
  }

  /** Moves the leaf and leaves a summary there of the branch that was left; `null` is before the first entry. */
  branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: StoredUsage,
  ): EntryId {
    const fromId = this.leafId ?? 'root';
    if (entryId === null) this.resetLeaf();
    else this.branch(entryId);
    return this.append('branch_summary', { fromId, summary, details, fromHook, usage });
  }

  /**
   * The path up to before (or, with `at`, to) an entry as a new session naming this one as its parent.
   */
  fork(entryId: string, position: 'before' | 'at' = 'before'): Promise<SessionStore> {
    const node = this.require(entryId);
    const end = position === 'at' ? node : node.parent;
    const copy = this.emptyFork();
    const plan = { nodes: this.tree.path(end?.id ?? null), labelsLast: true };
    return copySession(this, copy, plan).then(() => copy);
  }

  /** All that can be read, every branch of it, as a new session naming this one; for damaged or foreign-held files. */
  async forkTo(options: ForkPlace = {}): Promise<SessionStore> {
    const copy = this.emptyFork(options);
    await copySession(this, copy, { nodes: this.tree.nodes, labelsLast: false });
    copy.leafId = this.leafId;
    return copy;
  }

  override getSessionFile(): string | undefined {
    return this.file?.path;
  }

  override getSessionDir(): string {
    return this.dir;
  }

  /**
   * @internal The line of an entry as it stands in the file, newline included, if it still says what the entry says.
   */
  lineOf(node: EntryNode): string | undefined {
    const text = this.file?.verbatim(node);
    return text === undefined ? undefined : `${text}\n`;
  }

  private emptyFork(options: ForkPlace = {}): SessionStore {
    const cwd = options.cwd ?? this.getCwd();
    if (!this.file) return SessionStore.inMemory(cwd);
    return SessionStore.create({ ...options, dir: options.dir ?? this.dir, cwd, parentSession: this.file.path });
  }

  private append(type: string, fields: Readonly<Record<string, unknown>>, id = this.newId()): EntryId {
    this.assertWritable();
    const entry = { type, id, parentId: this.leafId, timestamp: new Date().toISOString(), ...fields };
    this.insert(entry, encodeLine(entry));
    this.appended.fire(entry);
    return id;
  }

  private insert(entry: StoredEntry, line: string): void {
    const node: EntryNode = { id: entry.id, parentId: entry.parentId, type: entry.type, entry };
    if (this.tree.add(node) === 'duplicate') throw new Error(`Entry ${entry.id} exists already`);
    this.leafId = entry.id;
    this.note(entry);
    this.file?.append(node, line, begins(entry));
  }

  protected override read(node: EntryNode): StoredEntry | undefined {
    return this.file ? this.file.read(node) : node.entry;
  }

  private require(id: string): EntryNode {
    const node = this.tree.get(id);
    if (!node) throw new Error(`Entry ${id} not found`);
    return node;
  }

  private assertWritable(): void {
    if (this.access.kind === 'read') {
      throw new SessionReadOnlyError(`Session ${this.file?.path ?? ''} is read-only: ${this.access.reason}`);
    }
  }

  private newId(): EntryId {
    for (;;) {
      const id = randomUUID().slice(0, 8);
      if (!this.tree.get(id)) return asEntryId(id);
    }
  }
}

function newHeader(cwd: string, parentSession?: string, id: string = uuidv7()): SessionHeader {
  const base = { id, timestamp: new Date().toISOString(), cwd };
  const parent = parentSession === undefined ? {} : { parentSession };
  return { type: 'session', version: SESSION_VERSION, ...base, ...parent };
}
