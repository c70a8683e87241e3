import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { agentDirFrom } from '../../startup/live-settings';
import { resolveHookPath } from '../../hooks/host/discover';
import { VsCodeSettings } from '../settings';

/** Where the hooks of a folder come from. All paths absolute. */
export interface HookFolders {
  readonly folder: string;
  readonly agentDir: string;
  /** Further files and folders, named in VS Code's settings. */
  readonly configured: readonly string[];
}

/** Absolute path of pi's folder, as the settings or the environment name it. */
export function currentAgentDir(): string {
  const settings = new VsCodeSettings();
  try {
    return agentDirFrom(settings.value.agentDir);
  } finally {
    settings.dispose();
  }
}

/** Told without starting conversations and hooks. Undefined when the folder is on no disk, or there is none. */
export function hookPlace(given: vscode.WorkspaceFolder | undefined): HookFolders | undefined {
  if (given?.uri.scheme !== 'file') return undefined;
  const folder = given.uri.fsPath;
  const settings = new VsCodeSettings();
  try {
    const { agentDir, hooks } = settings.value;
    const configured = hooks.paths.map(path => resolveHookPath(path, folder, homedir()));
    return { folder, agentDir: agentDirFrom(agentDir), configured };
  } finally {
    settings.dispose();
  }
}
