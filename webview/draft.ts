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
