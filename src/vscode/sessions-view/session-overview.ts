import * as vscode from 'vscode';
import { isOpenElsewhere } from '../../agent/session/file/access';
import type { SessionInfo } from '../../agent/session/library/session-list';
import { DelayedCall, oneAtATime } from '../../base/async/repeated-calls';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import type { Conversations } from '../../chat/window/conversations';
import { setContextKey } from '../context-keys';
import { FileWatcher } from '../watch/file-watcher';
import { groupSessions, type OpenSession } from './session-groups';
import { sessionNodeChildren, sessionTreeItem, type SessionNode, type SessionTreeData } from './session-nodes';
import type { SessionsSource } from './sessions-view';

/** How long changes on disk are collected before the sessions are read again, ms: a run writes often. */
const READ_AGAIN_MS = 400;
/** How often the times of the rows are updated, ms. */
const CLOCK_MS = 60_000;
/** Of this many sessions, the latest, the middle is searched for a name as well, and only up to this size in bytes. */
const COMPLETED = 100;
const COMPLETED_BYTES = 2 * 1024 * 1024;

export interface SessionOverviewParts {
  readonly conversations: Conversations;
  /** Fires when a command of this window has changed the sessions on disk. */
  readonly onDidWrite: Event<void>;
  /** Name of the folder, if the workspace has several. */
  readonly folderName: string | undefined;
  readonly log: Log;
}

/**
 * The sessions of the folder, as the view shows them. It reads nothing until the view asks for its rows, and follows the folder of
 * the session files only while the view is visible. The files are read by the list that the pick also uses, from their ends.
 */
export class SessionOverview implements SessionsSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private infos: readonly SessionInfo[] = [];
  private inUse: ReadonlySet<string> = new Set();
  private failure: string | undefined;
  private groups: SessionTreeData = new Map();
  private reading: Promise<void> | undefined;
  private following: Disposable | undefined;
  private readonly readAgain = oneAtATime(() => this.readNow());
  private readonly findNames = oneAtATime(() => this.findNamesNow());
  private readonly laterRead = this.store.add(new DelayedCall(() => void this.readAgain()));

  constructor(private readonly parts: SessionOverviewParts) {
    this.store.add(
      parts.conversations.onDidChange(() => {
        this.update();
        this.readLater();
      }),
    );
    this.store.add(parts.onDidWrite(() => this.readLater()));
    this.update();
  }

  get description(): string | undefined {
    return this.parts.folderName;
  }

  children(node: SessionNode | undefined): readonly SessionNode[] {
    return sessionNodeChildren(node, this.groups);
  }

  item(node: SessionNode): vscode.TreeItem {
    return sessionTreeItem(node, Date.now());
  }

  message(): string | undefined {
    return this.failure;
  }

  /** Counts the conversations that wait for the user or that ended behind the shown one. */
  badge(): vscode.ViewBadge | undefined {
    const value = this.parts.conversations.tabs.filter(({ state }) => state !== 'idle' && state !== 'running').length;
    const tooltip = vscode.l10n.t('Conversations that wait for you or are unread: {0}', value);
    return value === 0 ? undefined : { value, tooltip };
  }

  read(): Promise<void> {
    this.reading ??= this.readAgain();
    return this.reading;
  }

  /** Reads the sessions again, if they were read before. */
  async refresh(): Promise<void> {
    if (this.reading !== undefined) await this.readAgain();
  }

  setVisible(isVisible: boolean): void {
    if (isVisible === (this.following !== undefined)) return;
    this.following?.dispose();
    this.following = isVisible ? this.follow() : undefined;
    if (isVisible) this.readLater();
  }

  dispose(): void {
    this.following?.dispose();
    this.store.dispose();
  }

  private follow(): Disposable {
    const store = new DisposableStore();
    const watcher = store.add(new FileWatcher(undefined));
    store.add(watcher.onDidChange(() => this.readLater()));
    watcher.setTargets({ folders: [this.parts.conversations.sessionList.dir], files: [] });
    const clock = setInterval(() => this.readLater(), CLOCK_MS);
    clock.unref();
    store.add(toDisposable(() => clearInterval(clock)));
    return store;
  }

  private readLater(): void {
    if (this.reading !== undefined && this.following !== undefined) this.laterRead.schedule(READ_AGAIN_MS);
  }

  private async readNow(): Promise<void> {
    const { sessionList } = this.parts.conversations;
    try {
      [this.infos, this.inUse] = await Promise.all([sessionList.list(), sessionList.inUse()]);
      this.failure = undefined;
      setContextKey('hookline.sessionsRead', true);
    } catch (error) {
      this.parts.log.error(`The sessions of ${sessionList.dir} cannot be read`, error);
      this.failure = vscode.l10n.t('The sessions of this folder cannot be read: {0}', messageOf(error));
    }
    this.update();
    this.findNames().catch((error: unknown) => this.parts.log.error('The names of sessions cannot be read', error));
  }

  /** Looks for names that are far from both ends of their files. The result is kept until the file changes. */
  private async findNamesNow(): Promise<void> {
    const isOpen = new Set(this.open().map(({ file }) => file));
    const unsure = this.infos
      .slice(0, COMPLETED)
      .filter(({ file, isComplete, size }) => !isComplete && size <= COMPLETED_BYTES && !isOpen.has(file));
    for (const info of unsure) {
      const complete = await this.parts.conversations.sessionList.complete(info.file);
      if (this.following === undefined) return;
      // A file that was read again meanwhile has changed.
      if (complete !== undefined) this.infos = this.infos.map(each => (each === info ? complete : each));
    }
    if (unsure.length > 0) this.update();
  }

  private open(): readonly OpenSession[] {
    const { conversations } = this.parts;
    return conversations.tabs.flatMap(tab => {
      const store = conversations.find(tab.id)?.conversation.store;
      if (store === undefined) return [];
      return { tab, file: store.getSessionFile(), isElsewhere: isOpenElsewhere(store.access) };
    });
  }

  private update(): void {
    const { infos, inUse } = this;
    this.groups = groupSessions({ infos, open: this.open(), inUse, now: new Date() });
    this.changeEmitter.fire();
  }
}
