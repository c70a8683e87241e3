import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable';
import type { Problem } from '../base/result';
import type { HookInfo } from '../hooks/hook';

/** Load problems of hooks in VS Code's Problems panel, on the line they are about. */
export class HookDiagnostics implements Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('hookline');

  /** Shows the problems of these files and nothing else: what was fixed is gone. */
  update(hooks: readonly HookInfo[], others: readonly Problem[] = []): void {
    const byFile = new Map<string, vscode.Diagnostic[]>();
    const add = (file: string, diagnostic: vscode.Diagnostic): void => {
      byFile.set(file, [...(byFile.get(file) ?? []), diagnostic]);
    };
    for (const hook of hooks) {
      const { state } = hook;
      if (state.type !== 'stale' && state.type !== 'failed') continue;
      const consequence = consequenceOf(state);
      for (const problem of state.problems) add(problem.file ?? hook.path, diagnosticOf(problem, consequence));
    }
    for (const problem of others) {
      if (problem.file !== undefined) add(problem.file, diagnosticOf(problem, ''));
    }
    this.collection.clear();
    this.collection.set([...byFile].map(([file, diagnostics]) => [vscode.Uri.file(file), diagnostics]));
  }

  dispose(): void {
    this.collection.dispose();
  }
}

function consequenceOf(state: Extract<HookInfo['state'], { type: 'stale' | 'failed' }>): string {
  if (state.type === 'stale') return vscode.l10n.t('The last good version of this hook keeps running.');
  return state.gatesTools
    ? vscode.l10n.t('This hook guards tools and is not running.')
    : vscode.l10n.t('This hook is not running.');
}

function diagnosticOf(problem: Problem, consequence: string): vscode.Diagnostic {
  const line = Math.max(0, (problem.line ?? 1) - 1);
  const column = Math.max(0, (problem.column ?? 1) - 1);
  const message = consequence === '' ? problem.message : `${problem.message}\n${consequence}`;
  // An empty range: VS Code underlines the word that stands there.
  const diagnostic = new vscode.Diagnostic(new vscode.Range(line, column, line, column), message);
  diagnostic.source = 'Hookline';
  return diagnostic;
}
