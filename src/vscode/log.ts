import * as vscode from 'vscode';
import { messageOf } from '../base/errors';
import type { Log } from '../base/log';
import { hideSecrets } from '../base/text/redact';

/** A {@link Log} that writes to the "Hookline" output channel without secrets. `show` opens it and does not move the focus. */
export class ChannelLog implements Log, vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Hookline', { log: true });

  debug(message: string): void {
    this.channel.debug(hideSecrets(message));
  }

  info(message: string): void {
    this.channel.info(hideSecrets(message));
  }

  warn(message: string): void {
    this.channel.warn(hideSecrets(message));
  }

  error(message: string, error?: unknown): void {
    const text = hideSecrets(message);
    if (error === undefined) this.channel.error(text);
    else this.channel.error(text, hideSecrets((error instanceof Error && error.stack) || messageOf(error)));
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
