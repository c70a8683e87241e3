import * as vscode from 'vscode';
import type { EditorTarget } from '../../chat/editor/editor-port';
import { EXTENSION_ID, type CommandId } from '../ids';

/** Absolute paths of files that pages show. */
export interface PageFiles {
  readonly changelog: string;
}

/** Opens a page of VS Code, or runs the command of Hookline that shows it. */
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
