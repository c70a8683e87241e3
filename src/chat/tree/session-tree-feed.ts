import * as l10n from '@vscode/l10n';
import { setImmediate } from 'node:timers/promises';
import type { AssistantMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import { isSessionEntry, unknownKind, type StoredEntry } from '../../agent/session/entry';
import type { SessionStore } from '../../agent/session/store';
import { toolFacts } from '../../agent/tools';
import { clipped } from '../../base/text/clipped';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { singleLine } from '../../base/text/single-line';
import type { HostToTree, TreeEntry } from '../../protocol/pages/session-tree';
import type { Chat } from '../chat';
import { notShownText, plainText } from '../../transcript/message-text';

const SLICE_MS = 8;
/** Entries per message while a session is read. */
const BATCH = 500;
const TEXT_CHARS = 160;

/** Sends the tree of a conversation's session to one page: everything once, in slices, then only changes. */
export class SessionTreeFeed implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly ended = new AbortController();
  private store: SessionStore | undefined;
  private appends: Disposable | undefined;
  /** By entry: the nearest entry that is drawn, itself included; null when there is none above. */
  private drawn = new Map<string, string | null>();
  private reading: Promise<void> = Promise.resolve();
  private selected: string | undefined;

  constructor(
    private readonly chat: Chat,
    private readonly post: (message: HostToTree) => void,
  ) {
    this.owned.add(
      chat.onDidRedraw(() => {
        if (chat.conversation.store === this.store) this.sendLeaf();
        else this.follow();
      }),
    );
    this.owned.add(
      chat.status.onDidChange(() => {
        if (chat.conversation.store !== this.store) this.follow();
      }),
    );
  }

  /** Another session is open now. Sends nothing before the page is there. */
  private follow(): void {
    if (this.store !== undefined) this.start();
  }

  /** Starts sending; call it when the page is ready, and again when it reloads. */
  start(): void {
    const { store } = this.chat.conversation;
    this.store = store;
    this.drawn = new Map();
    this.appends?.dispose();
    const waiting: StoredEntry[] = [];
    let read = false;
    this.appends = store.onDidAppend(entry => {
      if (read) this.append(entry);
      else waiting.push(entry);
    });
    const { drawn } = this;
    this.reading = this.readAll(store).then(() => {
      if (drawn !== this.drawn) return;
      read = true;
      for (const entry of waiting) this.append(entry);
    });
  }

  /** Marks an entry once it is drawn. */
  select(entryId: string): void {
    this.selected = entryId;
    void this.reading.then(() => {
      const id = this.drawn.get(entryId);
      if (this.selected !== entryId || typeof id !== 'string') return;
      this.selected = undefined;
      this.post({ type: 'select', id });
    });
  }

  /** Resolves when all entries that existed at the start were sent. */
  get whenSent(): Promise<void> {
    return this.reading;
  }

  dispose(): void {
    this.ended.abort();
    this.appends?.dispose();
    this.owned.dispose();
  }

  private async readAll(store: SessionStore): Promise<void> {
    const { drawn } = this;
    let batch: TreeEntry[] = [];
    let replace = true;
    let pause = performance.now() + SLICE_MS;
    const isCurrent = (): boolean => drawn === this.drawn && !this.ended.signal.aborted;
    for (const { id } of store.getNodes()) {
      const entry = this.draw(store, store.getEntry(id));
      if (entry !== undefined) batch.push(entry);
      if (performance.now() < pause && batch.length < BATCH) continue;
      if (batch.length >= BATCH || replace) {
        this.post({ type: 'entries', entries: batch, replace, done: false });
        batch = [];
        replace = false;
      }
      await setImmediate();
      if (!isCurrent()) return;
      pause = performance.now() + SLICE_MS;
    }
    this.post({ type: 'entries', entries: batch, replace, done: true });
    this.sendLeaf();
  }

  private append(entry: StoredEntry): void {
    const { store } = this;
    if (store === undefined) return;
    const shown = this.draw(store, entry);
    if (shown !== undefined) this.post({ type: 'entries', entries: [shown], replace: false, done: true });
    if (isSessionEntry(entry) && entry.type === 'label') {
      const id = this.drawn.get(entry.targetId);
      if (typeof id === 'string') this.post({ type: 'label', id, label: store.getLabel(entry.targetId) ?? null });
    }
    this.sendLeaf();
  }

  /** Remembers where an entry is drawn; returns its drawing, if it has one. */
  private draw(store: SessionStore, entry: StoredEntry | undefined): TreeEntry | undefined {
    if (entry === undefined) return undefined;
    const parent = entry.parentId === null ? null : (this.drawn.get(entry.parentId) ?? null);
    const shown = kindAndText(entry);
    this.drawn.set(entry.id, shown === undefined ? parent : entry.id);
    if (shown === undefined) return undefined;
    const label = store.getLabel(entry.id);
    return {
      id: entry.id,
      parent,
      kind: shown.kind,
      text: clipped(singleLine(shown.text.slice(0, 4 * TEXT_CHARS)), TEXT_CHARS),
      time: entry.timestamp,
      ...defined({ label }),
    };
  }

  private sendLeaf(): void {
    const { store } = this;
    if (store === undefined) return;
    const leaf = store.getLeafId();
    const id = leaf === null ? null : (this.drawn.get(leaf) ?? null);
    this.post({ type: 'leaf', id, title: store.getSessionName() ?? '' });
  }
}

/** The text of an entry in the tree; undefined for entries that are not shown. */
function kindAndText(entry: StoredEntry): Pick<TreeEntry, 'kind' | 'text'> | undefined {
  if (!isSessionEntry(entry)) return { kind: 'unknown', text: notShownText([unknownKind(entry)]) };
  const message = messageOfEntry(entry);
  switch (message?.role) {
    case 'user':
      return { kind: 'user', text: plainText(message.content) };
    case 'assistant':
      return { kind: 'assistant', text: answerText(message) };
    case 'toolResult':
      return { kind: 'tool', text: `${message.toolName}: ${plainText(message.content)}` };
    case 'bashExecution':
      return { kind: 'command', text: message.command };
    case 'custom':
      return message.display ? { kind: 'hook', text: withoutMarkdown(plainText(message.content)) } : undefined;
    case 'branchSummary':
    case 'compactionSummary':
      return { kind: 'summary', text: withoutMarkdown(message.summary) };
    case 'system':
    case undefined:
      return undefined;
  }
}

/** An answer that failed says why; one without words says which tools it called. */
function answerText({ content, stopReason, errorMessage }: AssistantMessage): string {
  if (stopReason === 'error') {
    return errorMessage === undefined ? l10n.t('Failed') : l10n.t('Failed: {0}', errorMessage);
  }
  const text = withoutMarkdown(plainText(content));
  if (text.trim() !== '') return text;
  const calls = content.flatMap(part =>
    part.type === 'toolCall' ? [`${part.name} ${toolFacts(part.name).summarize(part.arguments)}`] : [],
  );
  return calls.length === 0 && stopReason === 'aborted' ? l10n.t('Stopped') : calls.join(', ');
}

/** The words of a text of Markdown, for a single line: no marks of headings, lists, quotes, emphasis, code and links. */
function withoutMarkdown(text: string): string {
  return text
    .slice(0, 4 * TEXT_CHARS)
    .replace(/^\s*(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^\s*(?:#{1,6}|>+|[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`)(?=\S)(.+?)\1/g, '$2');
}
