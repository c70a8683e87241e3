import * as vscode from 'vscode';
import type { SourceText } from '../../session/attachments/context-source';

/**
 * The selected text of the active terminal; undefined when nothing is selected. VS Code offers it only through the
 * clipboard, whose text is restored afterwards. An image in the clipboard is lost, because VS Code restores only text.
 */
export async function terminalSelection(): Promise<SourceText | undefined> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return undefined;
  const before = await vscode.env.clipboard.readText();
  // With an empty selection, the clipboard keeps this mark. Any other text is the selection.
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
