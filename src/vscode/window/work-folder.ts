import * as vscode from 'vscode';

/** In what VS Code keeps about the workspace. */
const CHOSEN = 'hookline.folder';

/**
 * The folder that tools, hooks and sessions of a window belong to: of several the one that the user chose, else the
 * first. Undefined when none is open that is on a disk.
 */
export function workFolder(memory: Pick<vscode.Memento, 'get'>): vscode.WorkspaceFolder | undefined {
  const folders = foldersOnDisk();
  return folders.find(({ uri }) => uri.toString() === memory.get(CHOSEN)) ?? folders[0];
}

/** Names of the folders of this workspace that Hookline does not work in. */
export function otherFolders(memory: Pick<vscode.Memento, 'get'>): readonly string[] {
  const own = workFolder(memory);
  return (vscode.workspace.workspaceFolders ?? []).flatMap(folder => (folder === own ? [] : folder.name));
}

/** Asks which of several folders Hookline shall work in; it does so when the window is loaded again, which is offered. */
export async function chooseFolder(memory: vscode.Memento): Promise<void> {
  const own = workFolder(memory);
  const items = foldersOnDisk().map(folder => ({
    label: folder.name,
    description: folder === own ? vscode.l10n.t('in use') : '',
    folder,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which folder do you want Hookline to work in?'),
    placeHolder: vscode.l10n.t('Tools, hooks and sessions belong to one folder of the workspace'),
  });
  if (chosen === undefined || chosen.folder === own) return;
  await memory.update(CHOSEN, chosen.folder.uri.toString());
  const reload = vscode.l10n.t('Reload Window');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Hookline works in {0} once the window is reloaded.', chosen.folder.name),
    reload,
  );
  if (answer === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

function foldersOnDisk(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
