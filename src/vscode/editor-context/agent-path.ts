import type { Uri } from 'vscode';
import { shownPath } from '../../base/files/shown-path';

/**
 * The path of a document as the agent can use it: relative to the folder that it works in (absolute), else absolute. VS
 * Code's own relative paths begin with the name of the folder in a workspace of several.
 */
export function agentPath({ fsPath }: Pick<Uri, 'fsPath'>, folder: string | undefined): string {
  return folder === undefined ? fsPath : shownPath(fsPath, folder);
}
