import * as vscode from 'vscode';
import type { Log } from '../base/log';

/** The "Hookline" output channel as a {@link Log}. `show` brings it to the front without taking the focus. */
export class ChannelLog implements Log, vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Hookline', { log: true });

  debug(message: string): void {
    this.channel.debug(message);
  }

  info(message: string): void {
    this.channel.info(message);
  }

  warn(message: string): void {
    this.channel.warn(message);
  }

  error(message: string, error?: unknown): void {
    if (error === undefined) this.channel.error(message);
    else this.channel.error(message, error);
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
