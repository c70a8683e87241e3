import type { ChatBridge } from './chat-bridge';
import { draftAfterSnapshot, type SavedPage } from './draft';

/** Milliseconds of rest before a draft is told to the host. */
const REST = 300;

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
