import * as vscode from 'vscode';
import { messageOf } from '../base/errors';
import { ANSWER_SCHEME, DISK_SCHEME, PROPOSAL_SCHEME, TEXT_SCHEME, WRITE_SCHEME, WRITE_VIEW_SCHEME } from './ids';

/** Schemes of texts that are only in the memory of a window. */
const OWN_SCHEMES: ReadonlySet<string> = new Set([
  ...[ANSWER_SCHEME, PROPOSAL_SCHEME, WRITE_SCHEME, WRITE_VIEW_SCHEME, DISK_SCHEME, TEXT_SCHEME],
]);

/**
 * Closes the tabs that VS Code restored from an earlier window and whose texts ended with it: questions, proposals, earlier texts of
 * files. A file with unsaved changes that such a tab compares stays open in a tab of its own. To be called before a tab is opened.
 * Rejects at the end if some of them could not be closed.
 */
export async function closeLeftOverTabs(): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => urisOf(input).some(({ scheme }) => OWN_SCHEMES.has(scheme)));
  const errors: unknown[] = [];
  for (const tab of tabs) {
    try {
      if (tab.isDirty) await keepUnsaved(tab);
      await vscode.window.tabGroups.close(tab, true);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join('; '));
}

async function keepUnsaved({ input, group: { viewColumn } }: vscode.Tab): Promise<void> {
  for (const uri of urisOf(input)) {
    const isUnsaved = vscode.workspace.textDocuments.some(
      document => document.isDirty && document.uri.toString() === uri.toString(),
    );
    if (!isUnsaved || OWN_SCHEMES.has(uri.scheme)) continue;
    await vscode.window.showTextDocument(uri, { viewColumn, preview: false, preserveFocus: true });
  }
}

/** The texts of a tab. */
function urisOf(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputText) return [input.uri];
  if (input instanceof vscode.TabInputTextDiff) return [input.original, input.modified];
  return diffsIn(input).flatMap(urisOf);
}

/** The diffs of a tab with several; VS Code's types do not have it yet. */
function diffsIn(input: unknown): readonly unknown[] {
  const { textDiffs } = (input ?? {}) as { readonly textDiffs?: unknown };
  return Array.isArray(textDiffs) ? (textDiffs as unknown[]) : [];
}
