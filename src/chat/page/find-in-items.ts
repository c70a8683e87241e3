import { searchedTexts, type ChatItem, type ItemText } from '../../protocol/items/chat-item';
import { findPattern } from '../../protocol/base/find-pattern';
import type { FoundItem } from '../../protocol/messages';

/** Most hits of a search; a search for one letter ends here. */
const MOST = 10_000;

/**
 * Most characters of a part whose rendered text is searched too: removing the marks of a longer text would block the
 * host for seconds.
 */
const MOST_READ = 100_000;

/** Where `text` is in a conversation, folded parts included. Empty for an empty text. */
export function findInItems(items: readonly ChatItem[], text: string, matchCase: boolean): FoundItem[] {
  if (text === '') return [];
  const pattern = findPattern(text, matchCase);
  const found: FoundItem[] = [];
  let total = 0;
  for (const item of items) {
    for (const searched of searchedTexts(item)) {
      const count = Math.min(timesIn(searched, pattern), MOST - total);
      if (count > 0) found.push({ id: item.id, part: searched.part, count });
      total += count;
    }
    if (total >= MOST) break;
  }
  return found;
}

/**
 * Markdown is searched as source and as rendered text, and the larger number counts, because users do not see its
 * marks. Very long texts are only searched as source.
 */
function timesIn({ text, isMarkdown }: ItemText, pattern: RegExp): number {
  const written = text.match(pattern)?.length ?? 0;
  if (isMarkdown !== true || text.length > MOST_READ) return written;
  const read = text.replace(/\[([^\]\n]{0,500})\]\([^)\s]{0,2000}\)|[*_~`]+/g, '$1');
  return Math.max(written, read.match(pattern)?.length ?? 0);
}
