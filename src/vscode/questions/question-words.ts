import * as vscode from 'vscode';
import type { Question } from '../../session/ports/dialogs';
import type { Typing } from './prompt-rules';
import { questionText, type QuestionText } from './question-text';

/**
 * Says which hook asks about what, such as `permission-gate.ts asks about bash: rm -rf build`; for a call of another agent, such
 * as `Codex asks in shop-api · permission-gate.ts · bash: rm -rf build`.
 */
export function headingOf(question: Question, text: QuestionText = questionText(question)): string {
  const { hook, conversation, guarded } = question;
  if (guarded !== undefined) {
    const asks = vscode.l10n.t('{0} asks in {1}', guarded.agent, guarded.folder);
    return [asks, hook.name, text.about].filter(part => part !== '').join(' · ');
  }
  const asks =
    text.about === ''
      ? vscode.l10n.t('{0} asks', hook.name)
      : vscode.l10n.t('{0} asks about {1}', hook.name, text.about);
  return conversation === undefined ? asks : vscode.l10n.t('{0} (in “{1}”)', asks, conversation);
}

/** The name of the button that shows all of a question that was shortened. */
export function showAllLabel({ hasDiff, isAboutWrite }: QuestionText): string {
  return hasDiff && !isAboutWrite ? showChangeLabel() : vscode.l10n.t('Show the full question');
}

/** The name of what shows the write about which a question is. */
export function showChangeLabel(): string {
  return vscode.l10n.t('Show the change in an editor');
}

/**
 * The title of a prompt: the heading. `isRefused`: a key was pressed that does not answer, and the title says which keys do.
 */
export function titleOf(question: Question, typing: Typing, isRefused: boolean): string {
  const text = questionText(question);
  const heading = headingOf(question, text);
  if (!isRefused) return heading;
  if (typing === 'text') {
    return `${heading} · ${vscode.l10n.t('To answer, empty the box, wait two seconds, and type.')}`;
  }
  const how = vscode.l10n.t('To answer, click. By keyboard: empty the box, wait two seconds, use the arrow keys.');
  // The line of the question is in the box, where it is not seen while something is typed.
  return `${heading} · ${text.line} · ${how}`;
}
