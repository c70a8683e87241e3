import * as vscode from 'vscode';

/** A selected text and where it is. Lines are 1-based, both included. */
export interface SelectedText {
  readonly uri: vscode.Uri;
  readonly language: string;
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** What is selected in the editor that was used last; undefined when nothing is. */
export function selectedText(editor = vscode.window.activeTextEditor): SelectedText | undefined {
  const { document, selection } = editor ?? {};
  if (document === undefined || selection === undefined || selection.isEmpty) return undefined;
  // A selection that ends at the start of a line does not hold that line.
  const last =
    selection.end.character === 0 ? Math.max(selection.start.line, selection.end.line - 1) : selection.end.line;
  return {
    uri: document.uri,
    language: document.languageId,
    text: document.getText(selection),
    first: selection.start.line + 1,
    last: last + 1,
  };
}

/** `src/a.ts:3-8`, as people write it. */
export function shownPlace({ uri, first, last }: SelectedText): string {
  return `${vscode.workspace.asRelativePath(uri)}:${first === last ? first : `${first}-${last}`}`;
}
