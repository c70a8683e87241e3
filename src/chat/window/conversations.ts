import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SessionList } from '../../agent/session/library/session-list';
import { startLevelFor } from '../../agent/settings/model-settings';
import { clampLevel } from '../../agent/thinking-levels';
import { SessionStore } from '../../agent/session/store';
import { messageOf } from '../../base/errors';
import { DisposableStore } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { areSame } from '../../base/are-same';
import type { ConversationState, ConversationTab } from '../../protocol/messages';
import { openChat, type Chat } from '../chat';
import type { ChatNeighbours } from '../editor/chat-neighbours';
import { ConversationEditor } from '../editor/conversation-editor';
import { ConversationTabs } from './conversation-tabs';
import type { DialogQueue } from '../../session/ports/dialogs';
import type { Draft } from '../composer/drafts';
import { OpenConversation, type EditorTabState } from './open-conversation';
import { mayEnd } from './may-end';
import type { Conversation } from '../../session/conversation';
import { emitAndReportSlow, emitWithTimeout } from '../../session/ports/wait-for-hooks';
import type { WindowPorts } from '../ports';
import type { GoOn, MissingFolder } from '../../session/ports/ports';
import { fileToGoTo, openHere } from '../../session/state/missing-folder';
import { withSessionDirectory } from './session-directory';
import { sessionAt, startSessions } from './start-sessions';
import type { OpenSessions, WindowMemory } from './window-memory';

/**
 * The number of conversations that stay open. If there are more, those that are idle, read and not shown for the
 * longest time are closed.
 */
export const OPEN_LIMIT = 6;

/** How the conversations of a window begin. */
export interface StartOptions {
  /** Restores the conversations that were open last, or else the latest session of the workspace. */
  readonly resume: boolean;
  readonly memory: WindowMemory;
}

/**
 * The conversations of one window, each with an agent, a session, a run and a queue of its own; hooks and dialogs they
 * share. The side bar shows one of them, others can be in editor tabs, and the user works with one of these: the active one.
 * Showing another stops nothing.
 */
export class Conversations {
  readonly sessionList: SessionList;
  private readonly opened = new ConversationTabs();
  private counter = 0;
  /** Settles when the session of a file is open, by file; never rejects. */
  private readonly opening = new Map<string, Promise<void>>();
  private reportedStates: readonly unknown[] = [];
  private isDisposed = false;
  private readonly activeEmitter = new Emitter<Chat>();
  /** Fires when the user goes to another conversation. */
  readonly onDidChangeActive = this.activeEmitter.event;
  private readonly shownEmitter = new Emitter<Chat>();
  /** Fires when the side bar shows another conversation. */
  readonly onDidChangeShown = this.shownEmitter.event;
  private readonly changeEmitter = new Emitter<void>();
  /** Fires when the list of conversations, a title or a state has changed, or where one is shown. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly owned = new DisposableStore();
  /** Resolves when everything that was open last is open again. */
  restored: Promise<void> = Promise.resolve();

  private constructor(
    private readonly ports: WindowPorts,
    private readonly memory: WindowMemory,
  ) {
    this.sessionList = new SessionList(ports.sessionDir, ports.cwd);
    const { hooks } = ports;
    this.owned.add(
      hooks.onError(error => {
        // The chat has a notice for each stopped hook, which says the same and what to do.
        if (error.kind === 'stopped') return;
        (this.find(error.conversation ?? '') ?? this.active).conversation.reportHookError(error);
      }),
    );
  }

  /**
   * Opens the window's first conversation: the one shown last, the latest of the workspace, or a new one; others that were
   * open follow behind it. Hooks should be loaded by then; they get their start event here.
   */
  static async open(given: WindowPorts, { resume, memory }: StartOptions): Promise<Conversations> {
    const { ports, late } = await withSessionDirectory(given);
    const { first, others, order } = await startSessions(ports, resume, memory);
    const conversations = new Conversations(ports, memory);
    const { conversation } = await conversations.add(first);
    conversations.show(conversation.id);
    const { hookWait } = conversation;
    if (late !== undefined) hookWait.onSlowHook(late);
    await emitWithTimeout({ type: 'session_start', reason: 'startup' }, hookWait);
    await ports.resources.discover('startup', conversation.forHooks);
    conversations.restored = conversations.restore(others, order);
    return conversations;
  }

  /** The conversation that the user works with: commands, keys and status are about it. */
  get active(): Chat {
    return chatOf(this.opened.active);
  }

