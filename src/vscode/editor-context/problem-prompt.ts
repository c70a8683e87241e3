import * as vscode from 'vscode';
import { problemLine } from './problems';

/** Lines of code shown before and after the problem. */
const AROUND = 5;
/** Longest line of code that is sent, in UTF-16 code units. */
const LONGEST_LINE = 400;

/** What is wanted of a problem. */
export type ProblemWish = 'explain' | 'fix';

/** The prompt about a problem: where, what, and the code around it with its line numbers. */
export function problemPrompt(wish: ProblemWish, document: vscode.TextDocument, problem: vscode.Diagnostic): string {
  const { range } = problem;
  const path = vscode.workspace.asRelativePath(document.uri);
  const first = Math.max(0, range.start.line - AROUND);
  const last = Math.min(document.lineCount - 1, range.end.line + AROUND);
  const lines: string[] = [];
  for (let line = first; line <= last; line += 1) {
    const text = document.lineAt(line).text.slice(0, LONGEST_LINE);
    lines.push(`${String(line + 1).padStart(String(last + 1).length)} ${text}`);
  }
  // For the model, so in English whatever the language of the editor.
  const task =
    wish === 'fix'
      ? `Fix this problem in ${path} at line ${range.start.line + 1}. Change as little as needed.`
      : `Explain this problem in ${path} at line ${range.start.line + 1}, and how it could be solved. Change nothing.`;
  const more = document.isDirty ? '\n\nThe file has changes that are not saved yet.' : '';
  // What others wrote stands in fences: edited and sent anew, no `@` in it names a file then either.
  const said = fenced(problemLine(document.uri, problem), 'text');
  return `${task}\n\n${said}\n\n${fenced(lines.join('\n'), document.languageId)}${more}`;
}

/** A fence longer than any inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
