import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Quiet } from '../quiet';

/** Schemes of the inputs outside of editors whose text VS Code shows to extensions: commit messages and comments. */
const INPUTS: ReadonlySet<string> = new Set(['vscode-scm', 'comment']);

/** Notes edits and cursor moves of the user in editors. */
export function watchEditors(quiet: Quiet): Disposable {
  const store = new DisposableStore();
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && isTypedInto(document)) quiet.note();
    }),
  );
  store.add(
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === vscode.window.activeTextEditor) quiet.note();
    }),
  );
  return store;
}

/** An open file that changes on disk, and a log that grows, are not typed into. */
function isTypedInto({ uri, isDirty }: vscode.TextDocument): boolean {
  if (INPUTS.has(uri.scheme)) return true;
  return isDirty && vscode.window.activeTextEditor?.document.uri.toString() === uri.toString();
}
