import * as vscode from 'vscode';
import type { GuardGate } from '../../guard/protocol/agent-call';
import { modeDetail, modeName } from '../pickers/approval-mode-picker';

/** The name of a mode of the built-in gate for an agent. */
export function gateName(gate: GuardGate): string {
  return gate === 'off' ? vscode.l10n.t('Off') : modeName(gate);
}

/** What a mode of the built-in gate means for an agent. */
export function gateDetail(gate: GuardGate): string {
  if (gate === 'off') return vscode.l10n.t('Your hooks decide, and then the approvals of the agent itself');
  if (gate === 'auto') return vscode.l10n.t('Only your hooks decide; the hook log says so for each call');
  return modeDetail(gate);
}
