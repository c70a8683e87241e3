import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { toVsCodeEvent } from './vscode-event';

interface AnswerFile {
  readonly bytes: Uint8Array;
  readonly changedAt: number;
}

/**
 * Files in memory, for answers and proposals that the user edits. VS Code treats them as real files: the user can save them,
 * and closing a saved tab asks nothing. The text never reaches the disk.
 */
export class AnswerFiles implements vscode.FileSystemProvider {
  private readonly files = new Map<string, AnswerFile>();
  private readonly changeEmitter = new Emitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = toVsCodeEvent(this.changeEmitter.event);

  add(uri: vscode.Uri, text: string): void {
    this.files.set(uri.toString(), { bytes: new TextEncoder().encode(text), changedAt: Date.now() });
  }

  delete(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
    this.changeEmitter.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.find(uri);
    return { type: vscode.FileType.File, ctime: file.changedAt, mtime: file.changedAt, size: file.bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.find(uri);
    this.files.set(uri.toString(), { bytes, changedAt: Date.now() });
    this.changeEmitter.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // Only this provider changes its files, and it fires an event then.
  }

  readDirectory(): [] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private find(uri: vscode.Uri): AnswerFile {
    const file = this.files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
