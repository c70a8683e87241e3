import * as vscode from 'vscode';
import type { Question } from '../../session/ports/dialogs';
import { safeAnswer } from '../../protocol/items/safe-answer';
import { showFailure } from '../show-failure';
import { Choosing } from './choosing';
import { escapeButton } from './escape-button';
import type { Opening, OpenPrompt, PromptEvents, TypedText } from './open-prompt';
import { typingIn } from './prompt-rules';
import { optionText, questionText, type QuestionText } from './question-text';
import { showAllLabel, showChangeLabel, titleOf } from './question-words';

type Item = vscode.QuickPickItem & {
  readonly answer?: string | boolean;
  readonly showAll?: true;
  readonly showChange?: true;
  readonly denies?: true;
};

/**
 * Shows a `select` or `confirm` question as a quick pick, which stays open when it loses the focus. Which keys choose an answer
 * depends on who asks and whether the user expects the pick: see `typingIn` and `Choosing`.
 */
export function pickPrompt(
  question: Question,
  opening: Opening & { readonly kept: TypedText },
  events: PromptEvents,
): OpenPrompt {
  const { opened, kept } = opening;
  const text = questionText(question);
  const typing = typingIn(question.asker, question.dialog.type, opened);
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = titleOf(question, typing, false);
  pick.placeholder = text.line;
  pick.ignoreFocusOut = true;
  pick.items = itemsFor(question, text, opened === 'byItself');
  pick.value = kept.typed;
  const take = (item: Item): void => {
    // The pick would cover the text. It comes back from the notification that the question waits, or from the chat.
    if (item.showAll === true) events.showAll(text).then(() => pick.hide(), showFailure);
    else if (item.showChange === true) events.showChange().then(() => pick.hide(), showFailure);
    else if (item.denies === true) events.denies();
    else if (item.answer !== undefined) events.answered(item.answer);
  };
  pick.onDidChangeValue(value => {
    kept.typed = value;
  });
  pick.onDidTriggerButton(events.escaped);
  pick.onDidHide(events.hidden);
  const start = startOf(question, pick.items);
  const prompt =
    typing === 'filter' || typing === 'text'
      ? filtered(pick, start, take)
      : guarded(pick, { question, start, typing, opening, take });
  pick.show();
  return prompt;
}

/** A pick as usual in VS Code: typing filters it, and Enter takes the active item. */
function filtered(pick: vscode.QuickPick<Item>, start: Item | undefined, take: (item: Item) => void): OpenPrompt {
  pick.activeItems = listOf(start);
  pick.buttons = [escapeButton(true)];
  pick.onDidAccept(() => listOf(pick.selectedItems[0]).forEach(take));
  return { isSeen: true, dispose: () => pick.dispose() };
}

interface Guarded {
  readonly question: Question;
  readonly start: Item | undefined;
  readonly typing: 'nothing' | 'wholeAnswer';
  readonly opening: Opening & { readonly kept: TypedText };
  readonly take: (item: Item) => void;
}

/** A pick that keys answer only as `Choosing` says. */
function guarded(pick: vscode.QuickPick<Item>, { question, start, typing, opening, take }: Guarded): OpenPrompt {
  const { opened, quiet, kept } = opening;
  const named = (typed: string): Item | undefined => answerNamed(typed, pick.items);
  const choosing = new Choosing<Item>(typing, { start, named, typed: kept.typed }, opened, quiet.clock);
  const show = (): void => {
    pick.activeItems = listOf(choosing.active);
  };
  const dress = (isRefused: boolean): void => {
    const { isSeen } = choosing;
    if (!isSeen) quiet.note();
    pick.title = titleOf(question, typing, isRefused && !isSeen);
    pick.buttons = [escapeButton(isSeen)];
  };
  show();
  pick.buttons = [escapeButton(choosing.isSeen)];
  pick.onDidChangeActive(([active]) => {
    if (choosing.activeChanged(active)) show();
    if (active !== undefined) dress(true);
  });
  pick.onDidChangeValue(value => {
    if (!choosing.valueChanged(value)) return;
    show();
    dress(value !== '');
  });
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item !== undefined && choosing.taken(item)) take(item);
  });
  return {
    get isSeen() {
      return choosing.isSeen;
    },
    enter: () => {
      const item = choosing.enter();
      if (item === undefined) dress(true);
      else take(item);
    },
    dispose: () => pick.dispose(),
  };
}

function listOf<V>(value: V | undefined): readonly V[] {
  return value === undefined ? [] : [value];
}

/** The item that refuses, or that allows nothing, if it is clear which one that is. */
function startOf({ dialog }: Question, items: readonly Item[]): Item | undefined {
  const safe = safeAnswer(dialog);
  return items.find(({ answer }) => answer !== undefined && answer === safe);
}

/** The only answer whose whole label the user typed. */
function answerNamed(typed: string, items: readonly Item[]): Item | undefined {
  const text = typed.trim().toLowerCase();
  const [first, second] = items.filter(({ answer, label }) => answer !== undefined && label.toLowerCase() === text);
  return second === undefined ? first : undefined;
}

/** `stays`: items stay in the list whatever is typed. */
function itemsFor(question: Question, text: QuestionText, stays: boolean): Item[] {
  const deny = { label: `$(comment) ${vscode.l10n.t('Deny with message…')}`, alwaysShow: true, denies: true } as const;
  const showChange = { label: `$(diff) ${showChangeLabel()}`, alwaysShow: true, showChange: true } as const;
  const showAll = { label: `$(eye) ${showAllLabel(text)}`, alwaysShow: true, showAll: true } as const;
  const more = [
    ...(question.canDeny === true ? [deny] : []),
    ...(text.isAboutWrite ? [showChange] : []),
    ...(text.clipped ? [showAll] : []),
  ];
  const answers = answersOf(question).map(item => ({ ...item, alwaysShow: stays }));
  if (more.length === 0) return answers;
  return [...answers, { label: '', kind: vscode.QuickPickItemKind.Separator }, ...more];
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
