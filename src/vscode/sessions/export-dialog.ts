import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionStore } from '../../agent/session/store';
import type { ExportFormat } from '../../export/write-export';
import type { ExportScope } from '../../export/exported-session';
import { showFailure } from '../show-failure';

const FILTERS: { readonly [F in ExportFormat]: Record<string, string[]> } = {
  html: { HTML: ['html'] },
  markdown: { Markdown: ['md'] },
  jsonl: { JSONL: ['jsonl'] },
};

type FormatItem = vscode.QuickPickItem & { readonly format: ExportFormat; readonly scope: ExportScope };

/** Asks for a format and a file, and exports the session. Does nothing when the user cancels. Rejects when it cannot be written. */
export async function exportWithDialog(store: SessionStore, folder: string | undefined): Promise<void> {
  if (!store.getNodes().some(({ type }) => type === 'message')) {
    throw new Error(vscode.l10n.t('There is nothing to export yet.'));
  }
  const chosen = await vscode.window.showQuickPick(formats(), {
    title: vscode.l10n.t('Export Session'),
    placeHolder: vscode.l10n.t('What do you want to export?'),
  });
  if (chosen === undefined) return;
  const { exportName, writeExport } = await import('../../export/write-export');
  const { format, scope } = chosen;
  const name = exportName(store, format);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Session'),
    saveLabel: vscode.l10n.t('Export'),
    filters: FILTERS[format],
    defaultUri: folder === undefined ? undefined : vscode.Uri.file(join(folder, name)),
  });
  if (target === undefined) return;
  if (target.scheme !== 'file') throw new Error(vscode.l10n.t('Sessions are exported to files only.'));
  const title = vscode.l10n.t('Exporting the session');
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const done = await vscode.window.withProgress(options, async (_progress, token) => {
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    try {
      await writeExport(store, target.fsPath, { format, scope, language: vscode.env.language, signal: abort.signal });
      return true;
    } catch (error) {
      if (abort.signal.aborted) return false;
      throw error;
    } finally {
      subscription.dispose();
    }
  });
  if (done) offer(target).catch(showFailure);
}

function formats(): readonly FormatItem[] {
  const path = vscode.l10n.t('Only the path to the current message');
  const tree = vscode.l10n.t('The current path and every other branch');
  const all = vscode.l10n.t('all branches');
  return [
    {
      label: 'HTML',
      description: vscode.l10n.t('one file, readable in any browser'),
      detail: path,
      format: 'html',
      scope: 'path',
    },
    { label: `HTML, ${all}`, detail: tree, format: 'html', scope: 'tree' },
    { label: 'Markdown', detail: path, format: 'markdown', scope: 'path' },
    { label: `Markdown, ${all}`, detail: tree, format: 'markdown', scope: 'tree' },
    {
      label: 'JSONL',
      description: vscode.l10n.t('a session file, which /import and pi read'),
      detail: path,
      format: 'jsonl',
      scope: 'path',
    },
  ];
}

async function offer(target: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const browser = vscode.l10n.t('Open in Browser');
  const isHtml = /\.html?$/i.test(target.path);
  const text = vscode.l10n.t('The session was exported to {0}.', basename(target.fsPath));
  const choices = isHtml && vscode.env.remoteName === undefined ? [browser, open] : [open];
  const chosen = await vscode.window.showInformationMessage(text, ...choices);
  if (chosen === browser) await vscode.env.openExternal(target);
  else if (chosen === open) await vscode.commands.executeCommand('vscode.open', target);
}
