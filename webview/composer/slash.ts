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
