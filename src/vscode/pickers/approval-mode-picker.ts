import * as vscode from 'vscode';
import type { Conversation } from '../../session/conversation';
import { APPROVAL_MODES, type ApprovalMode } from '../../hook-contract/approvals/approval-mode';

/** Lets the user choose the approval mode of the conversation. Says why when the mode is locked. */
export async function pickApprovalMode({ approvals }: Conversation): Promise<void> {
  if (approvals === undefined || refuseWhenLocked(approvals)) return;
  const items = APPROVAL_MODES.map(mode => ({
    label: `${mode === approvals.mode ? '$(check)' : '$(blank)'} ${modeName(mode)}`,
    detail: modeDetail(mode),
    mode,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Who decides about tool calls?') });
  if (chosen !== undefined) approvals.setMode(chosen.mode);
}

/** Switches to the next approval mode; after the last, to the first. Says why when the mode is locked. */
export function nextApprovalMode({ approvals }: Conversation): void {
  if (approvals === undefined || refuseWhenLocked(approvals)) return;
  const next = APPROVAL_MODES[(APPROVAL_MODES.indexOf(approvals.mode) + 1) % APPROVAL_MODES.length];
  if (next !== undefined) approvals.setMode(next);
}

/** Tells the user when the mode is locked; returns whether it is. */
function refuseWhenLocked({ isLocked }: NonNullable<Conversation['approvals']>): boolean {
  if (!isLocked) return false;
  const trust = vscode.l10n.t('Manage Trust');
  void vscode.window
    .showInformationMessage(vscode.l10n.t('The mode stays Ask until this folder is trusted.'), trust)
    .then(chosen => {
      if (chosen === trust) void vscode.commands.executeCommand('hookline.decideTrust');
    });
  return true;
}

/** The name of a mode of the built-in gate. */
export function modeName(mode: ApprovalMode): string {
  switch (mode) {
    case 'ask':
      return vscode.l10n.t('Ask');
    case 'edits':
      return vscode.l10n.t('Edits');
    case 'auto':
      return vscode.l10n.t('Auto');
    case 'plan':
      return vscode.l10n.t('Plan');
  }
}

/** What the user is asked about in a mode. */
export function modeDetail(mode: ApprovalMode): string {
  switch (mode) {
    case 'ask':
      return vscode.l10n.t('You are asked before anything is written, run or sent');
    case 'edits':
      return vscode.l10n.t(
        'Files of the workspace are changed without a question; you are asked about everything else',
      );
    case 'auto':
      return vscode.l10n.t('Only your hooks decide; without hooks, everything runs');
    case 'plan':
      return vscode.l10n.t('The agent only reads, and presents a plan that you approve, edit or send back');
  }
}
