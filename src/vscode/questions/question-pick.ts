import * as vscode from 'vscode';
import type { Question } from '../../conversation/questions/dialogs';
import { safeAnswer, STRAY_TYPING_MS } from '../../protocol/safe-answer';
import { showFailure } from '../show-failure';
import type { OpenPrompt, PromptEvents, TypedText } from './open-prompt';
import { optionText, questionText, type QuestionText } from './question-text';

/** Callbacks of the input box for the message of a denial. */
export interface DenialEvents extends Pick<PromptEvents, 'hidden'> {
  /** The user wants to return to the question. */
  readonly back: () => void;
}

type Item = vscode.QuickPickItem & {
  readonly answer?: string | boolean;
  readonly showAll?: true;
  readonly denies?: true;
};

/**
 * Shows a `select` or `confirm` question as a quick pick. An Enter that the user meant for something else must not allow
 * anything: the pick starts on the safe answer, or on no item when none is safe, and ignores keys for a moment. It stays
 * open when it loses the focus. The user can also type an answer.
 */
export function pickPrompt(question: Question, events: PromptEvents): OpenPrompt {
  const text = questionText(question);
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = headingOf(question, text);
  pick.placeholder = text.line;
  pick.ignoreFocusOut = true;
  pick.buttons = [cancelButton()];
  pick.items = itemsFor(question, text);
  const safe = safeAnswer(question.dialog);
  const start = pick.items.filter(({ answer }) => answer !== undefined && answer === safe).slice(0, 1);
  pick.activeItems = start;
  const isFirstMoment = firstMoment();
  pick.onDidChangeActive(([active]) => {
    if (isFirstMoment() && active !== start[0]) pick.activeItems = start;
  });
  pick.onDidChangeValue(() => {
    if (isFirstMoment()) pick.value = '';
    pick.activeItems = pick.value === '' ? start : answersNamed(pick.value, pick.items);
  });
  pick.onDidAccept(() => {
    if (isFirstMoment()) return;
    const [chosen] = pick.selectedItems;
    // The pick would cover the text. It comes back from the notification that the question waits, or from the chat.
    if (chosen?.showAll === true) events.showAll(text).then(() => pick.hide(), showFailure);
    else if (chosen?.denies === true) events.denies();
    else if (chosen?.answer !== undefined) events.answered(chosen.answer);
  });
  pick.onDidTriggerButton(events.dismissed);
  pick.onDidHide(events.hidden);
  pick.show();
  return pick;
}

/** Shows an `input` question as an input box. It ignores Enter for a moment, as the user may have meant it for something else. */
export function inputPrompt(
  question: Question,
  placeholder: string,
  kept: TypedText,
  events: PromptEvents,
): OpenPrompt {
  const text = questionText(question);
  const box = textBox(kept);
  box.title = headingOf(question, text);
  box.prompt = text.line;
  box.placeholder = placeholder;
  box.buttons = text.clipped ? [showAllButton(text), cancelButton()] : [cancelButton()];
  const isFirstMoment = firstMoment();
  box.onDidAccept(() => {
    if (!isFirstMoment()) events.answered(box.value);
  });
  box.onDidTriggerButton(button => {
    if (button.tooltip === showAllLabel(text)) events.showAll(text).catch(showFailure);
    else events.dismissed();
  });
  box.onDidHide(events.hidden);
  box.show();
  return box;
}

/** Shows an input box for the message that the model gets with a denial. Escape and the back button return to the question. */
export function denialPrompt(
  question: Question,
  kept: TypedText,
  deny: (message: string) => void,
  events: DenialEvents,
): OpenPrompt {
  const box = textBox(kept);
  box.title = headingOf(question);
  box.prompt = vscode.l10n.t('Message to the model');
  box.placeholder = vscode.l10n.t('Why not, or what to do instead');
  box.buttons = [vscode.QuickInputButtons.Back];
  box.onDidAccept(() => deny(box.value));
  box.onDidTriggerButton(events.back);
  box.onDidHide(events.hidden);
  box.show();
  return box;
}

function textBox(kept: TypedText): vscode.InputBox {
  const box = vscode.window.createInputBox();
  box.ignoreFocusOut = true;
  box.value = kept.typed;
  box.onDidChangeValue(value => {
    kept.typed = value;
  });
  return box;
}

/** Says which hook asks about what, such as `permission-gate.ts asks about bash: rm -rf build`. */
export function headingOf(question: Question, text: QuestionText = questionText(question)): string {
  const { hook, conversation } = question;
  const asks =
    text.about === ''
      ? vscode.l10n.t('{0} asks', hook.name)
      : vscode.l10n.t('{0} asks about {1}', hook.name, text.about);
  return conversation === undefined ? asks : vscode.l10n.t('{0} (in “{1}”)', asks, conversation);
}

/**
 * The answer that the user typed: in full, or a beginning of at least three characters. Empty for a shorter text and for
 * one that matches several answers.
 */
function answersNamed(typed: string, items: readonly Item[]): readonly Item[] {
  const text = typed.trim().toLowerCase();
  const answers = items.filter(({ answer }) => answer !== undefined);
  const whole = answers.filter(({ label }) => label.toLowerCase() === text);
  const begun = text.length < 3 ? [] : answers.filter(({ label }) => label.toLowerCase().startsWith(text));
  const named = whole.length > 0 ? whole : begun;
  return named.length === 1 ? named : [];
}

/** Returns a function that says whether keys may still be meant for what had the focus before. */
function firstMoment(): () => boolean {
  const shownAt = Date.now();
  return () => Date.now() - shownAt < STRAY_TYPING_MS;
}

function itemsFor(question: Question, text: QuestionText): Item[] {
  const deny = { label: `$(comment) ${vscode.l10n.t('Deny with message…')}`, alwaysShow: true, denies: true } as const;
  const showAll = { label: `$(eye) ${showAllLabel(text)}`, alwaysShow: true, showAll: true } as const;
  const more = [...(question.canDeny === true ? [deny] : []), ...(text.clipped ? [showAll] : [])];
  if (more.length === 0) return answersOf(question);
  return [...answersOf(question), { label: '', kind: vscode.QuickPickItemKind.Separator }, ...more];
}

function answersOf(question: Question): Item[] {
  if (question.dialog.type === 'select') {
    return question.dialog.options.map(option => ({ ...optionText(option), answer: option }));
  }
  return [
    { label: vscode.l10n.t('Yes'), answer: true },
    { label: vscode.l10n.t('No'), answer: false },
  ];
}

function showAllLabel({ hasDiff }: QuestionText): string {
  return hasDiff ? vscode.l10n.t('Show the change in an editor') : vscode.l10n.t('Show the full question');
}

function showAllButton(text: QuestionText): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon('eye'), tooltip: showAllLabel(text) };
}

function cancelButton(): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon('close'), tooltip: vscode.l10n.t('Cancel this question (Escape)') };
}
