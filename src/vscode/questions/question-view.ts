import type { Disposable } from '../../base/disposable';
import { toDisposable } from '../../base/disposable';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import type { Question, QuestionView, SharedText } from '../../session/ports/dialogs';
import type { Answer } from '../../hook-contract/ui/ui';
import type { Quiet } from '../quiet';
import type { TextDocuments } from '../text-documents';
import { AnswerEditor } from './answer-editor';
import type { WriteReview } from './write-review';
import { comingUp } from './prompt-rules';
import { resetContextKeys, ShownQuestion } from './shown-question';

/** What knows where the chat shows the cards of questions. */
export interface QuestionCards {
  /** Whether the chat is visible and shows the conversation of the question. */
  readonly isSeen: (question: Question) => boolean;
  readonly onDidChange: Event<void>;
}

export interface QuestionViewParts {
  readonly writeDiffs: WriteReview;
  readonly texts: TextDocuments;
  readonly quiet: Quiet;
  readonly log: Log;
}

/** Shows questions as quick picks, input boxes and editor tabs. `comingUp` decides which of them open by themselves. */
export class VsCodeQuestionView implements QuestionView, Disposable {
  private shown: ShownQuestion | undefined;
  /** The tool call about which the latest question was answered in a prompt. */
  private answeredCall: string | undefined;
  private cards: QuestionCards | undefined;
  private readonly editor: AnswerEditor;
  private readonly changeEmitter = new Emitter<Question | undefined>();
  /** Fires with the question that waits, or with undefined when none waits any more. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly parts: QuestionViewParts) {
    this.editor = new AnswerEditor(parts.log);
    // VS Code keeps them when the extension host ends while a question is open.
    resetContextKeys();
  }

  /** The question that waits for an answer; undefined when there is none. */
  get waiting(): Question | undefined {
    return this.shown?.question;
  }

  /** To be called when there is a chat. Until then, no card is seen. */
  watchCards(cards: QuestionCards): Disposable {
    this.cards = cards;
    return cards.onDidChange(() => this.shown?.look());
  }

  show(question: Question, answer: (value: Answer) => void, text: SharedText): Disposable {
    const { quiet } = this.parts;
    const call = question.toolCallId;
    const way = comingUp(question.asker, question.dialog.type, {
      answeredInPrompt: call !== undefined && call === this.answeredCall,
      lastActivity: quiet.lastActivity,
    });
    this.answeredCall = undefined;
    const shown = new ShownQuestion(question, way, {
      ...this.parts,
      text,
      editor: this.editor,
      isCardSeen: () => this.cards?.isSeen(question) === true,
      answered: value => {
        if (this.shown !== shown) return;
        if (value !== undefined) this.answeredCall = call;
        answer(value);
      },
      answeredInDiff: value => {
        if (this.shown === shown) answer(value);
      },
    });
    this.shown = shown;
    this.changeEmitter.fire(question);
    return toDisposable(() => {
      if (this.shown === shown) this.shown = undefined;
      shown.dispose();
      this.changeEmitter.fire(undefined);
    });
  }

  /** Shows the prompt of the waiting question; does nothing when there is none. */
  present(): void {
    this.shown?.present();
  }

  /** Does what Escape does in the prompt of the waiting question; nothing without a prompt. */
  escape(): void {
    this.shown?.escape();
  }

  /** Opens the diff of the write about which the waiting question is; with an id, only if it is that question. */
  review(id?: string): void {
    if (id === undefined || id === this.shown?.question.id) this.shown?.review();
  }

  /** Cancels the waiting question. */
  cancel(): void {
    this.shown?.cancel();
  }

  /** Does what Enter does in the pick of the waiting question. */
  enter(): void {
    this.shown?.enter();
  }

  acceptAnswer(): void {
    this.editor.accept();
  }

  dispose(): void {
    this.shown?.dispose();
    this.shown = undefined;
    this.editor.dispose();
    this.changeEmitter.dispose();
  }
}
