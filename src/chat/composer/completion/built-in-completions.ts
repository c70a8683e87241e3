import type { AutocompleteItem, AutocompleteSuggestions } from '@mariozechner/pi-tui';
import type { HookHost } from '../../../hook-run/host/host';
import type { Completion } from '../../../protocol/composer/composer';
import { matchCommands, queryAt, type Query } from '../../../protocol/composer-query';
import type { SlashCommand } from '../../../protocol/messages';
import { BUILT_IN_COMMANDS } from '../../../startup/built-in-commands';
import { commandArguments, type CommandArgumentsParts } from './command-arguments';
import { Mentions, type MentionParts } from './mentions';
import { caretOf, type TextPlace } from './text-place';

export interface BuiltInCompletionsParts extends MentionParts {
  readonly hooks: Pick<HookHost, 'commands'>;
  /** What can be typed behind a slash. */
  commands(): readonly SlashCommand[];
  /** What the arguments of Hookline's own commands are completed from. */
  commandParts(): CommandArgumentsParts;
}

/** What the composer completes by itself: commands and their arguments, and what may be behind `@`. */
export class BuiltInCompletions {
  /** What may be behind `@`. */
  readonly mentions: Mentions;
  /** Completions of our own, by the items that hooks get for them. */
  private readonly ours = new WeakMap<AutocompleteItem, Completion | 'command'>();

  constructor(private readonly parts: BuiltInCompletionsParts) {
    this.mentions = new Mentions(parts);
  }

  /**
   * Arguments of a command: those that Hookline knows for its own commands, or those that the command's hook proposes.
   */
  async argumentsOf(command: string, typed: string): Promise<readonly Completion[]> {
    const own = BUILT_IN_COMMANDS.find(known => known === command);
    if (own !== undefined) return commandArguments(own, typed, this.parts.commandParts());
    const offered = await this.parts.hooks.commands.completions(command, typed);
    return offered.map(({ value, label, description }) => ({
      kind: 'argument',
      label,
      detail: description ?? (value === label ? '' : value),
      insert: value,
    }));
  }

  /** What is typed there, and how it is completed; empty for a command's name, which the page completes. */
  async at(text: string, caret: number, signal: AbortSignal): Promise<readonly Completion[]> {
    const query = queryAt(text, caret, this.parts.commands());
    return query === undefined ? [] : this.completionsFor(query, signal);
  }

  /** The same for hooks, in the words of pi-tui; null when nothing fits. */
  async suggestions(place: TextPlace, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
    const text = place.lines.join('\n');
    const caret = caretOf(place);
    const commands = this.parts.commands();
    const query = queryAt(text, caret, commands);
    if (query === undefined) return null;
    const items =
      query.kind === 'command'
        ? matchCommands(commands, query.typed).map(({ name, description }) =>
            this.given({ value: `/${name}`, label: name, description }, 'command'),
          )
        : (await this.completionsFor(query, signal)).map(found =>
            this.given({ value: found.insert, label: found.label, description: found.detail }, found),
          );
    return items.length === 0 ? null : { items, prefix: text.slice(query.start, caret) };
  }

  /** The completion for an item that hooks return; undefined for an item of their own. */
  ownOf(item: AutocompleteItem): Completion | 'command' | undefined {
    return this.ours.get(item);
  }

  private given(item: AutocompleteItem, own: Completion | 'command'): AutocompleteItem {
    this.ours.set(item, own);
    return item;
  }

  private async completionsFor(
    { kind, typed, command = '' }: Query,
    signal: AbortSignal,
  ): Promise<readonly Completion[]> {
    if (kind === 'arguments') return this.argumentsOf(command, typed);
    if (kind !== 'mention') return [];
    let last: readonly Completion[] = [];
    await this.mentions.find(typed, signal, found => (last = found));
    return last;
  }
}
