import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import type { Question, SharedText } from '../../session/ports/dialogs';
import { showFailure } from '../show-failure';
import { Attention } from './choosing';
import { escapeButton } from './escape-button';
import type { Opening, OpenPrompt, PromptEvents } from './open-prompt';
import { questionText } from './question-text';
import { headingOf, showAllLabel, titleOf } from './question-words';

/** Callbacks of the input box for the message of a denial. */
export interface DenialEvents extends Pick<PromptEvents, 'hidden'> {
  /** The user wants to return to the question. */
  readonly back: () => void;
}

/**
 * Shows an `input` question as an input box. In a box that opened by itself, Enter answers only if the user began to type
 * when they could see it: see `Attention`.
 */
export function inputPrompt(
  question: Question,
  placeholder: string,
  { opened, quiet, answer }: Opening & { readonly answer: SharedText },
  events: PromptEvents,
): OpenPrompt {
  const text = questionText(question);
  const attention = new Attention(opened, quiet.clock);
  const { box, store } = textBox(answer, typed => {
    attention.noteKey(typed.before === '');
    dress(typed.now !== '');
  });
  box.title = titleOf(question, 'text', false);
  box.prompt = text.line;
  box.placeholder = placeholder;
  const showAll = { iconPath: new vscode.ThemeIcon('eye'), tooltip: showAllLabel(text) };
  const dress = (isRefused: boolean): void => {
    if (!attention.given) quiet.note();
    box.buttons = [...(text.clipped ? [showAll] : []), escapeButton(attention.given)];
    box.title = titleOf(question, 'text', isRefused && !attention.given);
  };
  box.buttons = [...(text.clipped ? [showAll] : []), escapeButton(attention.given)];
  box.onDidAccept(() => {
    if (attention.given) events.answered(box.value);
    else {
      attention.noteKey(false);
      dress(true);
    }
  });
  box.onDidTriggerButton(button => {
    if (button === showAll) events.showAll(text).catch(showFailure);
    else events.escaped();
  });
  box.onDidHide(events.hidden);
  box.show();
  return {
    get isSeen() {
      return attention.given;
    },
    dispose: () => store.dispose(),
  };
}

/** Shows an input box for the message that the model gets with a denial. Escape and the back button return to the question. */
export function denialPrompt(
  question: Question,
  kept: SharedText,
  deny: (message: string) => void,
  events: DenialEvents,
): OpenPrompt {
  const { box, store } = textBox(kept);
  box.title = headingOf(question);
  box.prompt = vscode.l10n.t('Message to the model');
  box.placeholder = vscode.l10n.t('Why not, or what to do instead');
  box.buttons = [vscode.QuickInputButtons.Back];
  box.onDidAccept(() => deny(box.value));
  box.onDidTriggerButton(events.back);
  box.onDidHide(events.hidden);
  box.show();
  return { isSeen: true, dispose: () => store.dispose() };
}

/** A change by a key in the box. */
interface TypedHere {
  readonly before: string;
  readonly now: string;
}

/** A box with a text that other views of the question have, too. Disposing the store closes the box. */
function textBox(
  text: SharedText,
  typed: (change: TypedHere) => void = () => undefined,
): { readonly box: vscode.InputBox; readonly store: DisposableStore } {
  const store = new DisposableStore();
  const box = store.add(vscode.window.createInputBox());
  let before = text.current ?? '';
  box.ignoreFocusOut = true;
  box.value = before;
  store.add(
    text.onDidChange(now => {
      before = now;
      box.value = now;
    }),
  );
  box.onDidChangeValue(now => {
    if (now === before) return;
    const change = { before, now };
    before = now;
    text.note(now);
    typed(change);
  });
  return { box, store };
}
