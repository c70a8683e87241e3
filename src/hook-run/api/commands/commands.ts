import { performance } from 'node:perf_hooks';
import { defined } from '../../../base/defined';
import type { Problem } from '../../../base/result';
import { splitArguments } from '../../../base/text/split-arguments';
import { HookCommandContext } from './command-context';
import { HookContext } from '../context';
import type { HookConversation } from '../../../hook-contract/conversation-port';
import { commandForm } from '../../../hook-contract/dialects/callbacks';
import { hookError } from '../../../hook-contract/errors';
import { HandlerRun } from '../../dispatch/handler-run';
import type { HookCommandInfo } from '../../../hook-contract/hook-info';
import type { LoadedHook, RegisteredCommand, RegisteredShortcut } from '../../../hook-contract/loaded-hook';
import type { DispatchOutcome, HookError } from '../../../hook-contract/record';
import type { DispatchRecords } from '../../dispatch/dispatch-records';
import type { HookRunner } from '../../dispatch/runner';
import type { HookServices } from '../services';
import { isRecord } from '../../../base/json/is-record';
import { calledAs } from '../../../hook-contract/called-as';

export interface CommandCompletion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** The result of a command: `status` is to be shown (V2). Unknown names are not handled and are sent to the model. */
export type CommandOutcome = { readonly handled: false } | { readonly handled: true; readonly status?: string };

interface Found {
  readonly hook: LoadedHook;
  readonly command: RegisteredCommand;
}

interface Named extends Found {
  /** What a user types. */
  readonly name: string;
}

/** The slash commands and shortcuts of all hooks (docs/dialects.md, C12, C13, C27). */
export class HookCommands {
  constructor(
    private readonly runner: HookRunner,
    private readonly services: HookServices,
    /** Names of the product's own commands, which win over hooks'. */
    private readonly builtIns: ReadonlySet<string>,
    private readonly records?: DispatchRecords,
  ) {}

  /** Commands that a user can run, in order of loading. */
  list(): readonly HookCommandInfo[] {
    return this.named().map(({ name, hook, command }) => {
      const info = hook.commandInfo(command);
      return name === command.name ? info : { ...info, name, registeredAs: command.name };
    });
  }

  /** The path of the hook that has the command of this name; its place in the file is not looked for, which takes long. */
  ownerOf(name: string): string | undefined {
    return this.named().find(found => found.name === name)?.hook.path;
  }

  /**
   * All commands that can be run, by name; commands of the same name are numbered in the order of loading, as in pi.
   */
  private named(): readonly Named[] {
    const all = this.runner.loaded.flatMap(hook => [...hook.commands.values()].map(command => ({ hook, command })));
    const usable = all.filter(({ command }) => !this.builtIns.has(command.name));
    const taken = new Set(this.builtIns);
    const counts = new Map<string, number>();
    return usable.map(found => {
      const plain = found.command.name;
      const isOnly = usable.filter(({ command }) => command.name === plain).length === 1;
      let number = (counts.get(plain) ?? 0) + 1;
      counts.set(plain, number);
      let name = isOnly ? plain : `${plain}:${number}`;
      while (taken.has(name)) name = `${plain}:${++number}`;
      taken.add(name);
      return { ...found, name };
    });
  }

