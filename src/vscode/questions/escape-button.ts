import * as vscode from 'vscode';

/** The button of a prompt that does the same as Escape. `cancels`: Escape cancels the question, and does not only close it. */
export function escapeButton(cancels: boolean): vscode.QuickInputButton {
  const tooltip = cancels
    ? vscode.l10n.t('Cancel this question (Escape)')
    : vscode.l10n.t('Close (Escape). The question stays open.');
  return { iconPath: new vscode.ThemeIcon('close'), tooltip };
}
