import * as vscode from 'vscode';
import type { Conversation } from '../../conversation/conversation';

/** Lets the person choose how much the model thinks. */
export async function pickThinkingLevel(conversation: Conversation): Promise<void> {
  const { thinkingLevels, thinkingLevel, model } = conversation.status.current;
  if (thinkingLevels.length <= 1) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} has no thinking levels.', model));
    return;
  }
  const items = thinkingLevels.map(level => ({
    label: `${level === thinkingLevel ? '$(check)' : '$(blank)'} ${level}`,
    level,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose a thinking level'),
    placeHolder: vscode.l10n.t('More thinking takes longer and costs more'),
  });
  if (chosen !== undefined) conversation.models.setThinkingLevel(chosen.level);
}
