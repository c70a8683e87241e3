import { homedir } from 'node:os';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';

/** A path for lists: relative to the workspace, else relative to the home folder with `~`, else `…` and its last three parts. */
export function shortPath(path: string): string {
  const inWorkspace = vscode.workspace.asRelativePath(path, false);
  if (inWorkspace !== path) return inWorkspace;
  const inHome = relative(homedir(), path).split(sep);
  if (inHome[0] !== '..' && inHome.join(sep) !== path) return `~/${inHome.join('/')}`;
  return `…/${path.split(/[\\/]/).slice(-3).join('/')}`;
}
