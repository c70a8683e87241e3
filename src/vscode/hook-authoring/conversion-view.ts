import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Conversion } from '../../hook-authoring/convert/convert-hook';
import { CONVERSION_SCHEME } from '../ids';
import { DIAGNOSTIC_SOURCE } from '../hooks-view/hook-diagnostics';

/** A conversion whose diff is open. */
interface OpenConversion {
  readonly file: vscode.Uri;
  /** The document's text that was converted. */
  readonly before: string;
  readonly conversion: Conversion;
}

/**
 * Shows conversions in the diff editor and writes one only when the user accepts it. Parts that the user should check have
 * a warning in the proposed text. Closing the diff rejects the conversion.
 */
export class ConversionView implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.changeEmitter.event;
  private readonly remarks = this.store.add(vscode.languages.createDiagnosticCollection('hookline-conversion'));
  private readonly proposals = new Map<string, OpenConversion>();

  constructor() {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(CONVERSION_SCHEME, this));
    this.store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) {
          if (tab.input instanceof vscode.TabInputTextDiff) this.forget(tab.input.modified);
        }
      }),
    );
  }

  /** Opens the diff. A second conversion of the same file replaces the first. */
  async show(document: vscode.TextDocument, conversion: Conversion): Promise<void> {
    const proposed = proposedUri(document.uri);
    this.proposals.set(proposed.toString(), { file: document.uri, before: document.getText(), conversion });
    this.changeEmitter.fire(proposed);
    this.remarks.set(proposed, conversion.remarks.map(diagnosticOf));
    const looks = conversion.remarks.filter(({ severity }) => severity === 'look').length;
    const name = basename(document.fileName);
    const title =
      looks === 0
        ? vscode.l10n.t('{0}: current ↔ converted', name)
        : vscode.l10n.t('{0}: current ↔ converted, {1} to review', name, looks);
    await vscode.commands.executeCommand('vscode.diff', document.uri, proposed, title, { preview: false });
  }

  /**
   * Writes the proposal into its file, where the user can undo it, and saves the file if it had no unsaved changes. Without
   * `uri`, takes the diff in the active tab. Resolves with the file, or undefined when there is no such proposal. Rejects
   * when the file has changed since it was converted.
   */
  async accept(uri: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
    const proposed = uri ?? activeProposal();
    const proposal = proposed === undefined ? undefined : this.proposals.get(proposed.toString());
    if (proposed === undefined || proposal === undefined) return undefined;
    const document = await vscode.workspace.openTextDocument(proposal.file);
    if (document.getText() !== proposal.before) {
      const text = vscode.l10n.t('{0} changed after it was converted. Convert it again.', basename(document.fileName));
      throw new Error(text);
    }
    const wasSaved = !document.isDirty;
    const edit = new vscode.WorkspaceEdit();
    const all = new vscode.Range(document.positionAt(0), document.positionAt(proposal.before.length));
    edit.replace(document.uri, all, proposal.conversion.text);
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(vscode.l10n.t('VS Code did not apply the change.'));
    if (wasSaved) await document.save();
    await this.close(proposed);
    await vscode.window.showTextDocument(document);
    return document.uri;
  }

  /** Closes the diff and leaves the file unchanged. Without `uri`, takes the diff in the active tab. */
  async reject(uri: vscode.Uri | undefined): Promise<void> {
    const proposed = uri ?? activeProposal();
    if (proposed !== undefined) await this.close(proposed);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.proposals.get(uri.toString())?.conversion.text;
  }

  dispose(): void {
    this.store.dispose();
    this.proposals.clear();
  }

  private async close(proposed: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === proposed.toString(),
      );
    await vscode.window.tabGroups.close(tabs);
    this.forget(proposed);
  }

  private forget(proposed: vscode.Uri): void {
    this.proposals.delete(proposed.toString());
    this.remarks.delete(proposed);
  }
}

/** The URI of a proposal has the path of its file, because VS Code takes the tab's title and the language from it. */
function proposedUri(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: CONVERSION_SCHEME, path: file.path });
}

function activeProposal(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === CONVERSION_SCHEME
    ? input.modified
    : undefined;
}

function diagnosticOf({ message, line, column, severity }: Conversion['remarks'][number]): vscode.Diagnostic {
  const at = new vscode.Position(line - 1, column - 1);
  const level = severity === 'look' ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Information;
  const diagnostic = new vscode.Diagnostic(new vscode.Range(at, at), message, level);
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = 'conversion';
  return diagnostic;
}
