import type { ChatItem } from '../../protocol/chat-item';
import { findPattern } from '../../protocol/find-pattern';
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
    for (const searched of searchableParts(item)) {
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
function timesIn({ text, isMarkdown }: Part, pattern: RegExp): number {
  const written = text.match(pattern)?.length ?? 0;
  if (isMarkdown !== true || text.length > MOST_READ) return written;
  const read = text.replace(/\[([^\]\n]{0,500})\]\([^)\s]{0,2000}\)|[*_~`]+/g, '$1');
  return Math.max(written, read.match(pattern)?.length ?? 0);
}

interface Part {
  readonly part: string;
  readonly text: string;
  readonly isMarkdown?: boolean;
}

/**
 * The texts of an item in the order in which they are drawn. `part` is the key under which the page folds that text, or
 * empty for one that is always open.
 */
function searchableParts(item: ChatItem): readonly Part[] {
  switch (item.kind) {
    case 'user':
      return [{ part: '', text: item.shown ?? item.text }];
    case 'custom':
      return [{ part: '', text: item.shown ?? item.text, isMarkdown: true }];
    case 'assistant':
      return item.blocks.map(({ type, text, shown }, index) => ({
        part: type === 'text' ? '' : `thinking/${index}`,
        text: shown ?? text,
        isMarkdown: true,
      }));
    case 'tool':
      return [
        { part: '', text: `${item.name} ${item.summary}` },
        { part: '', text: 'reason' in item.state ? item.state.reason : '' },
        { part: 'arguments', text: item.args },
        item.diff ? { part: 'diff', text: item.diff } : { part: 'content', text: item.content ?? '' },
        { part: 'output', text: withoutEscapes(item.output) },
        ...(item.nested ?? []).map(({ name, summary, error = '' }) => ({
          part: 'calls',
          text: `${name} ${summary} ${error}`,
        })),
      ];
    case 'bash':
      return [
        { part: '', text: item.command },
        { part: 'output', text: withoutEscapes(item.output) },
      ];
    case 'notice':
      return [
        { part: '', text: item.text },
        { part: 'detail', text: item.detail ?? '' },
      ];
    case 'entry':
      return [{ part: '', text: withoutEscapes(item.drawing?.lines.join('\n') ?? '') }];
    case 'gate':
      return [{ part: '', text: `${item.title} ${item.message}` }];
  }
}

/** Output without terminal codes, which can be in the middle of words. */
function withoutEscapes(text: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences are what is left out
  return text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, '');
}