  /** The conversation that the side bar shows. */
  get shown(): Chat {
    return chatOf(this.opened.shown);
  }

  /** All that are open, in order of opening. */
  get all(): readonly Chat[] {
    return this.opened.all.map(({ chat }) => chat);
  }

  get tabs(): readonly ConversationTab[] {
    return this.opened.drawn;
  }

  get dialogs(): DialogQueue {
    return this.ports.dialogs;
  }

  get log(): Log {
    return this.ports.log;
  }

  find(id: string): Chat | undefined {
    return this.opened.get(id)?.chat;
  }

  /** The conversation that has this session now; `key` as in {@link SessionState.key}. */
  withSession(key: string): Chat | undefined {
    return this.all.find(({ conversation }) => conversation.state.key === key);
  }

  /** How the session of a file stands, when a conversation has it open. */
  stateOf(file: string): ConversationState | undefined {
    return this.opened.withFile(file)?.state;
  }

  /**
   * Shows a conversation in the side bar for the user, and makes it the active one; the one shown before goes on behind it.
   * False when it is not open.
   */
  show(id: string): boolean {
    const isOpen = this.showForHook(id);
    if (isOpen) this.activate(id);
    return isOpen;
  }

  /**
   * Shows a conversation in the side bar. It becomes the active one only if the user was in the side bar last: `ChatPages`
   * sees to that. False when it is not open.
   */
  showForHook(id: string): boolean {
    const open = this.opened.get(id);
    if (open === undefined) return false;
    if (this.opened.showInSideBar(open)) {
      open.follow(true);
      open.editor.shown();
      this.shownEmitter.fire(open.chat);
    }
    this.noteChange();
    return true;
  }

  /** Makes a conversation the active one, wherever it is shown; nothing if it is not open. */
  activate(id: string): void {
    const open = this.opened.get(id);
    if (open === undefined || !this.opened.use(open)) return;
    this.ports.hooks.setActive(open.conversation.forHooks);
    open.editor.activated();
    this.activeEmitter.fire(open.chat);
    this.noteChange();
  }

  /** Notes whether a conversation has an editor tab. While it has, it is not closed to make room for others. */
  setEditorTab(id: string, state: EditorTabState | undefined): void {
    const open = this.opened.get(id);
    if (open === undefined || open.editorTab === state) return;
    open.editorTab = state;
    open.follow(this.opened.isSeen(id));
    this.noteChange();
  }

  /** The editor tab of a conversation; undefined when it has none. */
  editorTabOf(id: string): EditorTabState | undefined {
    return this.opened.get(id)?.editorTab;
  }

  /** Shows the next or an earlier one in the side bar, in order of opening and around the end. */
  step(by: 1 | -1): void {
    const next = this.opened.beside(by);
    if (next !== undefined) this.show(next.id);
  }

  /**
   * What a user means by a new session: the active conversation begins one when it is idle; one that is at work goes on,
   * one that holds only a draft stays, and the new session opens beside it.
   */
  async newSession(): Promise<void> {
    if (this.mustStay) await this.openBeside();
    else await this.active.conversation.sessions.newSession();
  }

  /** A new session in a conversation of its own; undefined when a hook declined. */
  async openBeside(): Promise<Conversation | undefined> {
    const { cwd, sessionDir } = this.ports;
    const from = this.active.conversation;
    const before = await emitAndReportSlow({ type: 'session_before_switch', reason: 'new' }, from.hookWait);
    if (before.cancelled) return undefined;
    const isInMemory = from.store.getSessionFile() === undefined;
    const store = isInMemory ? SessionStore.inMemory(cwd) : SessionStore.create({ dir: sessionDir, cwd });
    const { effectiveLevel: thinkingLevel, model } = from.state;
    if (model !== undefined) store.appendModelChange(model.provider, model.id);
    const ofItself = clampLevel(model, startLevelFor(this.ports.settings.current, model));
    if (thinkingLevel !== ofItself) store.appendThinkingLevelChange(thinkingLevel);
    return (await this.begin(store, 'new', from.store.getSessionFile())).conversation;
  }

  /**
   * Goes to a session: to the conversation that has it open, in its editor tab or in the side bar. Otherwise, opens it in the
   * active conversation if that is idle and has more than a draft, else in another one. Asks the user if the folder of the session
   * no longer exists. Resolves with the conversation that is active then, whose tab the caller brings to the front. Rejects if the
   * file cannot be opened.
   */
  async resume(file: string): Promise<Chat> {
    while (this.opening.has(file)) await this.opening.get(file);
    return this.whileOpening(file, () => this.goTo(file));
  }

