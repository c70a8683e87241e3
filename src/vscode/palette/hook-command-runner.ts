import * as vscode from 'vscode';
import type { Conversation } from '../../session/conversation';
import { hookRef } from '../../transcript/hook-ref';
import type { HookCommandInfo } from '../../hook-contract/hook-info';
import type { HookHost } from '../../hook-run/host/host';
import type { LoadedHook, RegisteredCommand } from '../../hook-contract/loaded-hook';
import { askForArguments } from './argument-prompt';
import { wantsArguments } from './arguments-wanted';

/** What has the commands, and the conversation that they run in. */
export interface CommandRunnerParts {
  readonly host: Pick<HookHost, 'commands' | 'runner'>;
  readonly active: () => Conversation;
}

/** Runs commands of hooks that the user starts outside of the chat: from the palette, by a key, or from a list. */
export class HookCommandRunner {
  constructor(private readonly parts: CommandRunnerParts) {}

  /** Commands that can be run now. */
  list(): readonly HookCommandInfo[] {
    return this.parts.host.commands.list();
  }

  /** Lets the user choose a command, asks for its arguments, and runs it as {@link run} does. */
  async pick(): Promise<void> {
    const commands = this.list();
    if (commands.length === 0) {
      const text = vscode.l10n.t('No loaded hook registers a command. Hooks add them with pi.registerCommand.');
      void vscode.window.showInformationMessage(text);
      return;
    }
    const items = commands.map(({ name, description, hookPath }) => ({
      label: `/${name}`,
      description,
      detail: hookRef(hookPath).name,
      name,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Run a hook command'),
      matchOnDescription: true,
    });
    if (chosen === undefined) return;
    const args = await this.ask(chosen.name);
    if (args !== undefined) await this.run(chosen.name, args);
  }

  /** Runs a command by name. Without `args`, the user is asked for them if the command reads them. */
  async run(name: string, args?: string): Promise<void> {
    const given = args ?? (this.wantsArguments(name) ? await this.ask(name) : '');
    if (given === undefined) return;
    if (await this.parts.host.commands.runAndShow(name, given, this.parts.active().forHooks, 'person')) return;
    void vscode.window.showWarningMessage(vscode.l10n.t('No hook offers the command "/{0}" any more.', name));
  }

  private ask(name: string): Promise<string | undefined> {
    const { commands } = this.parts.host;
    const completes = this.find(name)?.command.completions !== undefined;
    return askForArguments({
      name,
      description: this.list().find(command => command.name === name)?.description ?? '',
      completions: completes ? typed => commands.completions(name, typed) : undefined,
    });
  }

  private wantsArguments(name: string): boolean {
    const found = this.find(name);
    return found !== undefined && wantsArguments(found.command, found.hook.dialect);
  }

  private find(name: string): { readonly hook: LoadedHook; readonly command: RegisteredCommand } | undefined {
    const path = this.list().find(command => command.name === name)?.hookPath;
    const hook = this.parts.host.runner.loaded.find(loaded => loaded.path === path);
    const command = hook?.commands.get(name);
    return hook === undefined || command === undefined ? undefined : { hook, command };
  }
}
