import type { ChatItem } from '../../src/protocol/chat-item';

/** A walk through sent texts. `at` counts back from the newest (0); undefined while the own draft is shown. */
export interface HistoryWalk {
  readonly at: number;
  /** What was in the composer when the walk began. */
  readonly draft: string;
}

/** Texts the user sent, newest first, without repeats in a row. */
export function sentTexts(items: readonly ChatItem[]): readonly string[] {
  const texts = items.flatMap(item => (item.kind === 'user' && item.text.trim() !== '' ? [item.text] : []));
  return texts.filter((text, index) => text !== texts[index + 1]).reverse();
}

/** One step back (`older`) or forth; undefined when there is nothing in that direction. */
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

/** Whether arrow up (or down) at this caret would leave the text, so that it may walk the history instead. */
export function caretAtEdge(text: string, caret: number, step: 'older' | 'newer'): boolean {
  return step === 'older' ? !text.slice(0, caret).includes('\n') : !text.slice(caret).includes('\n');
}
