import { homedir } from 'node:os';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';

/** A path as lists show it: from the workspace, from the home folder with `~`, or its last three parts behind `…`. */
export function shortPath(path: string): string {
  const inWorkspace = vscode.workspace.asRelativePath(path, false);
  if (inWorkspace !== path) return inWorkspace;
  const inHome = relative(homedir(), path).split(sep);
  if (inHome[0] !== '..' && inHome.join(sep) !== path) return `~/${inHome.join('/')}`;
  return `…/${path.split(/[\\/]/).slice(-3).join('/')}`;
}
