import type { Completion } from '../../src/protocol/composer/composer';
import { matchCommands, type Query } from '../../src/protocol/composer-query';
import type { SlashCommand } from '../../src/protocol/messages';
import { fileIcon } from '../controls/file-icon';

/** One line of the list. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** The detail says where the thing is: a long one is shortened at its beginning. */
  readonly isPlace?: boolean;
  /** Name of a codicon; commands have none. */
  readonly icon?: string;
  /** Where a command is from. */
  readonly chip?: string;
  /** The text that replaces the typed text. */
  readonly insert: string;
  /** It is only a note, which cannot be taken. */
  readonly isNote?: boolean;
  /** It is a folder: after taking it, the list shows its content. */
  readonly isFolder?: boolean;
  /** The host decides the text: `id` of the answer that contained the suggestion, and its `index` in there. */
  readonly take?: { readonly id: number; readonly index: number };
}

/** The list above the composer. `active` is an index of `items`; -1: no line is active, and Enter sends the message. */
export interface SuggestionList {
  readonly kind: Query['kind'];
  readonly items: readonly Suggestion[];
  readonly active: number;
  /** The typed text is the full name of a command, so Enter sends it. */
  readonly typedInFull: boolean;
}

/** What a key does to the list. */
export type ListStep =
  | { readonly type: 'list'; readonly list: SuggestionList | undefined }
  | { readonly type: 'accept'; readonly suggestion: Suggestion }
  /** The list does not use the key. */
  | { readonly type: 'pass' };

/** The list of the commands that match; undefined when none does. */
export function commandList(commands: readonly SlashCommand[], typed: string): SuggestionList | undefined {
  const items = matchCommands(commands, typed).map(({ name, description, source }): Suggestion => ({
    label: `/${name}`,
    detail: description,
    ...(source === 'built-in' ? {} : { chip: source }),
    insert: `/${name}`,
  }));
  const typedInFull = commands.some(({ name }) => name === typed);
  return items.length === 0 ? undefined : { kind: 'command', items, active: 0, typedInFull };
}

/** Kinds whose detail ends with a path, of which the end says most. */
const PLACES: ReadonlySet<Completion['kind']> = new Set(['file', 'folder', 'symbol']);

/** Codicons for what can be suggested and named. */
export const KIND_ICONS: { readonly [K in Completion['kind']]: string } = {
  file: 'file',
  folder: 'folder',
  symbol: 'symbol-method',
  problems: 'warning',
  selection: 'selection',
  terminal: 'terminal',
  diff: 'git-compare',
  argument: 'symbol-parameter',
  note: 'info',
  hook: 'extensions',
};

/** The list of the host's suggestions; undefined when there are none. The active line stays active if it is still there. */
export function hostList(
  kind: 'arguments' | 'mention' | 'offered',
  offered: readonly Completion[],
  before: SuggestionList | undefined,
  answer = 0,
): SuggestionList | undefined {
  if (offered.length === 0) return undefined;
  const items = offered.map((item, index) => suggestionOf(item, { id: answer, index }, kind));
  const was = before?.kind === kind ? before.items[before.active]?.insert : undefined;
  const kept = items.findIndex(({ insert }) => insert === was);
  // Arguments are optional, so no line is active and Enter does not take one by accident.
  const first = kind === 'arguments' ? -1 : 0;
  return { kind, items, active: kept < 0 ? first : kept, typedInFull: false };
}

/** The list of commands followed by the suggestions of hooks; the unchanged list when there are none. */
export function withOffered(
  list: SuggestionList | undefined,
  offered: readonly Completion[],
  answer: number,
): SuggestionList | undefined {
  if (offered.length === 0) return list;
  const own = (list?.items ?? []).filter(({ take }) => take === undefined);
  const items = [...own, ...offered.map((item, index) => suggestionOf(item, { id: answer, index }, 'command'))];
  return { kind: 'command', active: 0, typedInFull: false, ...list, items };
}

function suggestionOf(
  item: Completion,
  take: NonNullable<Suggestion['take']>,
  list: SuggestionList['kind'],
): Suggestion {
  return {
    label: item.label,
    detail: item.detail,
    icon: item.kind === 'file' ? fileIcon(item.label) : KIND_ICONS[item.kind],
    ...(PLACES.has(item.kind) ? { isPlace: true } : {}),
    insert: item.insert,
    ...(item.kind === 'note' ? { isNote: true } : {}),
    ...(item.kind === 'folder' ? { isFolder: true } : {}),
    ...(item.kind === 'hook' || list === 'offered' || list === 'command' ? { take } : {}),
  };
}

/** What a key does while the list is open. */
export function listKey(list: SuggestionList, key: string): ListStep {
  const { items, active, typedInFull } = list;
  const move = (to: number): ListStep => ({
    type: 'list',
    list: { ...list, active: (to + items.length) % items.length },
  });
  if (key === 'ArrowDown') return move(active + 1);
  if (key === 'ArrowUp') return move(active < 0 ? items.length - 1 : active - 1);
  if (key === 'Escape') return { type: 'list', list: undefined };
  if (key !== 'Tab' && key !== 'Enter') return { type: 'pass' };
  const suggestion = items[key === 'Tab' ? Math.max(0, active) : active];
  if (!suggestion || suggestion.isNote === true) return { type: 'pass' };
  return key === 'Enter' && typedInFull ? { type: 'pass' } : { type: 'accept', suggestion };
}

/** The text in which a suggestion replaces the typed part, and the new position of the cursor. */
export function accepted(text: string, query: Query, suggestion: Suggestion): { text: string; caret: number } {
  const before = text.slice(0, query.start);
  const after = text.slice(query.end);
  const { insert } = suggestion;
  if (suggestion.isFolder === true) {
    // The cursor goes after the slash but before a closing quote, so that the user can go on with the folder's content.
    const caret = before.length + insert.replace(/"$/, '').length;
    return { text: before + insert + after, caret };
  }
  const blank = query.kind === 'arguments' || after.startsWith(' ') ? '' : ' ';
  const caret = before.length + insert.length + (query.kind === 'arguments' ? 0 : 1);
  return { text: before + insert + blank + after, caret };
}
