import * as vscode from 'vscode';
import { messageOf } from '../base/errors';
import { literalMessage } from './message-text';

/** Shows the user why something that they asked for did not work. Never throws. */
export function showFailure(error: unknown): void {
  void vscode.window.showErrorMessage(literalMessage(messageOf(error)));
}
