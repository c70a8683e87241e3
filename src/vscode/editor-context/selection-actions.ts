import * as vscode from 'vscode';
import { fenced } from '../../base/text/fenced';
import { cutText } from '../../session/attachments/attached-files';
import type { ChatTarget } from './chat-target';
import { problemLine } from './problems';
import { Selections } from './selection';

/** Most problems of a selection that are sent. */
const MOST_PROBLEMS = 50;

/** What the agent should do with selected code. */
export type SelectionRequest = 'explain' | 'fix' | 'writeTests';

/** The model reads these texts, so they are in English in every language of VS Code. */
const TASKS: Readonly<Record<SelectionRequest, string>> = {
  explain: 'Explain the selected code: what it does and why. Change nothing.',
  fix: 'Fix the selected code. Change as little as needed.',
  writeTests: 'Write tests for the selected code, in the way in which this project has its tests.',
};

/**
 * Asks the agent about what is selected in the active editor, which goes along with the prompt; *Fix* names the problems in it.
 * `folder`: absolute path of the folder that the agent works in.
 */
export async function askAboutSelection(
  request: SelectionRequest,
  { chat, folder }: { readonly chat: Pick<ChatTarget, 'ask'>; readonly folder: string | undefined },
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selections = editor === undefined ? undefined : Selections.in(editor);
  if (editor === undefined || selections === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select something in an editor first.'));
    return;
  }
  const problems = request === 'fix' ? problemsIn(editor, folder) : '';
  await chat.ask(`${TASKS[request]}${problems}`, [cutText(selections.toText(folder))]);
}

function problemsIn({ document, selections }: vscode.TextEditor, folder: string | undefined): string {
  const found = vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ range }) => selections.some(selection => !selection.isEmpty && selection.intersection(range)));
  if (found.length === 0) return '';
  const lines = found.slice(0, MOST_PROBLEMS).map(problem => problemLine(document.uri, problem, folder));
  const more = found.length > lines.length ? [`[${found.length - lines.length} more]`] : [];
  return `\n\nThe editor reports:\n\n${fenced([...lines, ...more].join('\n'), 'text')}`;
}
