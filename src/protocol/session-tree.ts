/** What the page that draws a session's tree and its host say to each other. */

/** What an entry is, for its sign in the picture. */
export type TreeEntryKind = 'user' | 'assistant' | 'tool' | 'command' | 'hook' | 'summary';

/** One entry of the tree as it is drawn. */
export interface TreeEntry {
  readonly id: string;
  /** The nearest drawn entry above; null at the beginning. It is told before. */
  readonly parent: string | null;
  readonly kind: TreeEntryKind;
  /** The beginning of what it says, on one line. */
  readonly text: string;
  /** ISO 8601; may be empty. */
  readonly time: string;
  readonly label?: string;
}

export type HostToTree =
  /** `replace` begins another session. `done` is false while more is being read. */
  | {
      readonly type: 'entries';
      readonly entries: readonly TreeEntry[];
      readonly replace: boolean;
      readonly done: boolean;
    }
  /** Where the conversation is now; null before the first entry. */
  | { readonly type: 'leaf'; readonly id: string | null; readonly title: string }
  | { readonly type: 'label'; readonly id: string; readonly label: string | null }
  /** Marks an entry and brings it into view, unfolding what hides it. */
  | { readonly type: 'select'; readonly id: string };

export type TreeToHost =
  | { readonly type: 'ready' }
  /** Makes this entry the place where the conversation goes on. */
  | { readonly type: 'go'; readonly id: string }
  /** Asks for a label. */
  | { readonly type: 'label'; readonly id: string };
