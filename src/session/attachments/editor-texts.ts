/** A text of the editor that is sent with a message although the message does not name it. */
export interface EditorText {
  /** For people and for the model, such as `selection of src/a.ts:3-8`; the absolute path of a whole file. */
  readonly name: string;
  /** As much of it as the editor has; it is cut when it is sent. */
  readonly text: string;
  /** Absolute; absent when no file has the text. */
  readonly path?: string;
  /** The first and the last line that it is from, 1-based; absent for a whole text. */
  readonly lines?: readonly [first: number, last: number];
  /** Whether these lines are in it from their beginning to their end. */
  readonly hasWholeLines?: boolean;
}

/** What of the editor is sent with a message. */
export interface EditorTexts {
  readonly texts: readonly EditorText[];
  /** Why something that the user expects is not among them. */
  readonly problems: readonly string[];
}

/**
 * What the editor had when the user sent the message. Checks whether it may be sent when it is called, which happens only for a
 * prompt, and not for a command. Never rejects.
 */
export type CapturedTexts = () => Promise<EditorTexts>;
