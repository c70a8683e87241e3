import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { UnfinishedWrite, UnfinishedWrites } from '../../agent/tools/files/writing/unfinished-writes';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { shownPath } from '../../base/files/shown-path';
import { decodedText } from '../../agent/changes/file-texts';
import type { TextDocuments } from '../text-documents';

export interface UnfinishedWriteReviewParts {
  readonly writes: Pick<UnfinishedWrites, 'list' | 'refresh' | 'putBack' | 'keep'>;
  readonly texts: TextDocuments;
  /** Absolute. */
  readonly cwd: string;
  readonly log: Log;
}

/** Shows each file whose writing ended with a process, and asks what it is to hold. Ends when the user decides nothing. */
export async function reviewUnfinishedWrites({ writes, texts, cwd, log }: UnfinishedWriteReviewParts): Promise<void> {
  await writes.refresh();
  const { list } = writes;
  if (list.length === 0) void vscode.window.showInformationMessage(vscode.l10n.t('No file was left unfinished.'));
  for (const write of list) {
    const name = shownPath(write.path, cwd);
    await showContents(write, texts);
    const [putBack, keep] = [vscode.l10n.t('Put Back'), vscode.l10n.t('Keep')];
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Put back what {0} held before?', name),
      { modal: true, detail: detailOf(write) },
      putBack,
      keep,
    );
    if (answer === undefined) return;
    try {
      if (answer === keep) await writes.keep(write);
      else if (!(await writes.putBack(write))) {
        void vscode.window.showWarningMessage(
          vscode.l10n.t('{0} changed again in the meantime, and was not put back.', name),
        );
      }
    } catch (error) {
      log.error(`${write.path} could not be put back`, error);
      void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be put back: {1}', name, messageOf(error)));
    }
  }
}

function detailOf({ isChanged }: UnfinishedWrite): string {
  const what = isChanged
    ? vscode.l10n.t('Hookline ended while it wrote this file, and the file was changed or removed since.')
    : vscode.l10n.t('Hookline ended while it wrote this file, which holds only a part of the new text.');
  return `${what} ${vscode.l10n.t('Keep leaves the file as it is and forgets what it held before.')}`;
}

/** Does nothing for files that are not text. */
async function showContents({ path, before, now }: UnfinishedWrite, texts: TextDocuments): Promise<void> {
  const [from, to] = [decodedText(before), now === undefined ? '' : decodedText(now)];
  if (from === undefined || to === undefined) return;
  const name = basename(path);
  const [left, right] = [texts.add(from, name), texts.add(to, name)];
  await vscode.commands.executeCommand('vscode.diff', left, right, vscode.l10n.t('{0}: before ↔ on disk', name));
}
