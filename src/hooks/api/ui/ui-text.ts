import { messageOf } from '../../../base/errors';
import type { NoticeLevel } from './ui';

/** One line, blanks collapsed (C35, edge 60). */
export function oneLine(text: string): string {
  return text
    .replace(/[\r\n\t]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

/** Unknown words are information (C36). */
export function levelOf(type: unknown): NoticeLevel {
  return type === 'warning' || type === 'error' ? type : 'info';
}

/** Text of whatever a hook gives to be shown; nothing for no value. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : messageOf(value);
}

/** As {@link textOf}, where no value has a meaning of its own. */
export function optionalText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : textOf(value);
}