  /** Names that are taken or registered twice, and findings about handlers, each with its file and line. */
  problems(): readonly Problem[] {
    const owners = new Map<string, string>();
    const names = new Map(this.named().map(({ command, name }) => [command, name]));
    const problems: Problem[] = [];
    for (const hook of this.runner.loaded) {
      for (const command of hook.commands.values()) {
        // Only a problem needs it, and finding it decodes a source map.
        const report = (message: string): void => {
          problems.push({ message, file: command.at.file ?? hook.path, ...defined({ line: command.at.line }) });
        };
        const owner = owners.get(command.name);
        if (this.builtIns.has(command.name)) {
          report(`Command "/${command.name}" conflicts with built-in commands. Skipping.`);
        } else if (owner !== undefined) {
          const name = names.get(command) ?? '';
          report(`Command "/${command.name}" is also registered by ${owner}. This one is "/${name}".`);
        } else {
          owners.set(command.name, hook.path);
        }
        const untypable = /\s/.test(command.name);
        if (untypable || command.name.startsWith('/')) {
          const how = untypable ? 'cannot be typed: a name is one word' : 'has to be typed with two slashes';
          report(`Command "${command.name}" ${how}.`);
        }
        const { guess } = formOf(hook, command);
        if (guess !== undefined) report(`Handler of "/${command.name}": ${guess}.`);
      }
    }
    return problems;
  }

  /** True when the text names a hook's command. */
  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Runs the command a submitted text names, if any; never rejects, failures are reported as `command:<name>`. */
  async runText(text: string, conversation: HookConversation): Promise<CommandOutcome> {
    const line = parseCommandLine(text);
    return line === undefined ? { handled: false } : await this.run(line.name, line.args, conversation);
  }

  /** See {@link runText}. */
  async run(
    name: string,
    args: string,
    conversation: HookConversation,
    { signal, by = 'program' }: CommandStart = {},
  ): Promise<CommandOutcome> {
    const found = this.find(name);
    if (found === undefined) return { handled: false };
    const { hook, command } = found;
    const own = signal ?? new AbortController().signal;
    const role = by === 'person' ? 'command' : 'deciding';
    const run = new HandlerRun(hook, { event: calledAs('command', name), role, conversation, signal: own });
    const context = new HookCommandContext(run, this.services, {
      raw: args,
      words: splitArguments(args),
      form: command.form === 'command' ? 'words' : 'raw',
    });
    const given = formOf(hook, command).takes === 'args' ? [args, context] : [context, context];
    const started = performance.now();
    const ended = await this.guarded(hook, calledAs('command', name), () =>
      this.services.within(conversation, () => command.run(...given)),
    );
    const { returned } = ended;
    this.record(run, command, { started, args, ended });
    const status = isRecord(returned) && command.form === 'command' ? returned['status'] : undefined;
    if (typeof status !== 'string') return { handled: true };
    return { handled: true, status };
  }

  /**
   * As {@link run}; the text that a command of dialect v2 answers with is shown. False when no hook has the command.
   */
  async runAndShow(
    name: string,
    args: string,
    conversation: HookConversation,
    by?: CommandStart['by'],
  ): Promise<boolean> {
    const outcome = await this.run(name, args, conversation, { by });
    if (!outcome.handled) return false;
    const hookPath = this.find(name)?.hook.path ?? '';
    if (outcome.status !== undefined) {
      conversation.ui.notify(outcome.status, 'info', { hookPath, event: calledAs('command', name) });
    }
    return true;
  }

  /** Completions of `prefix` after the command's name; empty when the hook offers none or fails. */
  async completions(name: string, prefix: string): Promise<readonly CommandCompletion[]> {
    const found = this.find(name);
    if (found?.command.completions === undefined) return [];
    const { hook, command } = found;
    const { returned: offered } = await this.guarded(hook, calledAs('command', name), () =>
      command.completions?.(prefix),
    );
    return Array.isArray(offered) ? offered.flatMap(completionOf) : [];
  }

  /** Shortcuts by key; of two files with one key the last loaded wins. */
  shortcuts(): ReadonlyMap<string, { readonly hook: LoadedHook; readonly shortcut: RegisteredShortcut }> {
    const shortcuts = new Map<string, { readonly hook: LoadedHook; readonly shortcut: RegisteredShortcut }>();
    for (const hook of this.runner.loaded) {
      for (const shortcut of hook.shortcuts.values()) shortcuts.set(shortcut.key, { hook, shortcut });
    }
    return shortcuts;
  }

