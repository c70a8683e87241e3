import type { HostToWebview, WebviewToHost } from '../../src/protocol/messages';
import type { Bridge } from '../bridge';

/** Milliseconds of rest before a draft is told to the host. */
const REST = 300;

/** What the page writes into VS Code's own webview state, to survive a reload. */
export interface SavedPage {
  readonly conversation: string;
  /** Text in the composer. */
  readonly draft: string;
  /** Draft the host was last told of, or last told us. */
  readonly hostDraft: string;
  /** First visible item and its distance in px from the top edge; absent while the tail is followed. */
  readonly scroll?: { readonly id: string; readonly offset: number };
}

/** The chat page's way out. */
export type ChatBridge = Bridge<HostToWebview, WebviewToHost, SavedPage>;

/** Reads what an earlier page saved; undefined when it is not ours. */
export function readSavedPage(value: unknown): SavedPage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { conversation, draft, hostDraft, scroll } = value as Record<string, unknown>;
  if (typeof conversation !== 'string' || typeof draft !== 'string' || typeof hostDraft !== 'string') return undefined;
  return { conversation, draft, hostDraft, ...readScroll(scroll) };
}

function readScroll(value: unknown): Pick<SavedPage, 'scroll'> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, offset } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof offset === 'number' ? { scroll: { id, offset } } : {};
}

/**
 * The composer's text after a snapshot. What was typed in this page wins, unless the conversation is another one or
 * the host's draft changed behind the page's back (a branch, a hook, another view). `told` are the drafts the host may
 * still have: a snapshot can have been made before the latest of them arrived.
 */
export function draftAfterSnapshot(
  snapshot: { readonly conversation: string; readonly draft: string },
  page: SavedPage | undefined,
  told: ReadonlySet<string> = new Set(),
): string {
  if (page?.conversation !== snapshot.conversation) return snapshot.draft;
  return page.hostDraft === snapshot.draft || told.has(snapshot.draft) ? page.draft : snapshot.draft;
}

/** Keeps draft and scroll position where a reload finds them: in VS Code's page state at once, at the host after a rest. */
export class DraftKeeper {
  private page: SavedPage | undefined;
  private timer = 0;
  /** Drafts of this conversation that the host knew or was told of since the last snapshot. */
  private readonly told = new Set<string>();

  constructor(private readonly bridge: ChatBridge) {
    this.page = bridge.load();
  }

  /** Where the page was scrolled to in this conversation, unless it followed the tail. */
  scrollOf(conversation: string): SavedPage['scroll'] {
    return this.page?.conversation === conversation ? this.page.scroll : undefined;
  }

  /** The composer's text after a snapshot. A draft of another conversation that is still to be told is told now. */
  adopt(snapshot: { readonly conversation: string; readonly draft: string }): string {
    if (this.page?.conversation !== snapshot.conversation) this.flush();
    window.clearTimeout(this.timer);
    const draft = draftAfterSnapshot(snapshot, this.page, this.told);
    const scroll = this.scrollOf(snapshot.conversation);
    this.page = {
      conversation: snapshot.conversation,
      draft,
      hostDraft: snapshot.draft,
      ...(scroll ? { scroll } : {}),
    };
    this.told.clear();
    this.bridge.save(this.page);
    if (draft !== snapshot.draft) this.tellLater();
    return draft;
  }

  draftChanged(draft: string): void {
    if (!this.page || this.page.draft === draft) return;
    this.page = { ...this.page, draft };
    this.bridge.save(this.page);
    this.tellLater();
  }

  scrolled(scroll: SavedPage['scroll']): void {
    if (!this.page || isSamePlace(this.page.scroll, scroll)) return;
    const { conversation, draft, hostDraft } = this.page;
    this.page = { conversation, draft, hostDraft, ...(scroll ? { scroll } : {}) };
    this.bridge.save(this.page);
    this.bridge.send({ type: 'scrolled', conversation, ...(scroll ? { scroll } : {}) });
  }

  /** Tells the host now: before the page goes, or the conversation changes. */
  flush(): void {
    window.clearTimeout(this.timer);
    if (!this.page || this.page.draft === this.page.hostDraft) return;
    this.told.add(this.page.hostDraft);
    this.page = { ...this.page, hostDraft: this.page.draft };
    this.bridge.save(this.page);
    this.bridge.send({ type: 'draft', text: this.page.draft, conversation: this.page.conversation });
  }

  private tellLater(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), REST);
  }
}

function isSamePlace(a: SavedPage['scroll'], b: SavedPage['scroll']): boolean {
  return a?.id === b?.id && a?.offset === b?.offset;
}