  /**
   * Asks before what goes on in a conversation is ended for this, or a draft is lost that no list would lead back to; true
   * as well when there is nothing to lose.
   */
  async mayEnd(id: string, purpose: 'close' | 'delete'): Promise<boolean> {
    const open = this.opened.get(id);
    return open === undefined || mayEnd(open, purpose, this.ports.editor);
  }

  /** Ends what goes on in a conversation and closes it; its session stays. In the last one a new session begins. */
  async close(id: string): Promise<void> {
    const open = this.opened.get(id);
    if (open === undefined) return;
    await open.conversation.run.stop();
    if (this.opened.get(id) !== open) return; // It was closed meanwhile; what is left is another conversation.
    if (open.isOnlyDraft) open.chat.composer.clear(); // Nothing would ever look for it where drafts are kept.
    if (this.opened.size === 1) {
      await this.active.conversation.sessions.newSession();
      return;
    }
    await this.remove(open);
  }

  /**
   * The conversation of a session, which is opened behind the others if it is not open; `key` as in {@link SessionState.key}.
   * Undefined when there is no such session among those of the workspace. Rejects if its file cannot be opened.
   */
  async withStoredSession(key: string): Promise<Chat | undefined> {
    await this.restored;
    const open = this.withSession(key);
    const file = join(this.ports.sessionDir, basename(key));
    if (open !== undefined || !key.endsWith('.jsonl') || !existsSync(file)) return open;
    while (this.opening.has(file)) await this.opening.get(file);
    if (this.opened.withFile(file) === undefined) await this.whileOpening(file, () => this.restoreOne(file, false));
    return this.opened.withFile(file)?.chat;
  }

  /** The text in the composer of a session, which may be open no more. */
  draftOf(session: string): string {
    return this.memory.draft(session).text;
  }

  /** What a page says is in the composer of a session that is open no more. */
  keepDraft(session: string, change: Partial<Pick<Draft, 'text' | 'images' | 'files'>>): void {
    this.memory.keepDraft(session, { ...this.memory.draft(session), ...change });
  }

  /** To be called after hooks were reloaded: they say again what resources they bring. */
  async hooksReloaded(): Promise<void> {
    await this.ports.resources.discover('reload', this.active.conversation.forHooks);
  }

  /** Ends all runs, tells hooks, and closes the session files. */
  async dispose(): Promise<void> {
    this.remember();
    this.isDisposed = true;
    await this.restored;
    await Promise.all(this.all.map(({ conversation }) => conversation.endWork()));
    await Promise.all(this.all.map(({ conversation }) => this.ports.hooks.sessions.farewell(conversation.forHooks)));
    await Promise.all(this.all.map(chat => chat.dispose()));
    for (const open of this.opened.all) open.dispose();
    this.owned.dispose();
    this.activeEmitter.dispose();
    this.shownEmitter.dispose();
    this.changeEmitter.dispose();
    await this.memory.flush();
  }

  /** The active conversation works, or has a draft that would be lost, so another session opens next to it. */
  private get mustStay(): boolean {
    const { active } = this.opened;
    return active?.isBusy === true || active?.isOnlyDraft === true;
  }

  private async goTo(file: string): Promise<Chat> {
    const open = this.opened.withFile(file);
    if (open !== undefined) {
      if (open.editorTab === undefined) this.show(open.id);
      else this.activate(open.id);
      return open.chat;
    }
    const { active } = this;
    if (!this.mustStay) {
      await active.conversation.sessions.switchTo(file);
      return active;
    }
    const { cwd, sessionDir, editor } = this.ports;
    const askMissingFolder = (missing: MissingFolder): Promise<GoOn | undefined> => editor.askMissingFolder(missing);
    const target = await fileToGoTo(file, { cwd, sessionDir, askMissingFolder });
    if (target === undefined) return active;
    const from = active.conversation;
    const event = { type: 'session_before_switch', reason: 'resume', targetSessionFile: target } as const;
    if ((await emitAndReportSlow(event, from.hookWait)).cancelled) {
      if (target !== file) await rm(target, { force: true });
      return active;
    }
    return this.begin(await openHere(target, this.ports.cwd), 'resume', from.store.getSessionFile());
  }