  /** Runs a shortcut's handler; false when no hook has the key. */
  async runShortcut(key: string, conversation: HookConversation): Promise<boolean> {
    const found = this.shortcuts().get(key);
    if (found === undefined) return false;
    const { hook, shortcut } = found;
    const run = new HandlerRun(hook, { event: calledAs('shortcut', key), role: 'command', conversation });
    await this.guarded(hook, calledAs('shortcut', key), () =>
      this.services.within(conversation, () => shortcut.run(new HookContext(run, this.services))),
    );
    return true;
  }

  private record(
    run: HandlerRun,
    command: RegisteredCommand,
    call: { readonly started: number; readonly args: string; readonly ended: Ended },
  ): void {
    const { event, conversation } = run.subject;
    this.records?.add({
      seq: this.records.nextSeq(),
      conversation: conversation?.id ?? '',
      hookPath: run.hook.path,
      event,
      registeredAs: event,
      nth: 0,
      registration: command.at,
      startedAt: performance.timeOrigin + call.started,
      durationMs: performance.now() - call.started,
      askedMs: run.askedMs,
      waits: run.waits,
      askedInVain: run.askedInVain,
      dialogs: run.dialogs,
      noUi: conversation?.hasUI === false,
      outcome: outcomeOf(call.ended),
      payload: { args: call.args },
      returned: call.ended.returned,
    });
  }

  /** Several commands can have one name. The bare name then means the first: keybindings refer to it. */
  private find(name: string): Found | undefined {
    const all = this.named();
    return all.find(found => found.name === name) ?? all.find(({ command }) => command.name === name);
  }

  private async guarded(hook: LoadedHook, event: string, code: () => unknown): Promise<Ended> {
    const work = hook.identity.scope.begin(event);
    try {
      return { returned: await code() };
    } catch (error) {
      this.services.report(hook, event, error);
      return { returned: undefined, threw: hookError(error, { hookPath: hook.path, event }, hook.identity.map) };
    } finally {
      work.dispose();
    }
  }
}

/** How a call of hook code ended. */
interface Ended {
  readonly returned: unknown;
  readonly threw?: HookError;
}

function outcomeOf({ threw }: Ended): DispatchOutcome {
  if (threw === undefined) return { type: 'handled' };
  const { message, line, column, stack } = threw;
  return {
    type: 'threw',
    message,
    ...defined({ line, column, stack }),
  };
}

function formOf(hook: LoadedHook, command: RegisteredCommand): ReturnType<typeof commandForm> {
  if (command.form === 'command') return { takes: 'ctx', guess: undefined };
  return commandForm(command.run, hook.dialect);
}

function completionOf(offered: unknown): readonly CommandCompletion[] {
  if (typeof offered === 'string') return [{ value: offered, label: offered }];
  if (!isRecord(offered) || typeof offered['value'] !== 'string') return [];
  const { value, label, description } = offered;
  return [
    {
      value,
      label: typeof label === 'string' ? label : value,
      ...(typeof description === 'string' ? { description } : {}),
    },
  ];
}

/** How a command is started. */
export interface CommandStart {
  /** Closes the dialogs of the command, and is its `ctx.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** Who starts it: the user, who then waits for its dialogs, or a hook or another program. Default: `program`. */
  readonly by?: 'person' | 'program' | undefined;
}

/** A submitted text, parsed as a slash command. */
interface CommandLine {
  readonly name: string;
  /** Everything after the one space, as typed. */
  readonly args: string;
}

/** Undefined when the text is not a command; a newline belongs to the name, so `/cmd⏎…` names no known one. */
function parseCommandLine(text: string): CommandLine | undefined {
  if (!text.startsWith('/')) return undefined;
  const space = text.indexOf(' ');
  if (space < 0) return { name: text.slice(1), args: '' };
  return { name: text.slice(1, space), args: text.slice(space + 1) };
}
