import { randomBytes, randomUUID } from 'node:crypto';
import { defined } from '../../base/defined';
import { Emitter } from '../../base/event';
import type { AgentMessage, BranchSummaryMessage, CompactionSummaryMessage, ContentPart } from '../messages';
import { promptCheckpoint } from '../prompt/prompt-record';
import { encodeLine, toEntry } from './file/codec';
import { messageOfEntry } from './context';
import { asStored, isEditable, isReplacement } from './context-edits';
import {
  asEntryId,
  SESSION_VERSION,
  type ContextEditEntry,
  type EntryId,
  type SessionHeader,
  type StoredEntry,
  type StoredUsage,
} from './entry';
import type { SessionFile } from './file/session-file';
import type { EntryNode, EntryTree } from './tree';
import { ReadableSession } from './readable-session';

/** Messages that are stored as `message` entries; the two summaries have entries of their own. */
export type StorableMessage = Exclude<AgentMessage, BranchSummaryMessage | CompactionSummaryMessage>;

/** Thrown by appends to a session that may only be read. */
export class SessionReadOnlyError extends Error {
  override readonly name = 'SessionReadOnlyError';
}

/** The content of a compaction entry. */
export interface NewCompaction {
  readonly summary: string;
  /** Null: nothing is kept, and the entry has its own id here. */
  readonly firstKeptEntryId: string | null;
  readonly tokensBefore: number;
  readonly details?: unknown;
  readonly fromHook?: boolean;
  /** The usage of the summary. */
  readonly usage?: StoredUsage;
  /** Further members, kept verbatim (`preserveData` of oh-my-pi's hooks). */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Types of entries that start the session's file. */
const CONVERSATION: ReadonlySet<string> = new Set(['message', 'custom_message', 'branch_summary', 'compaction']);

/** Whether this entry starts the session's file. The system prompt alone does not. */
export function beginsConversation(entry: StoredEntry): boolean {
  return CONVERSATION.has(entry.type) && messageOfEntry(entry)?.role !== 'system';
}

/** A session to whose leaf entries are appended, and to its file when it has one. */
export abstract class AppendableSession extends ReadableSession {
  protected readonly appended = new Emitter<StoredEntry>();
  /** After each append, with the entry, the leaf already on it. */
  readonly onDidAppend = this.appended.event;

  protected constructor(
    header: SessionHeader | undefined,
    tree: EntryTree,
    protected file?: SessionFile,
  ) {
    super(header, tree);
  }

  appendMessage(message: StorableMessage): EntryId {
    return this.append('message', { message });
  }

  appendThinkingLevelChange(thinkingLevel: string): EntryId {
    return this.append('thinking_level_change', { thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): EntryId {
    return this.append('model_change', { provider, modelId });
  }

  /** The prompt and the tools that the model knows at this point go into the entry. */
  protected addCompaction(compaction: NewCompaction): EntryId {
    const { extra, firstKeptEntryId, ...fields } = compaction;
    const id = this.newId();
    const systemMessage = promptCheckpoint(this.buildSessionContext().messages, Date.now());
    const checkpoint = defined({ systemMessage });
    const kept = firstKeptEntryId ?? id;
    return this.append('compaction', { ...extra, ...fields, firstKeptEntryId: kept, ...checkpoint }, id);
  }

  /**
   * Replaces the content of an earlier entry of the current path for the model, from now on; `null` removes it. Messages of
   * users, hooks, tools and models can be edited.
   * @throws Error for a replacement of another shape, `Entry <id> not found`, `… is not on the active branch`, `… does not
   * contribute editable model content`
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry['replacement']): EntryId {
    if (!isReplacement(replacement)) {
      throw new Error('Context edit replacement must be null or contain string/array content');
    }
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

  /** Records tokens that were used for something other than an answer. Returns the new entry. */
  appendUsage(
    kind: string,
    provider: string,
    model: string,
    usage: StoredUsage,
    note?: string,
  ): StoredEntry | undefined {
    const more = note === undefined || note === '' ? {} : { note };
    return this.getEntry(this.append('usage', { kind, provider, model, usage, ...more }));
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

  /**
   * Appends an entry of any type, for V2 hooks (`saveEntry`). Throws when an entry of a known type has a wrong shape.
   */
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

  /** The next append becomes a child of this entry. Throws `Entry <id> not found`. */
  branch(entryId: string): void {
    this.leafId = this.require(entryId).id;
  }

  /** The next append becomes a new root: the first message is rewritten. */
  resetLeaf(): void {
    this.leafId = null;
  }

  /** Moves the leaf and adds a summary of the abandoned branch there. `null`: before the first entry. */
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

  /** Puts an entry into the tree, and the leaf on it. Throws for an id that exists already. */
  protected add(entry: StoredEntry): EntryNode {
    const { id, parentId, type } = entry;
    const node: EntryNode = { id, parentId, type, entry };
    if (this.tree.add(node) === 'duplicate') throw new Error(`Entry ${id} exists already`);
    this.leafId = id;
    this.note(entry);
    return node;
  }

  protected append(type: string, fields: Readonly<Record<string, unknown>>, id = this.newId()): EntryId {
    const entry = { type, id, parentId: this.leafId, timestamp: new Date().toISOString(), ...fields };
    const line = encodeLine(entry);
    this.assertWritable();
    this.take(entry, line);
    this.appended.fire(entry);
    return id;
  }

  /** @throws SessionReadOnlyError when nothing may be appended */
  protected abstract assertWritable(): void;

  /** Adds an entry, and its line to the file. */
  protected take(entry: StoredEntry, line: string): void {
    const node = this.add(entry);
    this.file?.append(node, line, beginsConversation(entry));
  }

  /** Throws `Entry <id> not found`. */
  protected require(id: string): EntryNode {
    const node = this.tree.get(id);
    if (!node) throw new Error(`Entry ${id} not found`);
    return node;
  }

  private newId(): EntryId {
    for (;;) {
      const id = randomUUID().slice(0, 8);
      if (!this.tree.get(id)) return asEntryId(id);
    }
  }
}

/** The header of a session that begins now. */
export function newHeader(
  cwd: string,
  parentSession?: string,
  id: string = uuidv7(),
  version: number = SESSION_VERSION,
): SessionHeader {
  const base = { id, timestamp: new Date().toISOString(), cwd };
  const parent = defined({ parentSession });
  return { type: 'session', version, ...base, ...parent };
}

/** The name of a session's file, as pi gives it. */
export function sessionFileName({ timestamp, id }: SessionHeader): string {
  return `${timestamp.replace(/[:.]/g, '-')}_${id}.jsonl`;
}

/** A UUID of version 7 (RFC 9562): later ones sort behind earlier ones, to the millisecond. */
function uuidv7(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
