import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ProjectTrust } from '../../startup/trust/project-trust';
import { canonical, TrustFile, type SavedTrust } from '../../agent/settings/trust-file';
import { literalMessage } from '../message-text';

export interface TrustPickParts {
  /** Absolute path of the open folder. */
  readonly folder: string;
  readonly agentDir: string;
  readonly trust: Pick<ProjectTrust, 'current'>;
  /** Called after a decision is saved; resolves when it is in effect. */
  readonly decided: () => Promise<void>;
}

type TrustItem = vscode.QuickPickItem & {
  readonly decisions?: Parameters<TrustFile['change']>[0];
  readonly isEditor?: true;
};

/**
 * Shows the decision about trust in the folder and saves a new one in trust.json, which pi reads too. One row opens VS
 * Code's own workspace trust; the stricter of both decisions applies. Rejects when trust.json cannot be read or written.
 */
export async function pickTrust(parts: TrustPickParts): Promise<void> {
  const file = new TrustFile(parts.agentDir);
  const folder = await canonical(parts.folder);
  const saved = await file.nearest(folder);
  const items = itemsFor(folder, saved);
  const pick = vscode.window.createQuickPick<TrustItem>();
  pick.title = vscode.l10n.t('Trust in {0}', basename(folder));
  pick.placeholder = `${savedText(folder, saved)} · ${currentText(parts.trust)}`;
  pick.items = items;
  const active = items.find(({ label }) => label.startsWith('$(check)'));
  if (active !== undefined) pick.activeItems = [active];
  const chosen = await new Promise<TrustItem | undefined>(resolve => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  }).finally(() => pick.dispose());
  if (chosen?.isEditor === true) await vscode.commands.executeCommand('workbench.trust.manage');
  if (chosen?.decisions === undefined) return;
  await file.change(chosen.decisions);
  await parts.decided();
  void vscode.window.showInformationMessage(literalMessage(outcomeText(basename(folder), parts.trust)));
}

function itemsFor(folder: string, saved: SavedTrust | undefined): readonly TrustItem[] {
  const parent = dirname(folder);
  const mark = (place: string, trusted: boolean): string =>
    saved?.folder === place && saved.trusted === trusted ? '$(check)' : '$(blank)';
  const items: TrustItem[] = [
    {
      label: `${mark(folder, true)} ${vscode.l10n.t('Trust')}`,
      detail: vscode.l10n.t('Load its hooks, settings and instructions in Hookline and pi'),
      decisions: [{ folder, trusted: true }],
    },
  ];
  if (parent !== folder) {
    items.push({
      label: `${mark(parent, true)} ${vscode.l10n.t('Trust the folder above')}`,
      detail: parent,
      decisions: [
        { folder: parent, trusted: true },
        { folder, trusted: undefined },
      ],
    });
  }
  items.push({
    label: `${mark(folder, false)} ${vscode.l10n.t('Do not trust')}`,
    detail: vscode.l10n.t('Its hooks, settings and instructions are not loaded, here or in pi'),
    decisions: [{ folder, trusted: false }],
  });
  if (saved !== undefined) {
    items.push({
      label: `$(blank) ${vscode.l10n.t('Forget the decision')}`,
      detail: saved.folder,
      decisions: [{ folder: saved.folder, trusted: undefined }],
    });
  }
  const isTrusted = vscode.workspace.isTrusted;
  return [
    ...items,
    { label: 'VS Code', kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(${isTrusted ? 'workspace-trusted' : 'workspace-untrusted'}) ${vscode.l10n.t('Workspace trust of VS Code…')}`,
      detail: isTrusted
        ? vscode.l10n.t('VS Code trusts this folder')
        : vscode.l10n.t('Restricted Mode: until VS Code trusts this folder, nothing of it is loaded here'),
      isEditor: true,
    },
  ];
}

function savedText(folder: string, saved: SavedTrust | undefined): string {
  if (saved === undefined) return vscode.l10n.t('No decision yet');
  const isOwn = saved.folder === folder;
  if (saved.trusted) {
    return isOwn ? vscode.l10n.t('Decided: trusted') : vscode.l10n.t('Decided: trusted, for {0}', saved.folder);
  }
  return isOwn ? vscode.l10n.t('Decided: not trusted') : vscode.l10n.t('Decided: not trusted, for {0}', saved.folder);
}

function currentText({ current }: TrustPickParts['trust']): string {
  return current.trusted ? vscode.l10n.t('now: trusted') : vscode.l10n.t('now: not trusted');
}

function outcomeText(name: string, { current }: TrustPickParts['trust']): string {
  if (current.trusted) return vscode.l10n.t('{0} is trusted.', name);
  return current.reason.by === 'editor'
    ? vscode.l10n.t("The decision is saved. {0} is still in VS Code's Restricted Mode.", name)
    : vscode.l10n.t('{0} is not trusted.', name);
}
