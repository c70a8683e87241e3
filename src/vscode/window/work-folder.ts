import * as vscode from 'vscode';

/** The key of the chosen folder in VS Code's storage for the workspace. */
const CHOSEN = 'hookline.folder';

/**
 * The folder that tools, hooks and sessions of a window belong to: the one that the user chose among several, else the
 * first. Undefined when no folder of the file system is open.
 */
export function workFolder(memory: Pick<vscode.Memento, 'get'>): vscode.WorkspaceFolder | undefined {
  const folders = foldersOnDisk();
  return folders.find(({ uri }) => uri.toString() === memory.get(CHOSEN)) ?? folders[0];
}

/** Names of the workspace's folders that Hookline does not work in. */
export function otherFolders(memory: Pick<vscode.Memento, 'get'>): readonly string[] {
  const own = workFolder(memory);
  return (vscode.workspace.workspaceFolders ?? []).flatMap(folder => (folder === own ? [] : folder.name));
}

/** Asks which folder Hookline should work in. The choice takes effect when the window is reloaded, which is offered. */
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
    vscode.l10n.t('Reload the window to use {0}.', chosen.folder.name),
    reload,
  );
  if (answer === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

function foldersOnDisk(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
