import * as vscode from 'vscode';
import type { ContextKeys } from './ids';

/** Sets a context key for `when` clauses of package.json. It takes effect before any UI call that follows. */
export function setContextKey<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
  void vscode.commands.executeCommand('setContext', key, value);
}
