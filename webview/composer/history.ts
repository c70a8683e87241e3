import type { ChatItem } from '../../src/protocol/items/chat-item';

/** The position in the history of sent texts. There is none while the composer shows the user's draft. */
export interface HistoryWalk {
  /** Index of the shown text; 0 is the newest. */
  readonly at: number;
  /** The text of the composer before the user went into the history. */
  readonly draft: string;
}

/** The texts that the user sent, newest first; equal texts in a row appear once. */
export function sentTexts(items: readonly ChatItem[]): readonly string[] {
  const texts = items.flatMap(item => (item.kind === 'user' && item.text.trim() !== '' ? [item.text] : []));
  return texts.filter((text, index) => text !== texts[index + 1]).reverse();
}

/** The text and position after one step to an older or newer text. Undefined when there is nothing in that direction. */
export function walkHistory(
  texts: readonly string[],
  walk: HistoryWalk | undefined,
  step: 'older' | 'newer',
  current: string,
): { walk: HistoryWalk | undefined; text: string } | undefined {
  const draft = walk?.draft ?? current;
  const at = (walk?.at ?? -1) + (step === 'older' ? 1 : -1);
  if (at === -1) return walk && { walk: undefined, text: draft };
  const text = texts[at];
  return text === undefined || at < 0 ? undefined : { walk: { at, draft }, text };
}

/** Whether the cursor is on the first line (for `older`) or the last line, so that an arrow key goes through the history. */
export function caretAtEdge(text: string, caret: number, step: 'older' | 'newer'): boolean {
  return step === 'older' ? !text.slice(0, caret).includes('\n') : !text.slice(caret).includes('\n');
}
