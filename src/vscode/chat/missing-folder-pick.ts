import * as vscode from 'vscode';
import type { GoOn, MissingFolder } from '../../session/ports/ports';

type GoOnItem = vscode.QuickPickItem & { readonly goOn?: GoOn };

/**
 * Asks how to continue a session whose folder no longer exists. The pick starts on Cancel, so that an accidental Enter
 * decides nothing, and stays open when it loses the focus. Undefined when the user cancels.
 */
export async function pickGoOn({ folder, here }: MissingFolder): Promise<GoOn | undefined> {
  const cancel: GoOnItem = {
    label: vscode.l10n.t('Cancel'),
    detail: vscode.l10n.t('Do nothing'),
  };
  const pick = vscode.window.createQuickPick<GoOnItem>();
  pick.title = vscode.l10n.t('The folder of this session does not exist any more: {0}', folder);
  pick.placeholder = vscode.l10n.t('How do you want to continue this session?');
  pick.ignoreFocusOut = true;
  pick.items = [
    {
      label: vscode.l10n.t('Continue here'),
      detail: vscode.l10n.t('Use {0} this time', here),
      goOn: 'here',
    },
    {
      label: vscode.l10n.t('Fork'),
      detail: vscode.l10n.t('A new session in {0}; this one stays as it is', here),
      goOn: 'fork',
    },
    cancel,
  ];
  pick.activeItems = [cancel];
  try {
    return await new Promise(resolve => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.goOn));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
