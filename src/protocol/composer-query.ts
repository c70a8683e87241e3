import type { SlashCommand } from './messages';

/** What the user is typing at the caret. A suggestion replaces the text from `start` to `end`. */
export type Query = {
  /** `offered`: a word that only hooks can complete. */
  readonly kind: 'command' | 'arguments' | 'mention' | 'offered';
  /** The typed part, without `/`, `@` and quotes. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  /** The command whose arguments the user is typing; only for `arguments`. */
  readonly command?: string;
};

const MENTION = /(?:^|\s)(@(?:"([^"\n]*)|([^\s"']*)))$/;

/**
 * Returns what the user is typing at this caret, or undefined when nothing can be suggested there. `triggers` are the
 * characters that begin a word which hooks complete.
 */
export function queryAt(
  text: string,
  caret: number,
  commands: readonly SlashCommand[],
  triggers = '',
): Query | undefined {
  const name = slashQuery(text, caret);
  if (name !== undefined) return { kind: 'command', typed: name, start: 0, end: name.length + 1 };
  const mention = MENTION.exec(text.slice(0, caret));
  if (mention) {
    const [, whole = '', quoted, bare = ''] = mention;
    const end = quoted !== undefined && text[caret] === '"' ? caret + 1 : caret;
    return { kind: 'mention', typed: quoted ?? bare, start: caret - whole.length, end };
  }
  return argumentsAt(text, caret, commands) ?? offeredAt(text, caret, triggers);
}

function offeredAt(text: string, caret: number, triggers: string): Query | undefined {
  const word = /(?:^|\s)(\S+)$/.exec(text.slice(0, caret))?.[1];
  const [first = ''] = word ?? [];
  if (word === undefined || !triggers.includes(first)) return undefined;
  return { kind: 'offered', typed: word.slice(first.length), start: caret - word.length, end: caret };
}

function argumentsAt(text: string, caret: number, commands: readonly SlashCommand[]): Query | undefined {
  const command = /^\/(\S+) /.exec(text)?.[1];
  if (command === undefined || caret <= command.length + 1 || text.includes('\n')) return undefined;
  const isTaking = ({ name, source }: SlashCommand): boolean =>
    name === command && (source === 'hook' || source === 'built-in');
  if (!commands.some(isTaking)) return undefined;
  const start = command.length + 2;
  return { kind: 'arguments', typed: text.slice(start, caret), start, end: caret, command };
}

/** Returns the typed part of a command's name, without `/`; undefined when the caret is not in one. */
export function slashQuery(text: string, caret: number): string | undefined {
  const name = /^\/(\S*)/.exec(text)?.[1];
  return name === undefined || caret === 0 || caret > name.length + 1 ? undefined : name;
}

/**
 * Returns the commands whose names contain the query: first where the name starts with it, then where a word in the
 * name does, then the others, each group sorted by name.
 */
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
