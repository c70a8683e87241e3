import * as vscode from 'vscode';
import type { Conversation } from '../conversation/conversation';
import { hookRef } from '../conversation/hook-ref';
import type { HookCommandInfo } from '../hooks/hook';

/** Runs a command that a hook registered; asks for whatever is not given. */
export async function runHookCommand(
  conversation: Conversation,
  commands: readonly HookCommandInfo[],
  given: { readonly name?: string | undefined; readonly args?: string | undefined },
): Promise<void> {
  const name = given.name ?? (await pickCommand(commands));
  if (name === undefined) return;
  const args = given.args ?? (given.name === undefined ? await askForArguments(name) : '');
  if (args === undefined) return;
  if (await conversation.runHookCommand(name, args)) return;
  void vscode.window.showWarningMessage(vscode.l10n.t('No hook offers a command "/{0}" any more.', name));
}

async function pickCommand(commands: readonly HookCommandInfo[]): Promise<string | undefined> {
  if (commands.length === 0) {
    const text = vscode.l10n.t('No loaded hook registers a command. Hooks add them with pi.registerCommand.');
    void vscode.window.showInformationMessage(text);
    return undefined;
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
  return chosen?.name;
}

function askForArguments(name: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `/${name}`,
    prompt: vscode.l10n.t('Arguments for the command; may stay empty'),
  });
}
