import * as vscode from 'vscode';
import { hookRef } from '../conversation/hook-ref';
import type { HookInfo } from '../hooks/hook';

type HookItem = vscode.QuickPickItem & { readonly hook?: HookInfo };

/** Lists every hook that was found, with its state, and opens the chosen one. */
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
  const { path, line } = placeOf(chosen.hook);
  const at = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
}

function itemsFor(hooks: readonly HookInfo[]): HookItem[] {
  const origins = [...new Set(hooks.map(hook => hook.origin))];
  return origins.flatMap(origin => [
    { label: originName(origin), kind: vscode.QuickPickItemKind.Separator },
    ...hooks.filter(hook => hook.origin === origin).map(itemFor),
  ]);
}

function itemFor(hook: HookInfo): HookItem {
  const dialect = hook.dialect === undefined ? '' : ` · ${hook.dialect.id} (${hook.dialect.because})`;
  return {
    label: `${iconOf(hook)} ${hookRef(hook.path).name}`,
    description: `${stateOf(hook)}${dialect}`,
    detail: contentOf(hook),
    hook,
  };
}

function originName(origin: HookInfo['origin']): string {
  switch (origin) {
    case 'global':
      return vscode.l10n.t('yours, in every folder');
    case 'workspace':
      return vscode.l10n.t('of this folder');
    case 'settings':
      return vscode.l10n.t('named in settings');
    case 'explicit':
      return vscode.l10n.t('named by hand');
  }
}

function iconOf({ state }: HookInfo): string {
  switch (state.type) {
    case 'live':
      return '$(pass)';
    case 'stale':
      return '$(warning)';
    case 'failed':
      return '$(error)';
    case 'heldBack':
      return '$(shield)';
    case 'off':
      return '$(circle-slash)';
  }
}

function stateOf({ state }: HookInfo): string {
  switch (state.type) {
    case 'live':
      return vscode.l10n.t('live');
    case 'stale':
      return vscode.l10n.t('broken; the last good version is running');
    case 'failed':
      return state.gatesTools ? vscode.l10n.t('failed to load, and it guards tools') : vscode.l10n.t('failed to load');
    case 'heldBack':
      return vscode.l10n.t('held back until this folder is trusted');
    case 'off':
      return vscode.l10n.t('turned off');
  }
}

function contentOf({ state, handlers, commands, tools }: HookInfo): string {
  if (state.type === 'failed' || state.type === 'stale') return state.problems[0]?.message ?? '';
  const names = [
    ...new Set(handlers.map(handler => handler.event)),
    ...commands.map(command => `/${command.name}`),
    ...tools.map(tool => vscode.l10n.t('tool {0}', tool.name)),
  ];
  return names.join(', ');
}

function placeOf(hook: HookInfo): { readonly path: string; readonly line: number } {
  const problem = 'problems' in hook.state ? hook.state.problems[0] : undefined;
  return { path: problem?.file ?? hook.path, line: Math.max(1, problem?.line ?? hook.handlers[0]?.line ?? 1) };
}
