import * as vscode from 'vscode';
import { singleLine } from '../../base/text/single-line';
import { visibleText } from '../../base/text/visible-text';
import type { SessionChanges } from '../../chat/changes/session-changes';
import type { ChangedFile } from '../../protocol/panels/changes';
import { showFailure } from '../show-failure';

type FileItem = vscode.QuickPickItem & { readonly path: string };
type TurnItem = vscode.QuickPickItem & { readonly id: string };

/** Lists the files that the agent changed. Enter opens the diff of a file; its button reverts the file. */
export async function pickChange(changes: SessionChanges | undefined): Promise<void> {
  await changes?.refresh();
  const { files = [], note } = changes?.current ?? {};
  if (changes === undefined || files.length === 0) {
    const nothing = vscode.l10n.t('The agent has changed no file in this session.');
    void vscode.window.showInformationMessage(note === undefined ? nothing : `${nothing} ${note}`);
    return;
  }
  const pick = vscode.window.createQuickPick<FileItem>();
  const revert: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('discard'),
    tooltip: vscode.l10n.t('Revert this file'),
  };
  pick.title = vscode.l10n.t('Files the agent changed in this session');
  pick.placeholder = note ?? vscode.l10n.t('Open the diff of a file');
  pick.matchOnDescription = true;
  pick.items = files.map(file => ({ ...rowOf(file), path: file.path, buttons: file.kind === 'back' ? [] : [revert] }));
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    pick.hide();
    if (chosen !== undefined) changes.open(chosen.path).catch(showFailure);
  });
  pick.onDidTriggerItemButton(({ item }) => {
    pick.hide();
    changes.revertFile(item.path).catch(showFailure);
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

/** Lets the user choose a message and restores the files to their state before it. */
export async function pickTurn(changes: SessionChanges | undefined): Promise<void> {
  const turns = changes?.turns() ?? [];
  if (changes === undefined || turns.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No message of this session led to changes of files.'));
    return;
  }
  const items = turns.map(({ id, text, files }): TurnItem => ({
    label: visibleText(singleLine(text).slice(0, 120)),
    description: files === 1 ? vscode.l10n.t('1 file changed since') : vscode.l10n.t('{0} files changed since', files),
    id,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Revert files to before…'),
    placeHolder: vscode.l10n.t('The conversation stays as it is'),
  });
  if (chosen !== undefined) await changes.revertTo(chosen.id);
}

function rowOf({ displayPath, kind, kept, added, removed, tools }: ChangedFile): vscode.QuickPickItem {
  const counts = added === undefined || removed === undefined ? '' : ` +${added} −${removed}`;
  return {
    label: `$(${ICONS[kind]}) ${displayPath}`,
    description: `${wordsOf(kind)}${counts}${kept === true ? `, ${vscode.l10n.t('kept')}` : ''}`,
    detail: tools.join(', '),
  };
}

const ICONS: { readonly [K in ChangedFile['kind']]: string } = {
  created: 'diff-added',
  changed: 'diff-modified',
  deleted: 'diff-removed',
  back: 'check',
};

function wordsOf(kind: ChangedFile['kind']): string {
  switch (kind) {
    case 'created':
      return vscode.l10n.t('created');
    case 'changed':
      return vscode.l10n.t('changed');
    case 'deleted':
      return vscode.l10n.t('deleted');
    case 'back':
      return vscode.l10n.t('as before');
  }
}
