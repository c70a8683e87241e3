import { basename } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { AgentMessage, CustomMessage } from '../../agent/messages';
import { isVirtual } from '../../agent/models/virtual-models';
import { isSessionEntry, unknownKind, type EntryId, type EntryType, type StoredEntry } from '../../agent/session/entry';
import { messageOfEntry } from '../../agent/session/context';
import { isOpenElsewhere } from '../../agent/session/file/access';
import type { SessionStore } from '../../agent/session/store';
import { versionsOf } from '../../agent/session/message-versions';
import type { PromptOptions } from '../../agent/prompt/system-prompt';
import { clampLevel, type ThinkingLevel } from '../../agent/thinking-levels';
import { Emitter } from '../../base/event';
import type { TranscriptPart } from '../ports/session-events';
import { SpendingMeter } from './spending';

interface Transcript {
  readonly parts: readonly TranscriptPart[];
  /** Those among the parts. */
  readonly messages: readonly AgentMessage[];
  readonly omitted: number;
}

/** At most so many messages of a resumed session are drawn; earlier ones stay in the file and in the context. */
const DRAWN_MESSAGES = 5000;
/** Number of entries that are read to add up the usage of a session. */
const COUNTED_ENTRIES = 5000;

/** The state of a conversation's session; replaced completely when the session changes. */
export class SessionState {
  model: Model<Api> | undefined;
  /** Whether the model was listed when it was chosen; hooks may choose one that is not listed. */
  modelWasOffered = false;
  /** The requested level; a model that is chosen later may support it when this one does not. */
  thinkingLevel = 'off';
  /** Messages of hooks that wait for the next prompt of the user. */
  nextTurn: CustomMessage[] = [];
  /** The parts of the current run's system prompt, if hooks changed them. */
  runPrompt: PromptOptions | undefined;
  /** The same while hooks change it. */
  openingPrompt: PromptOptions | undefined;
  /** What the answers of the session used. */
  readonly spending = new SpendingMeter();
  private readonly entries = new WeakMap<AgentMessage, EntryId>();
  /** The switch in progress: until its end, context and session file may be of different sessions. */
  switching: Promise<void> | undefined;
  private readonly contextEmitter = new Emitter<readonly AgentMessage[]>(error => {
    throw error; // The caller must know that the agent did not take the context.
  });
  /** Fires when the agent took another context of the session. */
  readonly onDidReadContext = this.contextEmitter.event;

  constructor(public store: SessionStore) {}

  /** Identifies a session; stays the same over restarts if it has a file. */
  get key(): string {
    const file = this.store.getSessionFile();
    return file === undefined ? this.store.getSessionId() : basename(file);
  }

  /** Another window or program writes to the session. */
  get isOpenElsewhere(): boolean {
    return isOpenElsewhere(this.store.access);
  }

  /** Resolves when the switch of the session is over; undefined when there is none. */
  switched(): Promise<void> | undefined {
    return this.switching?.then(() => this.switched());
  }

  /** The thinking level of the current model. */
  get effectiveLevel(): ThinkingLevel {
    return clampLevel(this.model, this.thinkingLevel);
  }

  /**
   * To be called before a run: a new session begins with which model answers and how much it thinks, and a path that
   * says no level, as in files of older formats, or another one, as after going elsewhere in the tree, says the current
   * one from here on. A level that the model
   * only comes near to stays as it was wished for.
   */
  recordSelection(): void {
    const { store, model } = this;
    const { model: saidModel, thinkingLevel } = store.buildSelection();
    const isNew = !store.getPathIds().some(({ type }) => type === 'message');
    const begins = isNew && saidModel === null;
    if (model !== undefined && (begins || this.isUnsaid(model))) store.appendModelChange(model.provider, model.id);
    const says = thinkingLevel === undefined || clampLevel(model, thinkingLevel) !== this.effectiveLevel;
    if (says) store.appendThinkingLevelChange(this.effectiveLevel);
  }

  /** Answers name the models behind a virtual one: only the path's last change of the model tells that it is chosen. */
  private isUnsaid(model: Model<Api>): boolean {
    if (!isVirtual(model)) return false;
    const change = this.store.lastModelChange();
    return change?.provider !== model.provider || change.modelId !== model.id;
  }

  /** Remembers the entry of a message that was written. */
  noteEntry(message: AgentMessage, entryId: EntryId): void {
    this.entries.set(message, entryId);
  }

