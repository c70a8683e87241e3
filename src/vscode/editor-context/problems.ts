import * as vscode from 'vscode';
import type { SourceText } from '../../session/attachments/context-source';
import { agentPath } from './agent-path';

/** At most this many problems are sent at once. */
const MOST_PROBLEMS = 200;

const SEVERITY: Readonly<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

/** Number of errors, warnings and infos, of one file or of all. */
export function countProblems(uri?: vscode.Uri): number {
  return problemsOf(uri).length;
}

/**
 * The problems of one file or of all, worst first; undefined when there are none. Paths are as the agent needs them: from
 * `folder` on, in which it works.
 */
export function problemsText(folder: string | undefined, uri?: vscode.Uri): SourceText | undefined {
  const problems = problemsOf(uri).sort(
    (a, b) => a.found.severity - b.found.severity || a.uri.fsPath.localeCompare(b.uri.fsPath),
  );
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, MOST_PROBLEMS).map(({ uri: file, found }) => problemLine(file, found, folder));
  const more = problems.length - lines.length;
  return {
    source: uri === undefined ? 'problems' : `problems of ${agentPath(uri, folder)}`,
    text: [...lines, ...(more > 0 ? [`[${more} more]`] : [])].join('\n'),
  };
}

/** A problem as one line, such as `src/a.ts:3:7 error ts(2304): Cannot find name 'x'.` */
export function problemLine(
  uri: vscode.Uri,
  { range, severity, source, code, message }: vscode.Diagnostic,
  folder: string | undefined,
): string {
  const place = `${agentPath(uri, folder)}:${range.start.line + 1}:${range.start.character + 1}`;
  const name = codeOf(code);
  const whose = [source ?? '', name === '' ? '' : `(${name})`].join('');
  return `${place} ${SEVERITY[severity]}${whose === '' ? '' : ` ${whose}`}: ${message}`;
}

function codeOf(code: vscode.Diagnostic['code']): string {
  if (code === undefined) return '';
  return typeof code === 'object' ? String(code.value) : String(code);
}

function problemsOf(wanted: vscode.Uri | undefined): { readonly uri: vscode.Uri; readonly found: vscode.Diagnostic }[] {
  const all: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] =
    wanted === undefined ? vscode.languages.getDiagnostics() : [[wanted, vscode.languages.getDiagnostics(wanted)]];
  return all.flatMap(([uri, list]) =>
    list.filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint).map(found => ({ uri, found })),
  );
}
