import * as vscode from 'vscode';
import { hookRef } from '../../transcript/hook-ref';
import type { HookInfo } from '../../hook-contract/hook-info';
import { targetPlace } from '../hooks-view/hook-target';
import { dialectText, originText, hookStateIcon, hookStateText } from '../hooks-view/hook-words';
import { showFile } from '../show-file';

type HookItem = vscode.QuickPickItem & { readonly hook?: HookInfo };

/** Lists the hooks with their states and opens the file of the one that the user chooses. */
export async function showHooks(hooks: readonly HookInfo[]): Promise<void> {
  if (hooks.length === 0) {
    const text = vscode.l10n.t('No hooks were found. Put a TypeScript file into .pi/hooks of this folder to add one.');
    void vscode.window.showInformationMessage(text);
    return;
  }
  const chosen = await vscode.window.showQuickPick(itemsFor(hooks), {
    title: vscode.l10n.t('Hooks'),
    placeHolder: vscode.l10n.t('Choose a hook to open its file'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.hook === undefined) return;
  const { file, line } = targetPlace(chosen.hook, { hookPath: chosen.hook.path });
  await showFile(file, { line });
}

function itemsFor(hooks: readonly HookInfo[]): HookItem[] {
  const origins = [...new Set(hooks.map(hook => hook.origin))];
  return origins.flatMap(origin => [
    { label: originText(origin), kind: vscode.QuickPickItemKind.Separator },
    ...hooks.filter(hook => hook.origin === origin).map(itemFor),
  ]);
}

function itemFor(hook: HookInfo): HookItem {
  const dialect = hook.dialect === undefined ? '' : ` · ${dialectText(hook.dialect)}`;
  return {
    label: `$(${hookStateIcon(hook).id}) ${hookRef(hook.path).name}`,
    description: `${hookStateText(hook)}${dialect}`,
    detail: contentOf(hook),
    hook,
  };
}

function contentOf({ state, handlers, commands, tools }: HookInfo): string {
  if ('problems' in state) return state.problems[0]?.message ?? '';
  const names = [
    ...new Set(handlers.map(handler => handler.event)),
    ...commands.map(command => `/${command.name}`),
    ...tools.map(tool => vscode.l10n.t('tool {0}', tool.name)),
  ];
  return names.join(', ');
}
