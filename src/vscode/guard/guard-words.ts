import * as vscode from 'vscode';
import type { GuardGate } from '../../guard/protocol/agent-call';

/** The name of a mode of the built-in gate for an agent. */
export function gateName(gate: GuardGate): string {
  switch (gate) {
    case 'off':
      return vscode.l10n.t('Off');
    case 'ask':
      return vscode.l10n.t('Ask');
    case 'edits':
      return vscode.l10n.t('Edits');
    case 'auto':
      return vscode.l10n.t('Auto');
  }
}

/** What a mode of the built-in gate means for an agent. */
export function gateDetail(gate: GuardGate): string {
  switch (gate) {
    case 'off':
      return vscode.l10n.t('Your hooks decide, and then the approvals of the agent itself');
    case 'ask':
      return vscode.l10n.t('You are asked before anything is written, run or sent');
    case 'edits':
      return vscode.l10n.t(
        'Files of the workspace are changed without a question; you are asked about everything else',
      );
    case 'auto':
      return vscode.l10n.t('Only your hooks decide; the hook log says so for each call');
  }
}
