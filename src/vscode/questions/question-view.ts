import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { QuestionView, Question } from '../../conversation/questions/dialogs';
import type { Answer } from '../../hooks/api/ui/ui';
import { AnswerEditor } from './answer-editor';
import { setContextKey } from '../context-keys';
import { commandLink, literalMessage } from '../message-text';
import type { OpenPrompt, PromptEvents } from './prompt';
import { denialPrompt, headingOf, inputPrompt, pickPrompt } from './question-pick';
import type { TextDocuments } from '../text-documents';

interface Open {
  readonly question: Question;
  readonly answer: (value: Answer) => void;
  /** On the screen, or hidden by something that took its place. */
  prompt: OpenPrompt | undefined;
  /** The prompt asks for the message of a denial. */
  denying: boolean;
  /** Takes back the notification that the question waits; undefined while there is none. */
  withdraw: (() => void) | undefined;
}

/**
 * Questions of hooks as quick picks, input boxes and editor tabs. Escape cancels. A pick that vanishes because another
 * one took its place (F1, say) is not an answer: the question stays open in the chat and can be brought back.
 */
export class VsCodeQuestionView implements QuestionView, Disposable {
  private open: Open | undefined;
  private readonly editor = new AnswerEditor();
  private readonly changeEmitter = new Emitter<Question | undefined>();
  /** Fires with the question that waits, or undefined when there is none any more. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly texts: TextDocuments) {}

  /** The question that waits for an answer. */
  get waiting(): Question | undefined {
    return this.open?.question;
  }

  show(question: Question, answer: (value: Answer) => void): Disposable {
    const open: Open = { question, answer, prompt: undefined, denying: false, withdraw: undefined };
    this.open = open;
    setContextKey('hookline.asking', true);
    this.bringUp(open);
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

  /** Brings the waiting question back to the screen; does nothing when there is none. */
  present(): void {
    if (this.open !== undefined) this.bringUp(this.open);
  }

  /** What Escape does: cancels the waiting question; from the message of a denial it leads back to the question. */
  cancel(): void {
    const { open } = this;
    if (open?.denying === true) this.bringUp(open);
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

  /** Every time with a new prompt, because VS Code brings none back that something else has pushed away. */
  private bringUp(open: Open): void {
    const before = open.prompt;
    // Before the pick takes the keyboard, so that the first Escape already finds its binding.
    if (open.question.dialog.type !== 'editor') setContextKey('hookline.questionShown', true);
    this.withdraw(open);
    open.denying = false;
    open.prompt = this.promptFor(open);
    before?.dispose();
  }

  /** Asks for the message of a denial, in the place of the question. */
  private askWhy(open: Open): void {
    const { question, prompt: before } = open;
    open.denying = true;
    const said = (message: string): void => open.answer({ denied: message });
    const prompt = denialPrompt(question, said, {
      back: () => this.bringUp(open),
      hidden: () => this.wasHidden(open, prompt),
    });
    open.prompt = prompt;
    before?.dispose();
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
      showAll: text => void this.texts.show(text, `${headingOf(question)}.md`),
      denies: () => {
        if (isCurrent()) this.askWhy(open);
      },
    };
    const prompt = this.createPrompt(question, events);
    return prompt;
  }

  private createPrompt(question: Question, events: PromptEvents): OpenPrompt {
    switch (question.dialog.type) {
      case 'select':
      case 'confirm':
        return pickPrompt(question, events);
      case 'input':
        return inputPrompt(question, question.dialog.placeholder, events);
      case 'editor':
        return this.editor.prompt(question, question.dialog.prefill, events);
    }
  }

  /** In a notification that goes with the question: of all kinds, VS Code lets only one with a progress be taken back. */
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
