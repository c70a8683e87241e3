import { rememberLast } from '../base/remember-last';
import { singleLine } from '../base/text/single-line';
import type { ChatItem } from '../protocol/chat-item';

/** Maximum length of the title of a conversation without a name, in characters. */
const TITLE_LENGTH = 60;

/** Characters of a message that are read for the title. */
const LOOKED_AT = 400;

/** The first half of a character that was cut in two. */
const LONE_HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * How the first message of a conversation begins, on one line, for a title; empty before there is one. Stops at that
 * message: a title is asked for with each change of the status.
 */
export function openingWords(items: Iterable<ChatItem>): string {
  for (const item of items) if (item.kind === 'user') return beginning(item.text);
  return '';
}

const beginning = rememberLast((text: string): string => {
  const words = singleLine(text.slice(0, LOOKED_AT));
  if (words.length <= TITLE_LENGTH) return words;
  const begin = words.slice(0, TITLE_LENGTH - 1).replace(LONE_HIGH_SURROGATE, '');
  return `${begin}…`;
});
