import * as vscode from 'vscode';
import type { Event } from '../../base/event';

/** Our kind of event in the shape that VS Code's providers must have. */
export function toVsCodeEvent<T>(event: Event<T>): vscode.Event<T> {
  return (listener, thisArgs, disposables) => {
    const subscription = event(value => {
      listener.call(thisArgs, value);
    });
    const disposable = new vscode.Disposable(() => subscription.dispose());
    disposables?.push(disposable);
    return disposable;
  };
}
