import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { workspaceHash } from '../palette/companion-manifest';
import type { WindowUi } from './window-ui';

/** The name of the folder if the workspace has others. */
export function folderAmongOthers(folder: string | undefined): string | undefined {
  const isOnlyOne = (vscode.workspace.workspaceFolders ?? []).length < 2;
  return folder === undefined || isOnlyOne ? undefined : basename(folder);
}

/** The storage folder for the open folder; in a workspace with several folders, each has its own. */
export function folderStorage({ workspaceStorageDir }: WindowUi, folder: string | undefined): string | undefined {
  const isOnlyOne = (vscode.workspace.workspaceFolders ?? []).length < 2;
  if (workspaceStorageDir === undefined || folder === undefined || isOnlyOne) return workspaceStorageDir;
  return join(workspaceStorageDir, 'folders', workspaceHash(folder));
}

/** The folder for the open conversations of the window; undefined where VS Code has no storage for it. */
export function memoryDir(ui: WindowUi, folder: string | undefined): string | undefined {
  const storage = folderStorage(ui, folder);
  return storage === undefined ? undefined : join(storage, 'conversations');
}
