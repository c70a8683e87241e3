import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';

/** Makes a cancellation token of VS Code that follows the signal until the result is disposed. */
export function tokenOf(signal: AbortSignal | undefined): Disposable & { readonly value: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => {
    source.cancel();
  };
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    value: source.token,
    dispose() {
      signal?.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}
