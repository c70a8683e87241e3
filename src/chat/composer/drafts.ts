import type { AgentMessage } from '../../agent/messages';
import type { Image } from '../../protocol/items/chat-item';
import type { TextFile } from '../../protocol/composer/composer';

/** The content of the composer for one session. */
export interface Draft {
  readonly text: string;
  readonly images: readonly Image[];
  readonly files?: readonly TextFile[];
  /** Absent: the text is a new message. */
  readonly editing?: EditTarget;
}

/** A sent message that the text takes the place of. */
export interface EditTarget {
  /** Entry of the message in the session. */
  readonly entry: string;
  /** The message as it was sent. */
  readonly was: string;
  /** How many files the agent changed since; absent: none. */
  readonly files?: number;
  /** The draft before the edit; it is restored when the edit is canceled. */
  readonly before: Omit<Draft, 'editing'>;
}

export const NO_DRAFT: Draft = { text: '', images: [] };

/** Where drafts are kept, by a key that stays the same for a session as long as it lives. */
export interface DraftStore {
  draft(session: string): Draft;
  /** {@link NO_DRAFT} forgets it. */
  keepDraft(session: string, draft: Draft): void;
}

export function isEmptyDraft({ text, images, files = [], editing }: Draft): boolean {
  return text === '' && images.length + files.length === 0 && editing === undefined;
}

/**
 * Whether a draft would be lost if another session replaced this one: a session without an answer has no file, so no
 * list shows it.
 */
export function isOnlyDraft(draft: Draft, messages: readonly AgentMessage[]): boolean {
  return !isEmptyDraft(draft) && !messages.some(({ role }) => role === 'assistant');
}

/** Drafts that live as long as the process. */
export class DraftsInMemory implements DraftStore {
  private readonly drafts = new Map<string, Draft>();

  draft(session: string): Draft {
    return this.drafts.get(session) ?? NO_DRAFT;
  }

  keepDraft(session: string, draft: Draft): void {
    if (isEmptyDraft(draft)) this.drafts.delete(session);
    else this.drafts.set(session, draft);
  }
}
