import * as l10n from '@vscode/l10n';
import type { Completion } from '../../src/protocol/composer';
import { matchCommands, type Query } from '../../src/protocol/composer-query';
import type { SlashCommand } from '../../src/protocol/messages';

/** One line of the list. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** Icon of VS Code's font; none for commands. */
  readonly icon?: string;
  /** What kind of thing it is, in a word. */
  readonly chip?: string;
  readonly insert: string;
  /** Nothing to take: it only says something. */
  readonly isNote?: boolean;
  /** What is inside may be chosen next. */
  readonly isFolder?: boolean;
  /** The host says what text comes of it: the answer and the line that it was offered with. */
  readonly take?: { readonly id: number; readonly index: number };
}

/** The list above the composer. `active` indexes `items`; -1: none, Enter is not for the list. */
export interface SuggestionList {
  readonly kind: Query['kind'];
  readonly items: readonly Suggestion[];
  readonly active: number;
  /** What was typed is one of the names: Enter sends it. */
  readonly typedInFull: boolean;
}

export type ListStep =
  | { readonly type: 'list'; readonly list: SuggestionList | undefined }
  | { readonly type: 'accept'; readonly suggestion: Suggestion }
  /** The key is not for the list. */
  | { readonly type: 'pass' };

/** The commands that fit; undefined when none does. */
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

const ICONS: { readonly [K in Completion['kind']]: string } = {
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

/** What the host offers, as a list; undefined when that is nothing. The line that was active stays so if it is there. */
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
  // Arguments are only proposals: Enter must not take one by accident.
  const first = kind === 'arguments' ? -1 : 0;
  return { kind, items, active: kept < 0 ? first : kept, typedInFull: false };
}

/** The list of commands with what hooks offer beside them behind it; the list itself where that is nothing. */
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
    icon: ICONS[item.kind],
    ...chipOf(item.kind),
    insert: item.insert,
    ...(item.kind === 'note' ? { isNote: true } : {}),
    ...(item.kind === 'folder' ? { isFolder: true } : {}),
    ...(item.kind === 'hook' || list === 'offered' || list === 'command' ? { take } : {}),
  };
}

function chipOf(kind: Completion['kind']): { readonly chip?: string } {
  return kind === 'symbol' ? { chip: l10n.t('symbol') } : {};
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

/** The text with a suggestion in place of what was typed, and where the caret goes. */
export function accepted(text: string, query: Query, suggestion: Suggestion): { text: string; caret: number } {
  const before = text.slice(0, query.start);
  const after = text.slice(query.end);
  const { insert } = suggestion;
  if (suggestion.isFolder === true) {
    // One goes on to what is inside: behind the slash, before a quote that closes.
    const caret = before.length + insert.replace(/"$/, '').length;
    return { text: before + insert + after, caret };
  }
  const blank = query.kind === 'arguments' || after.startsWith(' ') ? '' : ' ';
  const caret = before.length + insert.length + (query.kind === 'arguments' ? 0 : 1);
  return { text: before + insert + blank + after, caret };
}
