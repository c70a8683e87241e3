import { basename } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { AgentMessage, CustomMessage } from '../../agent/messages';
import { isVirtual } from '../../agent/models/virtual-models';
import { isSessionEntry, unknownKind, type EntryId, type EntryType, type StoredEntry } from '../../agent/session/entry';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import { versionsOf } from '../../agent/session/versions';
import type { PromptOptions } from '../../agent/system-prompt';
import { clampLevel, type ThinkingLevel } from '../../agent/thinking-levels';
import { Emitter } from '../../base/event';
import { SpendingMeter } from './spending';

/**
 * One thing to be drawn: a message, an entry of a hook, or entries in a row that this code does not know, by what they call
 * themselves.
 */
export type TranscriptPart =
  | { readonly type: 'message'; readonly message: AgentMessage }
  | { readonly type: 'entry'; readonly entryId: EntryId }
  | { readonly type: 'unknown'; readonly kinds: readonly string[] };

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

/** What a conversation is about right now; replaced as a whole when the session changes. */
export class SessionState {
  model: Model<Api> | undefined;
  /** The model was offered when it was chosen; hooks may bring one that nobody lists. */
  modelWasOffered = false;
  /** As it was wished for; a model that is chosen later may know it when this one does not. */
  thinkingLevel = 'off';
  /** Messages of hooks that wait for the next prompt of the user. */
  nextTurn: CustomMessage[] = [];
  /** What the system prompt of the run that is going on is made from, where hooks changed that. */
  runPrompt: PromptOptions | undefined;
  /** The same while hooks change it. */
  openingPrompt: PromptOptions | undefined;
  /** What the answers of the session used. */
  readonly spending = new SpendingMeter();
  private readonly entries = new WeakMap<AgentMessage, EntryId>();
  /** The switch of the session that is going on: until its end context and session file may mention different sessions. */
  switching: Promise<void> | undefined;
  private readonly contextEmitter = new Emitter<readonly AgentMessage[]>(error => {
    throw error; // Whoever asked for the context must know that the agent did not take it.
  });
  /** The session has another context now, which the agent takes. */
  readonly onDidReadContext = this.contextEmitter.event;

  constructor(public store: SessionStore) {}

  /** Stays the same for a session as long as it lives, over ends of the process where it has a file. */
  get key(): string {
    const file = this.store.getSessionFile();
    return file === undefined ? this.store.getSessionId() : basename(file);
  }

  /** Resolves when no switch of the session is going on any more; undefined when none is. */
  switched(): Promise<void> | undefined {
    return this.switching?.then(() => this.switched());
  }

  /** How much the model in use thinks. */
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
    const said = this.store.lastModelChange();
    return said?.provider !== model.provider || said.modelId !== model.id;
  }

  /** Writes a complete message, or what can be written of it, and remembers which entry it became. */
  persist(message: AgentMessage, written: AgentMessage = message): void {
    const { store } = this;
    this.spending.add(message);
    switch (written.role) {
      case 'custom':
        this.entries.set(
          message,
          store.appendCustomMessageEntry(written.customType, written.content, written.display, written.details),
        );
        return;
      case 'branchSummary':
      case 'compactionSummary':
        return;
      case 'system':
      case 'user':
      case 'assistant':
      case 'toolResult':
      case 'bashExecution':
        this.entries.set(message, store.appendMessage(written));
        return;
    }
  }

  /** Writes a message that nothing follows: it stays in the file, and the path goes on from before it. */
  persistAside(message: AgentMessage, written: AgentMessage = message): void {
    const before = this.store.getLeafId();
    this.persist(message, written);
    if (before === null) this.store.resetLeaf();
    else this.store.branch(before);
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

  /** Id and time of the entry that a message is; empty while it is none. */
  entryPlaceOf(message: AgentMessage): { readonly messageId?: string; readonly timestamp?: string } {
    const entry = this.store.getEntry(this.entries.get(message) ?? '');
    return entry === undefined ? {} : { messageId: entry.id, timestamp: entry.timestamp };
  }

  /** Hands the model's context, as the session has it, to the agent. Throws while a run is going on. */
  readContext(): readonly AgentMessage[] {
    const messages = this.rebuildContext();
    this.contextEmitter.fire(messages);
    return messages;
  }

  /** The model's context as the session has it now, for whoever hands it to the agent. */
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

  /** All of a session counts; of a very long one only its current path, which is in memory. */
  private followSpending(): void {
    const { store } = this;
    const whole = store.getNodes();
    const counted = whole.length > COUNTED_ENTRIES ? store.getPathIds().slice(-COUNTED_ENTRIES) : whole;
    const entries = (): StoredEntry[] => counted.flatMap(({ id }) => store.getEntry(id) ?? []);
    this.spending.follow(store, entries, counted.length < whole.length);
  }
}

/** Entries in which hooks keep what is theirs. */
const OF_HOOK: EntryType = 'custom';

/** Entries that are known and of which nothing is drawn. */
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
