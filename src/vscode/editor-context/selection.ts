import * as vscode from 'vscode';
import { agentPath } from './agent-path';

/** A selected text and its place. Lines are 1-based, and `last` is included. */
export interface SelectedText {
  readonly uri: vscode.Uri;
  readonly language: string;
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** The selection in the active editor; undefined when nothing is selected. */
export function selectedText(editor = vscode.window.activeTextEditor): SelectedText | undefined {
  const { document, selection } = editor ?? {};
  if (document === undefined || selection === undefined || selection.isEmpty) return undefined;
  // A selection that ends at the start of a line does not include that line.
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

/** The place of a selection, such as `src/a.ts:3-8`, as seen from the folder that the agent works in. */
export function placeOf(selected: SelectedText, folder: string | undefined): string {
  return `${agentPath(selected.uri, folder)}:${lineSpan(selected)}`;
}

/** The lines of a selection, such as `3-8`, or `3` for one line. */
export function lineSpan({ first, last }: SelectedText): string {
  return first === last ? `${first}` : `${first}-${last}`;
}
