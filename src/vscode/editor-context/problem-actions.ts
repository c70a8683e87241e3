import * as vscode from 'vscode';
import { clipped } from '../../base/text/clipped';
import type { Disposable } from '../../base/disposable';
import { fenced } from '../../base/text/fenced';
import type { ChatTarget } from './chat-target';
import { agentPath } from './agent-path';
import { problemLine } from './problems';

/** Lines of code shown before and after the problem. */
const AROUND = 5;
/** Longest line of code that is sent, in UTF-16 code units. */
const LONGEST_LINE = 400;

/** What the agent should do about a problem. */
type ProblemRequest = 'explain' | 'fix';

/** The prompt about a problem: its place, its message, and the code around it with line numbers. */
function problemPrompt(
  request: ProblemRequest,
  document: vscode.TextDocument,
  problem: vscode.Diagnostic,
  folder: string | undefined,
): string {
  const { range } = problem;
  const path = agentPath(document.uri, folder);
  const first = Math.max(0, range.start.line - AROUND);
  const last = Math.min(document.lineCount - 1, range.end.line + AROUND);
  const lines: string[] = [];
  for (let line = first; line <= last; line += 1) {
    const text = document.lineAt(line).text.slice(0, LONGEST_LINE);
    lines.push(`${String(line + 1).padStart(String(last + 1).length)} ${text}`);
  }
  // The model reads this text, so it is in English in every language of VS Code.
  const task =
    request === 'fix'
      ? `Fix this problem in ${path} at line ${range.start.line + 1}. Change as little as needed.`
      : `Explain this problem in ${path} at line ${range.start.line + 1}, and how it could be solved. Change nothing.`;
  const more = document.isDirty ? '\n\nThe file has changes that are not saved yet.' : '';
  // Text from other sources is in fences. When the user edits and resends the prompt, an `@` in a fence is no mention.
  const shown = fenced(problemLine(document.uri, problem, folder), 'text');
  return `${task}\n\n${shown}\n\n${fenced(lines.join('\n'), document.languageId)}${more}`;
}

/** At most this many problems at one place get quick fixes. */
const MOST_OFFERED = 3;

/** Offers quick fixes on problems in every language: the agent fixes or explains the problem. */
export class ProblemActions implements vscode.CodeActionProvider, Disposable {
  private readonly registration = vscode.languages.registerCodeActionsProvider({ pattern: '**' }, this, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics, only }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (only !== undefined && !only.contains(vscode.CodeActionKind.QuickFix)) return [];
    return diagnostics
      .filter(isProblem)
      .slice(0, MOST_OFFERED)
      .flatMap(problem => [action('fix', document, problem), action('explain', document, problem)]);
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function action(request: ProblemRequest, { uri }: vscode.TextDocument, problem: vscode.Diagnostic): vscode.CodeAction {
  const title =
    request === 'fix'
      ? vscode.l10n.t('Fix with Hookline: {0}', short(problem.message))
      : vscode.l10n.t('Explain with Hookline: {0}', short(problem.message));
  const command = request === 'fix' ? 'hookline.fixProblem' : 'hookline.explainProblem';
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.diagnostics = [problem];
  made.command = { command, title, arguments: [uri, problem] };
  return made;
}

/** Hints, such as unused names, do not count as problems. */
function isProblem({ severity }: vscode.Diagnostic): boolean {
  return severity !== vscode.DiagnosticSeverity.Hint;
}

function short(message: string): string {
  const [line = ''] = message.split('\n');
  return clipped(line, 60);
}

/**
 * Asks the agent about a problem: the given one, else the only one at the cursor or in the file, else the user chooses.
 * `folder`: absolute path of the folder that the agent works in.
 */
export async function askAboutProblem(
  request: ProblemRequest,
  { chat, folder }: { readonly chat: ChatTarget; readonly folder: string | undefined },
  uri: unknown,
  given: unknown,
): Promise<void> {
  const document =
    uri instanceof vscode.Uri ? await vscode.workspace.openTextDocument(uri) : vscode.window.activeTextEditor?.document;
  if (document === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file first.'));
    return;
  }
  const problem = given instanceof vscode.Diagnostic ? given : await chooseProblem(document.uri);
  if (problem !== undefined) await chat.ask(problemPrompt(request, document, problem, folder));
}

async function chooseProblem(uri: vscode.Uri): Promise<vscode.Diagnostic | undefined> {
  const problems = vscode.languages.getDiagnostics(uri).filter(isProblem);
  const caret = vscode.window.activeTextEditor?.selection.active;
  const here = problems.filter(({ range }) => caret !== undefined && range.contains(caret));
  const [only, ...more] = here.length > 0 ? here : problems;
  if (only === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('VS Code reports no problem in this file.'));
    return undefined;
  }
  if (more.length === 0) return only;
  const items = [only, ...more].map(problem => ({
    label: short(problem.message),
    description: vscode.l10n.t('line {0}', problem.range.start.line + 1),
    problem,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which problem?'),
  });
  return chosen?.problem;
}
