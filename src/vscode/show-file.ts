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
  const at = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  const selection = new vscode.Range(at, at);
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { ...options, selection });
  editor.revealRange(new vscode.Range(at.with({ character: 0 }), at.with({ character: 0 })));
}
