import * as vscode from 'vscode';
import type { Event } from '../../base/event';

/** Whether files of the workspace may run code. In a running window, trust can be granted but not withdrawn. */
export interface TrustPort {
  readonly isTrusted: () => boolean;
  readonly onDidGrant: Event<void>;
}

/** VS Code's own workspace trust. */
export const workspaceTrust: TrustPort = {
  isTrusted: () => vscode.workspace.isTrusted,
  onDidGrant: listener => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};
