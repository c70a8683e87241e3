import * as l10n from '@vscode/l10n';
import { BUILT_IN_COMMANDS } from '../../startup/built-in-commands';
import type { SlashCommand } from '../../protocol/messages';

/** A text that was submitted as a command. */
export interface CommandText {
  readonly name: string;
  /** Everything after the one blank behind the name, as it was typed (reference section 9). */
  readonly args: string;
}

/** Splits `/name args`; undefined when the text is no command. A newline belongs to the name, so `/x\ny` is none. */
export function parseCommand(text: string): CommandText | undefined {
  if (!text.startsWith('/')) return undefined;
  const blank = text.indexOf(' ');
  const name = blank < 0 ? text.slice(1) : text.slice(1, blank);
  if (name === '' || name.includes('\n')) return undefined;
  return { name, args: blank < 0 ? '' : text.slice(blank + 1) };
}

/** The commands of Hookline itself; `run` gets the conversation's actions. */
export interface BuiltInActions {
  newSession(): Promise<unknown>;
  resume(): void;
  compact(instructions: string | undefined): Promise<unknown>;
  pickModel(): void;
  rename(name: string): void;
  /** To a path, or wherever the person says when it is empty. */
  exportSession(path: string): Promise<void>;
  showTree(): void;
  showSession(): void;
  reload(): Promise<void>;
  copyLast(): void;
  setThinkingLevel(level: string): void;
}

interface BuiltIn {
  readonly description: string;
  run(actions: BuiltInActions, args: string): unknown;
}

const BUILT_IN: Readonly<Record<(typeof BUILT_IN_COMMANDS)[number], BuiltIn>> = {
  new: { description: l10n.t('Start a new session'), run: actions => actions.newSession() },
  resume: {
    description: l10n.t('Go back to an earlier session'),
    run: actions => actions.resume(),
  },
  compact: {
    description: l10n.t('Summarise the conversation so far to free context'),
    run: (actions, args) => actions.compact(args.trim() === '' ? undefined : args.trim()),
  },
  model: {
    description: l10n.t('Choose the model'),
    run: actions => actions.pickModel(),
  },
  name: {
    description: l10n.t('Name this session'),
    run: (actions, args) => actions.rename(args.trim()),
  },
  tree: {
    description: l10n.t('Show the branches of this session and go to one'),
    run: actions => actions.showTree(),
  },
  export: {
    description: l10n.t('Export this session to an HTML or Markdown file'),
    run: (actions, args) => actions.exportSession(args.trim()),
  },
  session: {
    description: l10n.t('Show file, size and cost of this session'),
    run: actions => actions.showSession(),
  },
  reload: { description: l10n.t('Load all hooks anew'), run: actions => actions.reload() },
  copy: {
    description: l10n.t('Copy the last answer'),
    run: actions => actions.copyLast(),
  },
  thinking: {
    description: l10n.t('Set how much the model thinks: off, minimal, low, medium, high, xhigh'),
    run: (actions, args) => actions.setThinkingLevel(args.trim()),
  },
};

/** Runs a built-in command; undefined when there is none of that name. */
export function runBuiltIn(command: CommandText, actions: BuiltInActions): Promise<void> | undefined {
  const name = BUILT_IN_COMMANDS.find(known => known === command.name);
  if (name === undefined) return undefined;
  return Promise.resolve(BUILT_IN[name].run(actions, command.args)).then(() => undefined);
}

/** The list for completion: built-in commands first, then the hooks'. */
export function listCommands(
  hooks: readonly { readonly name: string; readonly description: string }[],
): SlashCommand[] {
  const builtIn = BUILT_IN_COMMANDS.map((name): SlashCommand => ({
    name,
    description: BUILT_IN[name].description,
    source: 'built-in',
  }));
  const ofHooks = hooks.map(({ name, description }): SlashCommand => ({ name, description, source: 'hook' }));
  return [...builtIn, ...ofHooks];
}
