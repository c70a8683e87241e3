import * as vscode from 'vscode';
import type { ToolChoice, Toolset } from '../../session/run/toolset';
import { SETTINGS_SECTION } from '../ids';

type ToolItem = vscode.QuickPickItem & { readonly name?: string };

const ORIGINS: readonly ToolChoice['origin'][] = ['built-in', 'hook', 'mcp', 'editor'];

/** Lets the user choose which tools the agent of this conversation may use, starting with its next request. */
export async function selectTools(toolset: Toolset): Promise<void> {
  const choices = toolset.choices();
  const pick = vscode.window.createQuickPick<ToolItem>();
  const settings: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('gear'),
    tooltip: vscode.l10n.t('Offer tools of VS Code in every conversation'),
  };
  pick.title = vscode.l10n.t('Tools of this conversation');
  pick.placeholder = vscode.l10n.t('The agent can use the checked tools; hooks see the calls of all of them');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = [settings];
  pick.items = ORIGINS.flatMap(origin => group(origin, choices));
  pick.selectedItems = pick.items.filter(item => choices.some(({ name, active }) => active && name === item.name));
  try {
    const accepted = await new Promise<boolean>(resolve => {
      pick.onDidAccept(() => resolve(true));
      pick.onDidHide(() => resolve(false));
      pick.onDidTriggerButton(
        () => void vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS_SECTION}.editorTools`),
      );
      pick.show();
    });
    if (accepted) toolset.select(pick.selectedItems.flatMap(({ name }) => (name === undefined ? [] : [name])));
  } finally {
    pick.dispose();
  }
}

function group(origin: ToolChoice['origin'], choices: readonly ToolChoice[]): ToolItem[] {
  const own = choices.filter(choice => choice.origin === origin);
  if (own.length === 0) return [];
  return [
    { label: headingOf(origin), kind: vscode.QuickPickItemKind.Separator },
    ...own.map(({ name, description }) => ({ label: name, detail: firstLine(description), name })),
  ];
}

function headingOf(origin: ToolChoice['origin']): string {
  switch (origin) {
    case 'built-in':
      return vscode.l10n.t('built in');
    case 'hook':
      return vscode.l10n.t('of hooks');
    case 'mcp':
      return vscode.l10n.t('of MCP servers');
    case 'editor':
      return vscode.l10n.t('of VS Code: extensions and MCP servers');
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
