import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { EditorPage } from '../../conversation/editor-port';
import { EXTENSION_ID, type CommandId } from '../ids';

/** Files that pages show, absolute. */
export interface PageFiles {
  /** pi's settings.json of the person, which need not exist. */
  readonly piSettings: string;
  readonly changelog: string;
}

/** Leads to a page of VS Code, or runs the command that does. */
export async function showPage(page: EditorPage, files: PageFiles, run: (command: CommandId) => void): Promise<void> {
  const open = vscode.commands.executeCommand;
  switch (page) {
    case 'settings':
      await open('workbench.action.openSettings', `@ext:${EXTENSION_ID}`);
      return;
    case 'keys':
      await open('workbench.action.openGlobalKeybindings', `@ext:${EXTENSION_ID}`);
      return;
    case 'changelog':
      await open('markdown.showPreview', vscode.Uri.file(files.changelog));
      return;
    case 'scopedModels':
      await openPiSettings(files.piSettings);
      return;
    case 'trust':
      run('hookline.manageTrust');
      return;
    case 'thinking':
      run('hookline.chooseThinkingLevel');
      return;
    case 'logOut':
      run('hookline.logOut');
      return;
    case 'closeConversation':
      run('hookline.closeConversation');
      return;
  }
}

/** Opens pi's settings file where it says `enabledModels`; one that does not exist is opened unsaved, with an empty list. */
async function openPiSettings(file: string): Promise<void> {
  const exists = existsSync(file);
  const uri = exists ? vscode.Uri.file(file) : vscode.Uri.file(file).with({ scheme: 'untitled' });
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  if (!exists && document.getText() === '') {
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), '{\n  "enabledModels": []\n}\n'));
  }
  const at = document.getText().indexOf('"enabledModels"');
  if (at < 0) return;
  const place = new vscode.Range(document.positionAt(at), document.positionAt(at));
  editor.selection = new vscode.Selection(place.start, place.end);
  editor.revealRange(place, vscode.TextEditorRevealType.InCenter);
}
