import * as vscode from 'vscode';
import type { SessionInfo } from '../../agent/session/library/session-list';
import { DisposableStore } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { SessionLibrary } from '../../session/session-library';
import { setContextKey } from '../context-keys';
import { ChangingItems } from '../pickers/changing-items';
import {
  BUTTONS,
  hitItems,
  isNamed,
  sessionItem,
  type SessionButton,
  type SessionItem,
  type SessionMark,
} from './session-items';
import { literalMessage } from '../message-text';

/** The messages are searched when the user has not typed for this long, ms. */
const SEARCH_REST_MS = 200;
/** The rows are updated at most this often during a search, ms. */
const SHOW_MS = 150;
/** The search stops after about this many found messages. */
const MOST_HITS = 200;
/** For the latest sessions, up to this number, long files are read completely for the exact count, name and labels. */
const COMPLETED = 100;

export interface SessionPickerParts {
  readonly library: SessionLibrary;
  readonly log: Log;
  readonly markOf: (file: string) => SessionMark;
  /** The user chose a session, or a message in one. */
  readonly chosen: (item: SessionItem) => Promise<void>;
  /** The user pressed a button of a session, or its key. */
  readonly act: (action: SessionButton, session: SessionInfo) => Promise<void>;
}

/**
 * The list of sessions. It searches names, first messages and labels at once, and adds messages as they are found. The
 * search reads files in slices in the background and ends when the list is closed.
 */
export class SessionPicker {
  private readonly pick = vscode.window.createQuickPick<SessionItem>();
  private readonly items = new ChangingItems(this.pick);
  private readonly owned = new DisposableStore();
  private readonly closing = new AbortController();
  private searching: AbortController | undefined;
  private readonly laterSearch = this.owned.add(new DelayedCall(() => this.search()));
  private readonly laterShow = this.owned.add(new DelayedCall(() => this.show()));
  private sessions: readonly SessionInfo[] = [];
  private found: SessionItem[] = [];

  constructor(
    private readonly parts: SessionPickerParts,
    value: string,
    private readonly closed: () => void,
  ) {
    const { pick, owned } = this;
    pick.title = vscode.l10n.t('Sessions of this folder');
    pick.placeholder = vscode.l10n.t('Search names and messages · F2 rename · Shift+Delete delete · Ctrl+S export');
    pick.value = value;
    pick.matchOnDetail = true;
    owned.add(pick);
    owned.add(pick.onDidChangeValue(() => this.startSearch()));
    owned.add(
      pick.onDidAccept(() => {
        const item = this.items.seen(pick.selectedItems[0]);
        if (item?.session === undefined) return;
        pick.hide();
        this.track(this.parts.chosen(item));
      }),
    );
    owned.add(
      pick.onDidTriggerItemButton(({ button, item }) => {
        const pressed = BUTTONS.find(each => each.button === button);
        const session = this.items.seen(item)?.session;
        if (pressed !== undefined && session !== undefined) this.act(pressed.action, session);
      }),
    );
    owned.add(pick.onDidHide(() => this.close()));
  }

  /** Shows the list. Rejects when the sessions cannot be read. */
  async open(): Promise<void> {
    setContextKey('hookline.pickingSession', true);
    this.pick.busy = true;
    this.pick.show();
    await this.refresh();
  }

  /** The text in the search field. */
  get value(): string {
    return this.pick.value;
  }

  /** Does an action with the marked session; does nothing when no session is marked. */
  actOnActive(action: SessionButton): void {
    const session = this.items.seen(this.pick.activeItems[0])?.session;
    if (session !== undefined) this.act(action, session);
  }

  /** Reads the sessions again and repeats the search. */
  async refresh(): Promise<void> {
    this.sessions = await this.parts.library.list();
    this.show();
    this.startSearch();
    this.track(this.completeAll());
  }

  private act(action: SessionButton, session: SessionInfo): void {
    this.track(this.parts.act(action, session));
  }

  private startSearch(): void {
    this.searching?.abort();
    this.laterSearch.cancel();
    this.found = [];
    this.pick.busy = this.pick.value.trim() !== '';
    this.show();
    if (!this.pick.busy) return;
    this.laterSearch.schedule(SEARCH_REST_MS);
  }

  private search(): void {
    const search = new AbortController();
    this.searching = search;
    this.track(this.run(this.pick.value, search.signal));
  }

  private async run(query: string, signal: AbortSignal): Promise<void> {
    for await (const hits of this.parts.library.search(query, signal)) {
      if (signal.aborted) return;
      this.found.push(...hitItems(hits));
      if (this.found.length >= MOST_HITS) break;
      this.laterShow.schedule(SHOW_MS);
    }
    if (signal.aborted) return;
    this.pick.busy = false;
    this.show();
  }

  private show(): void {
    this.laterShow.cancel();
    if (this.closing.signal.aborted) return;
    const query = this.pick.value;
    const named = this.sessions.filter(session => query.trim() === '' || isNamed(session, query));
    const rows = named.map(session => sessionItem(session, this.parts.markOf(session.file)));
    const active = this.pick.activeItems[0];
    const shown = [...rows, ...this.found];
    this.items.set(shown.length === 0 && !this.pick.busy ? [nothingFound(query)] : shown);
    const again = active && this.pick.items.find(item => isSame(item, active));
    if (again !== undefined) this.pick.activeItems = [again];
  }

  /** Reads long files of the latest sessions completely, because names and labels may be in their middle. */
  private async completeAll(): Promise<void> {
    const incomplete = this.sessions.slice(0, COMPLETED).filter(session => !session.isComplete);
    for (const { file } of incomplete) {
      if (this.closing.signal.aborted) return;
      const complete = await this.parts.library.complete(file);
      if (complete === undefined) continue;
      this.sessions = this.sessions.map(session => (session.file === file ? complete : session));
      this.laterShow.schedule(SHOW_MS);
    }
    if (this.pick.value.trim() === '') this.pick.busy = false;
  }

  private close(): void {
    this.closing.abort();
    this.searching?.abort();
    setContextKey('hookline.pickingSession', false);
    this.owned.dispose();
    this.closed();
  }

  private track(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.parts.log.error('The list of sessions failed', error);
      void vscode.window.showErrorMessage(literalMessage(messageOf(error)));
    });
  }
}

/** Says why the list is empty, once nothing is searched any more. */
function nothingFound(query: string): SessionItem {
  const label =
    query.trim() === ''
      ? vscode.l10n.t('This folder has no sessions yet.')
      : vscode.l10n.t('No session contains these words.');
  return { label, alwaysShow: true };
}

function isSame(a: SessionItem, b: SessionItem): boolean {
  return a.session?.file === b.session?.file && a.hit?.line === b.hit?.line;
}
