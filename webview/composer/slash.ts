import type { SlashCommand } from '../../src/protocol/messages';

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

/** The text with the name completed, and where the caret goes: behind one blank, ready for arguments. */
export function completeCommand(text: string, command: SlashCommand): { text: string; caret: number } {
  const rest = text.replace(/^\/\S*\s?/, '');
  const completed = `/${command.name} `;
  return { text: completed + rest, caret: completed.length };
}

/** The list below the composer. `active` indexes `matches`. */
export interface SlashList {
  readonly matches: readonly SlashCommand[];
  readonly active: number;
}

export type SlashStep =
  | { readonly type: 'list'; readonly list: SlashList | undefined }
  | { readonly type: 'accept'; readonly command: SlashCommand }
  /** The key is not for the list. */
  | { readonly type: 'pass' };

/** What a key does while the list is open. Enter on a name typed in full passes, so that the command is sent. */
export function slashKey(list: SlashList, key: string, query: string): SlashStep {
  const { matches, active } = list;
  const move = (to: number): SlashStep => ({
    type: 'list',
    list: { matches, active: (to + matches.length) % matches.length },
  });
  if (key === 'ArrowDown') return move(active + 1);
  if (key === 'ArrowUp') return move(active - 1);
  if (key === 'Escape') return { type: 'list', list: undefined };
  const command = matches[active];
  if (!command || (key !== 'Tab' && key !== 'Enter')) return { type: 'pass' };
  return key === 'Enter' && matches.some(({ name }) => name === query) ? { type: 'pass' } : { type: 'accept', command };
}
