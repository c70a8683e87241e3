import { messageOf } from '../../../base/errors';
import { MOST_SHOWN, refuseTooLarge } from '../../../hook-contract/given-size';
import type { NoticeLevel } from '../../../hook-contract/ui/ui';

/** A text on one line: each run of spaces, tabs and line ends becomes one space (docs/dialects.md, C35). */
export function oneLine(text: string): string {
  const words = text.split(/[ \t\r\n]+/);
  return words.filter(word => word !== '').join(' ');
}

/** Unknown words are information (docs/dialects.md, C36). */
export function levelOf(type: unknown): NoticeLevel {
  return type === 'warning' || type === 'error' ? type : 'info';
}

/** The text of a value that a hook wants to show; empty without a value. Throws if nobody could be shown so much. */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return '';
  refuseTooLarge(value, MOST_SHOWN);
  return typeof value === 'string' ? value : messageOf(value);
}

/** As {@link shownText}, where no value has a meaning of its own. */
export function optionalText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : shownText(value);
}
