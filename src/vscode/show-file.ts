import * as vscode from 'vscode';

/**
 * Opens a file with the cursor at a line and column, both 1-based, and the beginning of the line in view. Rejects when
 * there is no such file.
 */
export async function showFile(
  path: string,
  { line = 1, column = 1 }: { readonly line?: number; readonly column?: number },
  options: Omit<vscode.TextDocumentShowOptions, 'selection'> = {},
): Promise<void> {
  const start = new vscode.Position(Math.max(0, line - 1), 0);
  const selection = new vscode.Range(start, start);
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { ...options, selection });
  // Unlike `selection` above, this scrolls nothing.
  const at = start.with({ character: Math.max(0, column - 1) });
  editor.selection = new vscode.Selection(at, at);
}
