import * as l10n from '@vscode/l10n';
import type { Completion } from '../../src/protocol/composer';
import type { SlashCommand } from '../../src/protocol/messages';

/** What is being typed where the caret stands, and which part of the text a suggestion takes the place of. */
export type Query = {
  readonly kind: 'command' | 'arguments' | 'mention';
  /** What was typed of it, without `/`, `@` and quotes. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  /** The command whose arguments are typed. */
  readonly command?: string;
};

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

const MENTION = /(?:^|\s)(@(?:"([^"\n]*)|([^\s"']*)))$/;

/** What is typed at this caret; undefined when nothing can be suggested there. */
export function queryAt(text: string, caret: number, commands: readonly SlashCommand[]): Query | undefined {
  const name = slashQuery(text, caret);
  if (name !== undefined) return { kind: 'command', typed: name, start: 0, end: name.length + 1 };
  const mention = MENTION.exec(text.slice(0, caret));
  if (mention) {
    const [, whole = '', quoted, bare = ''] = mention;
    const end = quoted !== undefined && text[caret] === '"' ? caret + 1 : caret;
    return { kind: 'mention', typed: quoted ?? bare, start: caret - whole.length, end };
  }
  return argumentsAt(text, caret, commands);
}

function argumentsAt(text: string, caret: number, commands: readonly SlashCommand[]): Query | undefined {
  const command = /^\/(\S+) /.exec(text)?.[1];
  if (command === undefined || caret <= command.length + 1 || text.includes('\n')) return undefined;
  if (!commands.some(({ name, source }) => name === command && source === 'hook')) return undefined;
  const start = command.length + 2;
  return { kind: 'arguments', typed: text.slice(start, caret), start, end: caret, command };
}

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
};

/** What the host offers, as a list; undefined when that is nothing. The line that was active stays so if it is there. */
export function hostList(
  kind: 'arguments' | 'mention',
  offered: readonly Completion[],
  before: SuggestionList | undefined,
): SuggestionList | undefined {
  if (offered.length === 0) return undefined;
  const items = offered.map((item): Suggestion => ({
    label: item.label,
    detail: item.detail,
    icon: ICONS[item.kind],
    ...chipOf(item.kind),
    insert: item.insert,
    ...(item.kind === 'note' ? { isNote: true } : {}),
    ...(item.kind === 'folder' ? { isFolder: true } : {}),
  }));
  const was = before?.kind === kind ? before.items[before.active]?.insert : undefined;
  const kept = items.findIndex(({ insert }) => insert === was);
  // Arguments are only proposals: Enter must not take one by accident.
  const first = kind === 'arguments' ? -1 : 0;
  return { kind, items, active: kept < 0 ? first : kept, typedInFull: false };
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

/** What was typed of a command's name when the caret stands in it; undefined when no command is being typed. */
export function slashQuery(text: string, caret: number): string | undefined {
  const name = /^\/(\S*)/.exec(text)?.[1];
  return name === undefined || caret === 0 || caret > name.length + 1 ? undefined : name;
}

/** The commands that fit, best first: same start, then a word's start, then anywhere; by name within each. */
export function matchCommands(commands: readonly SlashCommand[], query: string): readonly SlashCommand[] {
  const wanted = query.toLowerCase();
  return commands
    .map(command => ({ command, rank: rank(command.name.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.command.name.localeCompare(b.command.name))
    .map(({ command }) => command);
}

function rank(name: string, wanted: string): number {
  const at = name.indexOf(wanted);
  if (at <= 0) return at;
  return /[-_:.\s]/.test(name[at - 1] ?? '') ? 1 : 2;
}
