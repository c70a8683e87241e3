import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import { renamedTo } from '../../hook-authoring/deprecated';
import { nearestEventName } from '../../hook-contract/events/event-names';
import { unreturnedAnswerFix, typeFix, type TextFix } from '../../hook-authoring/fixes';
import type { HookInfo } from '../../hook-contract/hook-info';
import { DIAGNOSTIC_SOURCE } from './hook-diagnostics';

/** Offers quick fixes in hook files: for problems that Hookline found, and to add a type to the factory's parameter. */
export class HookFixes implements vscode.CodeActionProvider, Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly infos: () => readonly HookInfo[]) {
    const selector = ['typescript', 'javascript'].map(language => ({ scheme: 'file', language }));
    this.registration = vscode.languages.registerCodeActionsProvider(selector, this, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    });
  }

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const hook = this.infos().find(info => (info.files ?? [info.path]).includes(document.uri.fsPath));
    if (hook === undefined) return [];
    const own = diagnostics.filter(({ source }) => source === DIAGNOSTIC_SOURCE);
    return [...own.flatMap(diagnostic => fixesFor(document, diagnostic)), ...typeActions(document, range, hook)];
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function fixesFor(document: vscode.TextDocument, diagnostic: vscode.Diagnostic): vscode.CodeAction[] {
  if (diagnostic.code === 'unknown-event') {
    const name = document.getText(diagnostic.range);
    const nearest = nearestEventName(name);
    if (nearest === undefined || name.includes('\n')) return [];
    const action = quickFix(vscode.l10n.t('Change to "{0}"', nearest), diagnostic);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, diagnostic.range, nearest);
    return [action];
  }
  if (diagnostic.code === 'deprecated') {
    const newer = renamedTo(document.getText(diagnostic.range));
    if (newer === undefined) return [];
    const action = quickFix(vscode.l10n.t('Change to "{0}"', newer), diagnostic);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, diagnostic.range, newer);
    return [action];
  }
  if (diagnostic.code !== 'load') return [];
  const { line } = diagnostic.range.start;
  const found = line < document.lineCount ? unreturnedAnswerFix(document.lineAt(line).text, line) : undefined;
  if (found === undefined) return [];
  const title =
    found.kind === 'return'
      ? vscode.l10n.t('Add "return" before the answer')
      : vscode.l10n.t('Put parentheses around the answer');
  const action = quickFix(title, diagnostic);
  action.edit = editOf(document.uri, [found.fix]);
  return [action];
}

function quickFix(title: string, diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  return action;
}

/** Offers to add the missing type of the factory's parameter, so that the editor knows all events and results. */
function typeActions(document: vscode.TextDocument, range: vscode.Range, hook: HookInfo): vscode.CodeAction[] {
  if (document.languageId !== 'typescript' || hook.dialect === undefined) return [];
  const found = typeFix(document.getText(), hook.dialect.id);
  if (found?.line !== range.start.line) return [];
  const action = new vscode.CodeAction(
    vscode.l10n.t('Add the type {0} and its import', found.type),
    vscode.CodeActionKind.QuickFix,
  );
  action.edit = editOf(document.uri, found.fixes);
  return [action];
}

function editOf(uri: vscode.Uri, fixes: readonly TextFix[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { line, start, end, text } of fixes) edit.replace(uri, new vscode.Range(line, start, line, end), text);
  return edit;
}
