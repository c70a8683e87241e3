import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { unicodeText } from '../../agent/tools/files/text-encoding';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import { DISK_SCHEME } from '../ids';
import { toVsCodeEvent } from '../questions/vscode-event';

/** The texts of files as they are on disk, without unsaved changes of editors. They follow the disk while they are watched. */
export class DiskTexts implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<vscode.Uri>());
  readonly onDidChange = toVsCodeEvent(this.changeEmitter.event);

  constructor() {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(DISK_SCHEME, this));
  }

  /** The URI of the text of a file, whose absolute path is given. */
  static uriOf(path: string): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme: DISK_SCHEME });
  }

  /** Updates the text of a file when the file changes, and calls `changed` then, until the result is disposed. */
  watch(path: string, changed: () => void): Disposable {
    const pattern = new vscode.RelativePattern(vscode.Uri.file(dirname(path)), basename(path));
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const update = (): void => {
      this.update(path);
      changed();
    };
    watcher.onDidChange(update);
    watcher.onDidCreate(update);
    watcher.onDidDelete(update);
    return watcher;
  }

  /** Reads the file again. */
  update(path: string): void {
    this.changeEmitter.fire(DiskTexts.uriOf(path));
  }

  /** Empty for a file that is missing or no text. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      const bytes = await vscode.workspace.fs.readFile(uri.with({ scheme: 'file' }));
      return (unicodeText(Buffer.from(bytes)) ?? '').replace(/^\ufeff/, '');
    } catch {
      return ''; // It was deleted; what the call makes then is the whole text.
    }
  }

  dispose(): void {
    this.store.dispose();
  }
}
