import * as vscode from 'vscode';
import { readRegularTextSync } from '../../base/files/regular-file';
import type { Disposable } from '../../base/disposable';
import type { Problem } from '../../base/result';
import type { Finding } from '../../hook-insight/findings';
import type { AgentId } from '../../guard/protocol/agent-call';
import type { HookInfo } from '../../hook-contract/hook-info';

/** The source of Hookline's diagnostics in the Problems panel. Quick fixes recognize them by it. */
export const DIAGNOSTIC_SOURCE = 'Hookline';

/** A place in a configuration that switches off the gate of another agent. */
export interface GateOff extends Required<Problem> {
  readonly agent: AgentId;
  /** As it is written there: `disableAllHooks`. */
  readonly setting: string;
  /** Of what is written there. */
  readonly length: number;
}

/** Shows problems of hooks in VS Code's Problems panel. */
export class HookDiagnostics implements Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('hookline');
  private loading: readonly Located[] = [];
  private running: readonly Located[] = [];
  private gatesOff: readonly Located[] = [];

  /** Replaces all load problems: those of these hooks, and those of `others` that name a file. */
  update(hooks: readonly HookInfo[], others: readonly Problem[] = []): void {
    const files = new Set(hooks.map(({ path }) => path));
    this.loading = [
      ...hooks.flatMap(loadProblems),
      ...others.flatMap(problem => {
        const { file } = problem;
        if (file === undefined) return [];
        const diagnostic = diagnosticOf(problem, '');
        // A problem of a listed hook that is not in its state does not keep it from running.
        if (files.has(file)) diagnostic.severity = vscode.DiagnosticSeverity.Warning;
        return [{ file, diagnostic }];
      }),
    ];
    this.show();
  }

  /** Replaces all findings about running hooks. */
  updateFindings(findings: readonly Finding[]): void {
    this.running = findings.map(finding => ({ file: finding.file, diagnostic: findingDiagnostic(finding) }));
    this.show();
  }

  /** Replaces all places that switch off the gates of other agents. */
  updateGatesOff(places: readonly GateOff[]): void {
    this.gatesOff = places.map(({ file, line, column, length, message }) => {
      const range = new vscode.Range(line - 1, column - 1, line - 1, column - 1 + length);
      const diagnostic = new vscode.Diagnostic(range, message);
      diagnostic.source = DIAGNOSTIC_SOURCE;
      diagnostic.code = 'gate-off';
      return { file, diagnostic };
    });
    this.show();
  }

  dispose(): void {
    this.collection.dispose();
  }

  private show(): void {
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const { file, diagnostic } of [...this.loading, ...this.running, ...this.gatesOff]) {
      byFile.set(file, [...(byFile.get(file) ?? []), diagnostic]);
    }
    this.collection.clear();
    this.collection.set([...byFile].map(([file, diagnostics]) => [vscode.Uri.file(file), diagnostics]));
  }
}

interface Located {
  readonly file: string;
  readonly diagnostic: vscode.Diagnostic;
}

function loadProblems(hook: HookInfo): readonly Located[] {
  const { state } = hook;
  if (!('problems' in state)) return [];
  const consequence = consequenceOf(state);
  return state.problems.map(problem => ({
    file: problem.file ?? hook.path,
    diagnostic: diagnosticOf(problem, consequence),
  }));
}

function consequenceOf(state: Extract<HookInfo['state'], { type: 'stale' | 'failed' | 'stopped' }>): string {
  if (state.type === 'stale') return vscode.l10n.t('The last good version of this hook keeps running.');
  if (state.type === 'stopped' && state.gatesTools) {
    return vscode.l10n.t('This hook guards tools. Their calls are blocked until you run it again or change it.');
  }
  return state.gatesTools
    ? vscode.l10n.t('This hook guards tools and is not running.')
    : vscode.l10n.t('This hook is not running.');
}

function diagnosticOf(problem: Problem, consequence: string): vscode.Diagnostic {
  const line = Math.max(0, (problem.line ?? 1) - 1);
  const column = Math.max(0, (problem.column ?? 1) - 1);
  const message = consequence === '' ? problem.message : `${problem.message}\n${consequence}`;
  // For an empty range, VS Code underlines the word at that position.
  const diagnostic = new vscode.Diagnostic(new vscode.Range(line, column, line, column), message);
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = 'load';
  return diagnostic;
}

const SEVERITIES: { readonly [S in Finding['severity']]: vscode.DiagnosticSeverity } = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

function findingDiagnostic(finding: Finding): vscode.Diagnostic {
  const times = finding.count > 1 ? ` ${vscode.l10n.t('({0} times)', finding.count)}` : '';
  const diagnostic = new vscode.Diagnostic(
    rangeOf(finding),
    `${finding.message}${times}`,
    SEVERITIES[finding.severity],
  );
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = finding.code;
  if (finding.code === 'deprecated') diagnostic.tags = [vscode.DiagnosticTag.Deprecated];
  return diagnostic;
}

/** The range of the finding's word, else of its column, else of the text in its line. */
function rangeOf({ file, line, column, word }: Finding): vscode.Range {
  const text = lineOf(file, line);
  const at = word === undefined || word === '' ? -1 : text.indexOf(word);
  if (word !== undefined && at >= 0) return new vscode.Range(line - 1, at, line - 1, at + word.length);
  if (column !== undefined) return new vscode.Range(line - 1, column - 1, line - 1, column - 1);
  return new vscode.Range(line - 1, text.length - text.trimStart().length, line - 1, text.length);
}

/** A line (1-based) of the file on disk, without unsaved changes; empty when the file cannot be read. */
function lineOf(file: string, line: number): string {
  try {
    return readRegularTextSync(file).split(/\r?\n/)[line - 1] ?? '';
  } catch {
    return ''; // The file was removed. The finding stays on its line until the hooks are read again.
  }
}