  private async begin(store: SessionStore, reason: 'new' | 'resume', previous: string | undefined): Promise<Chat> {
    const chat = await this.add(store);
    this.show(chat.id);
    await this.makeRoom();
    await chat.conversation.sessions.begin({ reason }, previous);
    return chat;
  }

  /** Does what the user typed into a page, and brings the conversation to the front that this leads to. */
  private async goAlong(move: () => Promise<unknown>): Promise<void> {
    const { active } = this;
    await move();
    if (this.active !== active) this.ports.editor.revealChat(this.active.id);
  }

  /** Adds a conversation at the end. Hooks get no event for it yet. */
  private async add(store: SessionStore): Promise<Chat> {
    const id = `chat-${++this.counter}`;
    const isSeen = (): boolean => this.opened.isSeen(id);
    const name = (): string | undefined => this.opened.nameAmongOthers(id);
    const editor = new ConversationEditor({
      ...{ id, base: this.ports.editor, isSeen, name },
      isShown: () => this.opened.shown?.id === id,
      isActive: () => this.opened.active?.id === id,
    });
    const neighbours: ChatNeighbours = {
      nameAmongOthers: name,
      showFile: file => {
        const other = this.opened.withFile(file);
        return Promise.resolve(other !== undefined && other.id !== id && this.showForHook(other.id));
      },
      newSession: () => this.goAlong(() => this.newSession()),
      resume: file => this.goAlong(() => this.resume(file)),
      sessions: () => this.sessionList.list(),
    };
    const chat = openChat(id, { ...this.ports, drafts: this.memory, editor: editor.port, neighbours }, store);
    const open = new OpenConversation(chat, editor);
    open.owned.add(this.ports.hooks.attach(chat.conversation.forHooks));
    open.owned.add(
      chat.status.onDidChange(() => {
        open.follow(isSeen());
        this.noteChange();
      }),
    );
    this.opened.add(open);
    await chat.conversation.open();
    return chat;
  }

  private async remove(open: OpenConversation): Promise<void> {
    this.opened.remove(open);
    const { shown, active, latest } = this.opened;
    if (shown === open && latest !== undefined) this.show(latest.id);
    else if (active === open && shown !== undefined) this.activate(shown.id);
    open.dispose();
    await open.chat.dispose();
    this.noteChange();
  }

  private async makeRoom(): Promise<void> {
    for (const open of this.opened.surplus(OPEN_LIMIT)) await this.remove(open);
  }

  /**
   * Opens the other conversations that were open, in order. A session that cannot be opened stays in the list of
   * sessions.
   */
  private async restore(others: OpenSessions['sessions'], order: readonly string[]): Promise<void> {
    for (const { file, unread } of others) {
      try {
        if (this.isDisposed || this.opening.has(file) || this.opened.withFile(file) !== undefined) continue;
        await this.whileOpening(file, () => this.restoreOne(file, unread));
      } catch (error) {
        this.ports.log.error(`${file} was open and could not be opened again: ${messageOf(error)}`, error);
      }
    }
    this.opened.arrange(order);
    this.noteChange();
  }

  private async restoreOne(file: string, unread: boolean): Promise<void> {
    const store = await sessionAt(file, this.ports, this.memory);
    if (store === undefined) return;
    const { conversation } = await this.add(store);
    if (unread) this.opened.get(conversation.id)?.markUnread();
    await conversation.sessions.begin({ reason: 'resume' }, undefined);
  }

  /** Until `work` ends, another request for the same file waits: a file must not be open twice. */
  private async whileOpening<T>(file: string, work: () => Promise<T>): Promise<T> {
    const working = work();
    const over = (): void => undefined; // The caller gets the error.
    this.opening.set(file, working.then(over, over));
    try {
      return await working;
    } finally {
      this.opening.delete(file);
    }
  }

  private noteChange(): void {
    if (this.isDisposed) return;
    const states = this.opened.all.flatMap((open): unknown[] => {
      const { id, title, state, shown } = this.opened.tabOf(open);
      return [id, title, state, shown, open.editorTab, open.conversation.state.key];
    });
    if (areSame(states, this.reportedStates)) return;
    this.reportedStates = states;
    this.remember();
    this.changeEmitter.fire();
  }

  private remember(): void {
    if (!this.isDisposed) this.memory.keepOpen(this.opened.remembered);
  }
}

function chatOf(open: OpenConversation | undefined): Chat {
  if (open === undefined) throw new Error('No conversation is open.');
  return open.chat;
}
