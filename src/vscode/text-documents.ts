import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable';
import { TEXT_SCHEME } from './ids';

/** Read-only texts that exist only until they are closed: full questions, files as they were before an edit. */
export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registrations = new DisposableStore();

  constructor() {
    this.registrations.add(vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, this));
    this.registrations.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.query)));
  }

  /** Stores the text and returns its URI. `name` becomes the tab's title; its extension decides the language. */
  add(text: string, name: string): vscode.Uri {
    return this.addAt(text, `/${name.replaceAll('/', '∕')}`);
  }

  /** Stores an earlier text of a file. VS Code's diff of several files takes another path for a renamed file. */
  addEarlier(text: string, { path }: vscode.Uri): vscode.Uri {
    return this.addAt(text, path);
  }

  private addAt(text: string, path: string): vscode.Uri {
    const query = randomUUID(); // No tab from an earlier window gets this text.
    this.texts.set(query, text);
    return vscode.Uri.from({ scheme: TEXT_SCHEME, path, query });
  }

  /** Opens the text in a preview tab without moving the focus to it. */
  async show(text: string, name: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.add(text, name));
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.texts.get(uri.query);
  }

  dispose(): void {
    this.registrations.dispose();
    this.texts.clear();
  }
}
