import * as vscode from 'vscode';
import type { Event } from '../../base/event';

/** Whether files of the workspace may run code; trust is given at most once and never taken back in a window. */
export interface TrustPort {
  readonly isTrusted: () => boolean;
  readonly onDidGrant: Event<void>;
}

/** Workspace trust as VS Code tells it. */
export const workspaceTrust: TrustPort = {
  isTrusted: () => vscode.workspace.isTrusted,
  onDidGrant: listener => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};
