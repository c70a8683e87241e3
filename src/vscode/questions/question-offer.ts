import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { Question } from '../../session/ports/dialogs';
import { commandLink, literalMessage } from '../message-text';
import { headingOf } from './question-words';

/**
 * Shows a notification that a question waits, with a link that opens it, until the result is disposed. It uses progress,
 * because VS Code can remove only such notifications. It cannot be cancelled: VS Code would make that its one prominent button.
 * The link comes first, because without a button, the notification is one line until the user opens it.
 * `id` names a question that another window may answer as well; without it, the link opens the one that waits in this window.
 */
export function offerQuestion(question: Question, id?: string): Disposable {
  const heading = vscode.l10n.t('{0}. The agent is waiting for your decision.', literalMessage(headingOf(question)));
  const answer = commandLink(vscode.l10n.t('Answer'), 'hookline.answerQuestion', id);
  let end: () => void = () => undefined;
  const over = new Promise<void>(resolve => {
    end = resolve;
  });
  const options = { location: vscode.ProgressLocation.Notification, title: `${answer} · ${heading}` };
  void vscode.window.withProgress(options, () => over);
  return toDisposable(end);
}
