import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { installTypings } from '../../hook-typings/install';
import { showFailure } from '../show-failure';
import { showFile } from '../show-file';

/** Which folders get the types of hooks. All paths are absolute. */
export interface TypesPlace {
  /** The folder of this copy of the extension. */
  readonly extensionDir: string;
  readonly folder: string;
  readonly agentDir: string;
}

/**
 * Writes the types of hooks into the folder, and into the agent folder if it has hooks, and tells the user the result.
 * Other editors and CI need these files; VS Code does not. Rejects when a file cannot be written.
 */
export async function installHookTypes({ extensionDir, folder, agentDir }: TypesPlace): Promise<void> {
  const { written, kept, problems } = await installTypings({
    workspace: folder,
    from: join(extensionDir, 'dist', 'typings'),
    ...(existsSync(join(agentDir, 'hooks')) || existsSync(join(agentDir, 'extensions')) ? { agentDir } : {}),
  });
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${problem.file ?? ''}: ${problem.message}`);
  for (const { file, advice } of kept) {
    const open = vscode.l10n.t('Open File');
    const text = vscode.l10n.t('{0} was not changed. {1}', vscode.workspace.asRelativePath(file), advice);
    void vscode.window.showWarningMessage(text, open).then(chosen => {
      if (chosen === open) showFile(file, {}).catch(showFailure);
    });
  }
  if (kept.length > 0) return;
  const names = written.map(file => vscode.workspace.asRelativePath(file)).join(', ');
  void vscode.window.showInformationMessage(
    written.length === 0
      ? vscode.l10n.t('Types for hooks are already installed.')
      : vscode.l10n.t('Types for hooks are installed. Files written: {0}', names),
  );
}
