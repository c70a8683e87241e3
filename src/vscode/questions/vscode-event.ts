import * as vscode from 'vscode';
import type { Event } from '../../base/event';

/** Converts an event of Hookline to the type that providers of VS Code need. */
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
