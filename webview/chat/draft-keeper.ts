import type { HostToWebview, WebviewToHost } from '../../src/protocol/messages';
import { mergedDraft } from '../../src/protocol/composer/merged-draft';
import type { Bridge } from '../bridge';

/** A draft is sent to the host when the user has not typed for this long, ms. */
const REST = 300;

/** What the page saves in VS Code's webview state, which survives a reload of the page. */
export interface SavedPage {
  readonly conversation: string;
  /** The text in the composer. */
  readonly draft: string;
  /** The draft that the page last sent to the host or received from it. */
  readonly hostDraft: string;
  /** The first visible card and its distance in px from the top edge; absent while the page follows the end. */
  readonly scroll?: { readonly id: string; readonly offset: number };
  /** The todo list is open, in all conversations. */
  readonly todosOpen?: true;
}

/** The bridge of the chat page. */
export type ChatBridge = Bridge<HostToWebview, WebviewToHost, SavedPage>;

/** The page without members that say nothing. */
function savedPage({
  scroll,
  todosOpen,
  ...page
}: Omit<SavedPage, 'scroll' | 'todosOpen'> & {
  readonly scroll?: SavedPage['scroll'] | undefined;
  readonly todosOpen?: boolean | undefined;
}): SavedPage {
  return { ...page, ...(scroll ? { scroll } : {}), ...(todosOpen === true ? { todosOpen } : {}) };
}

/** Reads what an earlier page saved; undefined when it is not valid. */
export function readSavedPage(value: unknown): SavedPage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { conversation, draft, hostDraft, scroll, todosOpen } = value as Record<string, unknown>;
  if (typeof conversation !== 'string' || typeof draft !== 'string' || typeof hostDraft !== 'string') return undefined;
  return { conversation, draft, hostDraft, ...readScroll(scroll), ...(todosOpen === true ? { todosOpen } : {}) };
}

function readScroll(value: unknown): Pick<SavedPage, 'scroll'> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, offset } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof offset === 'number' ? { scroll: { id, offset } } : {};
}

/**
 * The composer's text after a snapshot. It is the text typed in this page, unless the snapshot is of another conversation
 * or something else changed the host's draft (a branch, a hook, another view). `sentDrafts` are drafts that the page sent: a
 * snapshot may contain an earlier one, because the host made it before the latest draft arrived.
 */
export function draftAfterSnapshot(
  snapshot: { readonly conversation: string; readonly draft: string },
  page: SavedPage | undefined,
  sentDrafts: ReadonlySet<string> = new Set(),
): string {
  if (page?.conversation !== snapshot.conversation) return snapshot.draft;
  return page.hostDraft === snapshot.draft || sentDrafts.has(snapshot.draft) ? page.draft : snapshot.draft;
}

/**
 * Saves the draft, the scroll position and whether the todo list is open, so that they survive a reload: in VS Code's
 * webview state at once, and the draft at the host after a pause.
 */
export class DraftKeeper {
  private page: SavedPage | undefined;
  private timer = 0;
  /** The page has had a snapshot; before that, `page` is of an earlier page. */
  private isAdopted = false;
  /** Drafts that the host had of this conversation. */
  private readonly sentDrafts = new Set<string>();

  constructor(private readonly bridge: ChatBridge) {
    this.page = bridge.load();
  }

  /** The saved scroll position of a conversation; undefined when there is none or the page followed the end. */
  scrollOf(conversation: string): SavedPage['scroll'] {
    return this.page?.conversation === conversation ? this.page.scroll : undefined;
  }

  /** Returns the composer's text after a snapshot. First sends the draft of another conversation if it was not sent yet. */
  adopt(snapshot: { readonly conversation: string; readonly draft: string }): string {
    if (this.page?.conversation !== snapshot.conversation) {
      this.flush();
      this.sentDrafts.clear();
    } else this.sentDrafts.add(this.page.hostDraft);
    window.clearTimeout(this.timer);
    this.isAdopted = true;
    const draft = draftAfterSnapshot(snapshot, this.page, this.sentDrafts);
    const scroll = this.scrollOf(snapshot.conversation);
    this.page = {
      conversation: snapshot.conversation,
      draft,
      hostDraft: snapshot.draft,
      ...(scroll ? { scroll } : {}),
      ...(this.todosOpen ? { todosOpen: true } : {}),
    };
    this.bridge.save(this.page);
    if (draft !== snapshot.draft) this.sendLater();
    return draft;
  }

  /** Whether the todo list is open. */
  get todosOpen(): boolean {
    return this.page?.todosOpen === true;
  }

  set todosOpen(isOpen: boolean) {
    if (!this.page) return;
    this.page = savedPage({ ...this.page, todosOpen: isOpen });
    this.bridge.save(this.page);
  }

  draftChanged(draft: string): void {
    if (!this.page || this.page.draft === draft) return;
    this.page = { ...this.page, draft };
    this.bridge.save(this.page);
    this.sendLater();
  }

  scrolled(scroll: SavedPage['scroll']): void {
    if (!this.page || isSamePlace(this.page.scroll, scroll)) return;
    this.page = savedPage({ ...this.page, scroll });
    this.bridge.save(this.page);
    this.bridge.send({ type: 'scrolled', conversation: this.page.conversation, ...(scroll ? { scroll } : {}) });
  }

  /** The host's draft is this one now, because the page sent everything or the host tells so. */
  hostHas(draft: string): void {
    if (!this.page) return;
    this.sentDrafts.add(this.page.hostDraft);
    this.page = { ...this.page, hostDraft: draft };
    this.bridge.save(this.page);
  }

  /** Returns the composer's text after another page or the host changed the draft. What was typed here and not sent stays. */
  follow(draft: string): string {
    if (!this.page) return draft;
    const merged = mergedDraft(this.page.hostDraft, draft, this.page.draft);
    this.hostHas(draft);
    return merged;
  }

  /** Sends the draft now; to be called before the page closes or the conversation changes. */
  flush(): void {
    window.clearTimeout(this.timer);
    if (!this.page || this.page.draft === this.page.hostDraft) return;
    const { conversation, draft: text, hostDraft: was } = this.page;
    this.sentDrafts.add(was);
    this.page = { ...this.page, hostDraft: text };
    this.bridge.save(this.page);
    this.bridge.send({ type: 'draft', text, conversation, was, ...(this.isAdopted ? {} : { ofEarlierPage: true }) });
  }

  private sendLater(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), REST);
  }
}

function isSamePlace(a: SavedPage['scroll'], b: SavedPage['scroll']): boolean {
  return a?.id === b?.id && a?.offset === b?.offset;
}
