import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { agentDirFrom } from '../../startup/own-folders';
import { resolveHookPath } from '../../hook-load/files/discover';
import { VsCodeSettings } from '../settings';

/** Where the hooks of a folder come from. All paths are absolute. */
export interface HookFolders {
  readonly folder: string;
  readonly agentDir: string;
  /** Hook files and folders from VS Code's settings. */
  readonly configured: readonly string[];
}

/** Absolute path of the agent folder from the settings or the environment, else `~/.pi/agent`. */
export function currentAgentDir(): string {
  const settings = new VsCodeSettings();
  try {
    return agentDirFrom(settings.value.agentDir);
  } finally {
    settings.dispose();
  }
}

/**
 * Where the hooks of the given folder come from. It does not start conversations or hooks. Undefined without a folder, or
 * when the folder is not in the file system.
 */
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
