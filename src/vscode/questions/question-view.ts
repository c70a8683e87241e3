import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { QuestionView, Question } from '../../conversation/questions/dialogs';
import type { Answer } from '../../hooks/api/ui/ui';
import { AnswerEditor } from './answer-editor';
import { setContextKey } from '../context-keys';
import { commandLink, literalMessage } from '../message-text';
import type { OpenPrompt, PromptEvents, TypedText } from './open-prompt';
import { denialPrompt, headingOf, inputPrompt, pickPrompt } from './question-pick';
import type { TextDocuments } from '../text-documents';

interface Open extends TypedText {
  readonly question: Question;
  readonly answer: (value: Answer) => void;
  /** The prompt; it may be hidden when VS Code shows something else in its place. */
  prompt: OpenPrompt | undefined;
  /** Whether the prompt asks for the message of a denial. */
  denying: boolean;
  /** Removes the notification that the question waits; undefined when there is none. */
  withdraw: (() => void) | undefined;
}

/**
 * Shows questions of hooks as quick picks, input boxes and editor tabs. Escape cancels. When VS Code closes a pick to show
 * another one (for example after F1), that is not an answer: the question stays open and can be shown again.
 */
export class VsCodeQuestionView implements QuestionView, Disposable {
  private open: Open | undefined;
  private readonly editor: AnswerEditor;
  private readonly changeEmitter = new Emitter<Question | undefined>();
  /** Fires with the question that waits, or with undefined when none waits any more. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly texts: TextDocuments,
    log: Log,
  ) {
    this.editor = new AnswerEditor(log);
  }

  /** The question that waits for an answer; undefined when there is none. */
  get waiting(): Question | undefined {
    return this.open?.question;
  }

  show(question: Question, answer: (value: Answer) => void): Disposable {
    const open: Open = { question, answer, prompt: undefined, denying: false, typed: '', withdraw: undefined };
    this.open = open;
    setContextKey('hookline.asking', true);
    this.bringUp(open, false);
    this.changeEmitter.fire(question);
    return toDisposable(() => {
      if (this.open === open) this.open = undefined;
      setContextKey('hookline.questionShown', false);
      setContextKey('hookline.asking', false);
      open.prompt?.dispose();
      this.withdraw(open);
      this.changeEmitter.fire(undefined);
    });
  }

  /** Shows the waiting question again, with the text typed so far; does nothing when there is none. */
  present(): void {
    if (this.open !== undefined) this.bringUp(this.open, this.open.denying);
  }

  /** Cancels the waiting question, as Escape does. From the message of a denial, it returns to the question. */
  cancel(): void {
    const { open } = this;
    if (open?.denying === true) this.bringUp(open, false);
    else open?.answer(undefined);
  }

  acceptAnswer(): void {
    this.editor.accept();
  }

  dispose(): void {
    this.open?.prompt?.dispose();
    this.open?.withdraw?.();
    this.open = undefined;
    this.editor.dispose();
    this.changeEmitter.dispose();
  }

  /**
   * Shows the question, or asks for the message of a denial, in a new prompt: VS Code cannot show a prompt again after it
   * closed it for something else.
   */
  private bringUp(open: Open, denying: boolean): void {
    const before = open.prompt;
    // Sets the key before the pick is shown, so that the key binding for Escape already works.
    if (open.question.dialog.type !== 'editor') setContextKey('hookline.questionShown', true);
    this.withdraw(open);
    open.denying = denying;
    open.prompt = denying ? this.denialFor(open) : this.promptFor(open);
    before?.dispose();
  }

  private denialFor(open: Open): OpenPrompt {
    const deny = (message: string): void => open.answer({ denied: message });
    const prompt = denialPrompt(open.question, open, deny, {
      back: () => this.bringUp(open, false),
      hidden: () => this.wasHidden(open, prompt),
    });
    return prompt;
  }

  private wasHidden(open: Open, prompt: OpenPrompt): void {
    if (this.open !== open || open.prompt !== prompt) return;
    setContextKey('hookline.questionShown', false);
    this.offerToReturn(open);
  }

  private promptFor(open: Open): OpenPrompt {
    const { question } = open;
    const isCurrent = (): boolean => this.open === open;
    const events: PromptEvents = {
      answered: value => {
        if (isCurrent()) open.answer(value);
      },
      dismissed: () => {
        if (isCurrent()) open.answer(undefined);
      },
      hidden: () => this.wasHidden(open, prompt),
      showAll: ({ full, hasDiff }) => this.texts.show(full, `${headingOf(question)}.${hasDiff ? 'diff' : 'md'}`),
      denies: () => {
        if (isCurrent()) this.bringUp(open, true);
      },
    };
    const prompt = this.createPrompt(open, events);
    return prompt;
  }

  private createPrompt(open: Open, events: PromptEvents): OpenPrompt {
    const { question } = open;
    switch (question.dialog.type) {
      case 'select':
      case 'confirm':
        return pickPrompt(question, events);
      case 'input':
        return inputPrompt(question, question.dialog.placeholder, open, events);
      case 'editor':
        return this.editor.prompt(question, question.dialog.prefill, events);
    }
  }

  /** Shows a notification until the question ends. It uses progress, because VS Code can remove only such notifications. */
  private offerToReturn(open: Open): void {
    if (open.withdraw !== undefined) return;
    const heading = vscode.l10n.t(
      '{0}. The agent is waiting for your decision.',
      literalMessage(headingOf(open.question)),
    );
    const answer = commandLink(vscode.l10n.t('Answer'), 'hookline.answerQuestion');
    const title = `${heading} ${answer}`;
    const over = new Promise<void>(resolve => {
      open.withdraw = resolve;
    });
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    void vscode.window.withProgress(options, (_progress, token) => {
      token.onCancellationRequested(() => {
        if (this.open === open) open.answer(undefined);
      });
      return over;
    });
  }

  private withdraw(open: Open): void {
    open.withdraw?.();
    open.withdraw = undefined;
  }
}
