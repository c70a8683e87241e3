import * as vscode from 'vscode';
import type { SourceText } from '../../conversation/composer/context-source';

/**
 * What is selected in the terminal that was used last; undefined when nothing is. VS Code gives it only through the
 * clipboard, which has its old text again afterwards (an image that was there is lost to VS Code's own limits).
 */
export async function terminalSelection(): Promise<SourceText | undefined> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return undefined;
  const before = await vscode.env.clipboard.readText();
  // A mark tells an empty selection from one that is the same as what was in the clipboard.
  const mark = `hookline:${Math.random()}`;
  await vscode.env.clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await vscode.env.clipboard.readText();
    return text === mark || text.trim() === '' ? undefined : { source: `terminal ${terminal.name}`, text };
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}
