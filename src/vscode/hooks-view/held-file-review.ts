import { basename } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { shownPath } from '../../base/files/shown-path';
import type { HeldFile, HeldFiles } from '../../gate/held-changes/held-files';
import type { TextDocuments } from '../text-documents';

export interface HeldFileReviewParts {
  readonly files: Pick<HeldFiles, 'held' | 'approve' | 'reject'>;
  readonly texts: TextDocuments;
  /** Absolute. */
  readonly cwd: string;
  readonly log: Log;
}

/** Shows each change of a settings file that waits, and asks whether it counts. Ends when the user decides nothing. */
export async function reviewHeldFiles({ files, texts, cwd, log }: HeldFileReviewParts): Promise<void> {
  const { held } = files;
  if (held.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No change of a settings file waits for you.'));
    return;
  }
  for (const file of held) {
    const name = shownPath(file.path, cwd);
    await showChange(file, texts);
    const [accept, reject] = [vscode.l10n.t('Accept'), vscode.l10n.t('Reject')];
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Does this change of {0} count?', name),
      {
        modal: true,
        detail: vscode.l10n.t(
          'A tool, or a program that it left running, may have made it. Reject puts back what counts.',
        ),
      },
      accept,
      reject,
    );
    if (answer === undefined) return;
    try {
      if (answer === reject) await files.reject(file);
      else if (!files.approve(file)) {
        void vscode.window.showWarningMessage(
          vscode.l10n.t('{0} changed again in the meantime, and still waits.', name),
        );
      }
    } catch (error) {
      log.error(`${file.path} could not be put back`, error);
      void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be put back: {1}', name, messageOf(error)));
    }
  }
}

async function showChange({ path, approved = '', held = '' }: HeldFile, texts: TextDocuments): Promise<void> {
  const name = basename(path);
  const [before, after] = [texts.add(approved, name), texts.add(held, name)];
  await vscode.commands.executeCommand('vscode.diff', before, after, vscode.l10n.t('{0}: what counts ↔ on disk', name));
}
