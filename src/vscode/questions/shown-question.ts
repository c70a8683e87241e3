import type { Disposable } from '../../base/disposable';
import type { Question, SharedText } from '../../session/ports/dialogs';
import type { Answer } from '../../hook-contract/ui/ui';
import { setContextKey } from '../context-keys';
import type { Quiet } from '../quiet';
import type { TextDocuments } from '../text-documents';
import type { AnswerEditor } from './answer-editor';
import type { OpenPrompt, PromptEvents, TypedText } from './open-prompt';
import { openedAtOnce, type ComingUp, type Arrival } from './prompt-rules';
import { denialPrompt, inputPrompt } from './question-box';
import { offerQuestion } from './question-offer';
import { pickPrompt } from './question-pick';
import { questionText, type QuestionText } from './question-text';
import { headingOf } from './question-words';
import type { QuestionDiff, WriteReview } from './write-review';
import { showFailure } from '../show-failure';

export interface ShownQuestionParts {
  readonly texts: TextDocuments;
  readonly quiet: Quiet;
  /** The answer, or the message of a denial, as typed so far. */
  readonly text: SharedText;
  readonly editor: AnswerEditor;
  /** Whether the chat shows the card of the question. */
  readonly isCardSeen: () => boolean;
  /** Called once, when the user answers in a prompt or cancels. */
  readonly answered: (value: Answer) => void;
  readonly writeDiffs: WriteReview;
  /** Called once, when the user answers in the diff of a write. No prompt follows from there. */
  readonly answeredInDiff: (value: Answer) => void;
}

/**
 * A question outside of the chat, from when it is shown until it is over: its prompt, and while there is neither a prompt nor a
 * card that is seen, a notification that offers it.
 */
export class ShownQuestion implements Disposable {
  /** Opens the prompt when the user does not type; undefined when it does not open by itself. */
  private opening: Disposable | undefined;
  /** What was typed in the pick, also by mistake. */
  private readonly typed: TypedText = { typed: '' };
  /** The prompt on the screen. VS Code hides it when it shows something else in its place. */
  private prompt: OpenPrompt | undefined;
  /** Whether the prompt asks for the message of a denial. */
  private isDenying = false;
  private offer: Disposable | undefined;
  private readonly diff: QuestionDiff | undefined;

  constructor(
    readonly question: Question,
    way: ComingUp,
    private readonly parts: ShownQuestionParts,
  ) {
    const { quiet, writeDiffs } = parts;
    setContextKey('hookline.asking', true);
    this.diff = writeDiffs.review(question, { answered: parts.answeredInDiff });
    setContextKey('hookline.askingAboutWrite', this.diff !== undefined);
    if (this.diff?.opensByItself === true) this.diff.show({ keepsFocus: true }).catch(showFailure);
    if (way === 'atOnce') this.comeUp(openedAtOnce(question.asker, quiet.clock.now()));
    else if (way === 'whenQuiet') this.opening = quiet.whenQuiet(() => this.comeUp('byItself'));
    this.look();
  }

  /** Shows the prompt because the user wants it, with what was typed so far. */
  present(): void {
    this.opening?.dispose();
    if (this.isDenying) this.askWhy();
    else this.comeUp('expected');
  }

  /**
   * The user pressed Escape or the button for it. A prompt that they may not have seen is only closed. Without a prompt, the key
   * was meant for one that has closed already.
   */
  escape(): void {
    if (this.prompt === undefined) return;
    if (this.isDenying) this.comeUp('expected');
    else if (this.prompt.isSeen) this.cancel();
    else this.replacePrompt(undefined);
  }

  /** The user wants to see the write that the question is about. */
  review(): void {
    this.showChange().catch(showFailure);
  }

  /** The user does not want to answer. */
  cancel(): void {
    this.parts.answered(undefined);
  }

  /** The user pressed Enter in a pick. */
  enter(): void {
    this.prompt?.enter?.();
  }

  /** The chat was shown or hidden, or shows another conversation. */
  look(): void {
    const isOffered = this.prompt === undefined && !this.parts.isCardSeen();
    if (!isOffered) {
      this.offer?.dispose();
      this.offer = undefined;
    } else this.offer ??= offerQuestion(this.question);
  }

  dispose(): void {
    this.opening?.dispose();
    this.prompt?.dispose();
    this.prompt = undefined;
    this.offer?.dispose();
    this.diff?.dispose();
    resetContextKeys();
  }

  private comeUp(opened: Arrival): void {
    this.isDenying = false;
    this.replacePrompt(events => this.promptFor(opened, events));
  }

  private askWhy(): void {
    this.isDenying = true;
    this.replacePrompt(({ hidden }) =>
      denialPrompt(this.question, this.parts.text, message => this.parts.answered({ denied: message }), {
        back: () => this.comeUp('expected'),
        hidden,
      }),
    );
  }

  /** Shows a new prompt, because VS Code cannot show one again after it closed it for something else. */
  private replacePrompt(create: ((events: PromptEvents) => OpenPrompt) | undefined): void {
    const before = this.prompt;
    // Before the prompt is shown, so that the key binding for Escape already works.
    setContextKey('hookline.questionShown', create !== undefined && this.question.dialog.type !== 'editor');
    const isCurrent = (): boolean => prompt !== undefined && this.prompt === prompt;
    const prompt = create?.(this.eventsOf(isCurrent));
    setContextKey('hookline.choosing', prompt?.enter !== undefined);
    this.prompt = prompt;
    before?.dispose();
    this.look();
  }

  private eventsOf(isCurrent: () => boolean): PromptEvents {
    const ifCurrent =
      <A extends readonly unknown[]>(act: (...args: A) => void) =>
      (...args: A): void => {
        if (isCurrent()) act(...args);
      };
    return {
      answered: ifCurrent(this.parts.answered),
      escaped: ifCurrent(() => this.escape()),
      hidden: ifCurrent(() => this.replacePrompt(undefined)),
      denies: ifCurrent(() => this.askWhy()),
      showAll: text => this.showText(text),
      showChange: () => this.showChange(),
    };
  }

  /** Shows the diff of a write; the text of the question where there is none, or its files cannot be compared. */
  private async showChange(): Promise<void> {
    if ((await this.diff?.show({ keepsFocus: false })) === true) return;
    await this.showText(questionText(this.question));
  }

  private async showText({ full, hasDiff }: QuestionText): Promise<void> {
    await this.parts.texts.show(full, `${headingOf(this.question)}.${hasDiff ? 'diff' : 'md'}`);
  }

  private promptFor(opened: Arrival, events: PromptEvents): OpenPrompt {
    const { question, typed: kept } = this;
    const { quiet, editor, text } = this.parts;
    const { dialog } = question;
    switch (dialog.type) {
      case 'select':
      case 'confirm':
        return pickPrompt(question, { opened, kept, quiet }, events);
      case 'input':
        return inputPrompt(question, dialog.placeholder, { opened, answer: text, quiet }, events);
      case 'editor':
        return editor.prompt(question, { text, prefill: dialog.prefill }, events);
    }
  }
}

/** No question is shown: Enter and Escape go to VS Code's own picks. */
export function resetContextKeys(): void {
  for (const key of [
    'hookline.asking',
    'hookline.askingAboutWrite',
    'hookline.questionShown',
    'hookline.choosing',
  ] as const) {
    setContextKey(key, false);
  }
}