  entryIdOf(message: AgentMessage): EntryId | null {
    return this.entries.get(message) ?? null;
  }

  /** Which of how many versions of a message of the user this is, 1-based; undefined where there is one. */
  versionOf(message: AgentMessage): { readonly at: number; readonly of: number } | undefined {
    const id = this.store.isForked ? this.entries.get(message) : undefined;
    const versions = id === undefined ? [] : versionsOf(this.store, id);
    return versions.length < 2 ? undefined : { at: versions.findIndex(each => each === id) + 1, of: versions.length };
  }

  /** Id and time of a message's entry; empty while it has none. */
  entryPlaceOf(message: AgentMessage): { readonly messageId?: string; readonly timestamp?: string } {
    const entry = this.store.getEntry(this.entries.get(message) ?? '');
    return entry === undefined ? {} : { messageId: entry.id, timestamp: entry.timestamp };
  }

  /** Sets the agent's context from the session. Throws while a run is active. */
  readContext(): readonly AgentMessage[] {
    const messages = this.rebuildContext();
    this.contextEmitter.fire(messages);
    return messages;
  }

  /** Builds the model's context from the session and returns it. */
  rebuildContext(): readonly AgentMessage[] {
    const { messages, entryIds } = this.store.buildSessionContext();
    messages.forEach((message, index) => {
      const id = entryIds[index];
      if (id !== undefined) this.entries.set(message, id);
    });
    return messages;
  }

  /**
   * What a user sees of the session: the whole path, compacted parts included; and how many messages were left out.
   */
  readTranscript(): Transcript {
    const drawn = this.store.getPathIds().filter(node => !SILENT_TYPES.has(node.type));
    const counted = drawn.filter(({ type }) => type !== OF_HOOK);
    const omitted = Math.max(0, counted.length - DRAWN_MESSAGES);
    const first = counted[omitted];
    const parts: TranscriptPart[] = [];
    const messages: AgentMessage[] = [];
    for (const node of omitted === 0 || first === undefined ? drawn : drawn.slice(drawn.indexOf(first))) {
      if (node.type === OF_HOOK) {
        // Most of them are never shown: they are read when a hook draws them.
        parts.push({ type: 'entry', entryId: node.id });
        continue;
      }
      const entry = this.store.getEntry(node.id);
      if (entry === undefined) continue;
      if (!isSessionEntry(entry)) {
        addUnknown(parts, unknownKind(entry));
        continue;
      }
      const message = messageOfEntry(entry);
      if (message === undefined) continue;
      this.entries.set(message, entry.id);
      messages.push(message);
      parts.push({ type: 'message', message });
    }
    this.followSpending();
    return { parts, messages, omitted };
  }

  /** The last message that {@link readTranscript} gives. */
  lastMessage(): AgentMessage | undefined {
    for (const { id, type } of this.store.getPathIds().toReversed()) {
      if (SILENT_TYPES.has(type) || type === OF_HOOK) continue;
      const entry = this.store.getEntry(id);
      const message = entry !== undefined && isSessionEntry(entry) ? messageOfEntry(entry) : undefined;
      if (message !== undefined) return message;
    }
    return undefined;
  }

  /** Counts the usage of the whole session; of a very long session, only that of its current path. */
  private followSpending(): void {
    const { store } = this;
    const nodes = store.getNodes();
    const counted = nodes.length > COUNTED_ENTRIES ? store.getPathIds().slice(-COUNTED_ENTRIES) : nodes;
    const entries = (): StoredEntry[] => counted.flatMap(({ id }) => store.getEntry(id) ?? []);
    this.spending.follow(store, entries, counted.length < nodes.length);
  }
}

/** The type of entries in which hooks store data. */
const OF_HOOK: EntryType = 'custom';

/** Types of known entries that are not drawn. */
const SILENT_TYPES: ReadonlySet<string> = new Set<EntryType>([
  'thinking_level_change',
  'model_change',
  'usage',
  'context_edit',
  'label',
  'session_info',
]);

function addUnknown(parts: TranscriptPart[], kind: string): void {
  const at = parts.findLastIndex(({ type }) => type !== 'entry');
  const last = parts[at];
  if (last?.type !== 'unknown') parts.push({ type: 'unknown', kinds: [kind] });
  else if (!last.kinds.includes(kind)) parts[at] = { type: 'unknown', kinds: [...last.kinds, kind] };
}
