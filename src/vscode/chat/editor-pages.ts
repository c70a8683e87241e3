import * as vscode from 'vscode';
import type { EditorTarget } from '../../conversation/editor-port';
import { EXTENSION_ID, type CommandId } from '../ids';

/** Files that pages show, absolute. */
export interface PageFiles {
  readonly changelog: string;
}

/** Leads to a page of VS Code, or runs the command that does. */
export async function showPage(page: EditorTarget, files: PageFiles, run: (command: CommandId) => void): Promise<void> {
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
      run('hookline.chooseScopedModels');
      return;
    case 'trust':
      run('hookline.decideTrust');
      return;
    case 'thinking':
      run('hookline.chooseThinkingLevel');
      return;
    case 'closeConversation':
      run('hookline.closeConversation');
      return;
  }
}
