import { defined } from '../../base/defined';
import { toDisposable, type Disposable } from '../../base/disposable';
import { Emitter, type Event } from '../../base/event';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import type { Answer, Asker, DialogKind, QuestionSubject } from '../../hook-contract/ui/ui';
import type { HookRef } from '../../protocol/items/chat-item';
import type { TypedAnswer } from '../../protocol/messages';

/** A question of a hook to the user. */
export interface Question {
  readonly id: string;
  readonly hook: HookRef;
  readonly title: string;
  readonly message: string;
  readonly dialog: DialogKind;
  /** The answer can be no, with a text for the model. */
  readonly canDeny?: true;
  readonly asker: Asker;
  /** See `HookQuestion`. */
  readonly subject?: QuestionSubject;
  /** The call that waits for the answer, if it writes a file; a question with a subject has it there. */
  readonly call?: AskedCall;
  /** Id of the conversation that it is asked in. */
  readonly conversationId: string;
  /** In which conversation it asks, when several are open. */
  readonly conversation?: string;
  /** The tool call it is about. */
  readonly toolCallId?: string;
  /** The same, as the user knows it: its tool, and the argument that matters, which may be empty. */
  readonly about?: { readonly tool: string; readonly summary: string };
  /** ms after being shown until it closes as cancelled. */
  readonly timeout?: number;
  /** Whose call it is about when another agent makes it: the names of that agent and of the folder that it works in. */
  readonly guarded?: { readonly agent: string; readonly folder: string };
  /** A dry run of the hook asks it: nothing of it stays. */
  readonly isTrial?: true;
}

/**
 * What is typed as the answer to a question so far, or as the message of its denial. All views of the question have the same
 * text: each tells its changes and follows those of the others.
 */
export interface SharedText {
  /** Undefined when nothing was typed. */
  readonly current: string | undefined;
  /** Fires with the text when another view has changed it. */
  readonly onDidChange: Event<string>;
  /** Keeps the text; ignored once the question is over. `tab`: see {@link TypedAnswer}. */
  note(text: string, tab?: string): void;
}

/**
 * A view that shows questions and takes answers. `show` calls `answer` at most once, when the user answers or dismisses
 * the question there. Disposing its result removes the question without an answer.
 */
export interface QuestionView {
  show(question: Question, answer: (value: Answer) => void, text: SharedText): Disposable;
}

/** A text that was typed, and the view in which it was typed. */
export interface TypedIn {
  readonly typed: TypedAnswer;
  readonly view: object;
}

export interface AskOptions {
  /** Closes the question as cancelled. */
  readonly signal?: AbortSignal;
  /** Called when the question leaves the queue and is shown. */
  readonly onShown?: () => void;
  /** Called once when the question is over, before the next one is shown. */
  readonly onOver?: (answer: Answer) => void;
}

interface Waiting {
  readonly question: Question;
  readonly options: AskOptions;
  readonly settle: (answer: Answer) => void;
}

/**
 * Shows one question at a time on all views of the window; later ones wait their turn, so a second question can
 * never swallow the first. The first answer from any view wins and closes the others.
 */
export class DialogQueue implements Disposable {
  private readonly views = new Set<QuestionView>();
  private readonly waiting: Waiting[] = [];
  /** Id of a question -> what was typed as its answer so far. It may be a secret, so it is never written to a file. */
  private readonly typedTexts = new Map<string, TypedAnswer>();
  private readonly typedEmitter = new Emitter<TypedIn>();
  /** Fires when a text was typed; of one that an editor tab has, only when the tab takes it and gives it back. */
  readonly onDidType = this.typedEmitter.event;
  private current: { readonly id: string; readonly finish: (answer: Answer) => void } | undefined;
  private disposed = false;

  /** `onDidThrow` gets the error of a view that fails; the question stays open in the others. */
  constructor(private readonly onDidThrow: (error: unknown) => void = () => undefined) {}

  addView(view: QuestionView): Disposable {
    this.views.add(view);
    return toDisposable(() => this.views.delete(view));
  }

  /** Number of questions shown or waiting. */
  get size(): number {
    return this.waiting.length + (this.current === undefined ? 0 : 1);
  }

  /** Keeps what is typed in a view as the answer to a question until the question is over; ignored for other questions. */
  noteTyped(typed: TypedAnswer, view: object): void {
    const { id, tab } = typed;
    const waits = this.current?.id === id || this.waiting.some(({ question }) => question.id === id);
    if (!waits) return;
    const before = this.typedTexts.get(id);
    this.typedTexts.set(id, typed);
    if (tab === undefined || before?.tab !== tab) this.typedEmitter.fire({ typed, view });
  }

  /** What was typed so far, for each question that has such a text. */
  get typed(): readonly TypedAnswer[] {
    return [...this.typedTexts.values()];
  }

  /** Resolves with the answer, or undefined when cancelled, timed out, aborted or disposed; never rejects. */
  ask(question: Question, options: AskOptions = {}): Promise<Answer> {
    if (this.disposed || options.signal?.aborted === true) {
      options.onOver?.(undefined);
      return Promise.resolve(undefined);
    }
    return new Promise(resolve => {
      const onAbort = (): void => {
        this.cancel(question.id);
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      const settle = (answer: Answer): void => {
        options.signal?.removeEventListener('abort', onAbort);
        this.typedTexts.delete(question.id);
        options.onOver?.(answer);
        resolve(answer);
      };
      this.waiting.push({ question, options, settle });
      this.showNext();
    });
  }

  /**
   * Answers the question that is shown; false when `id` is not that question. Waiting questions can be answered too.
   */
  answer(id: string, answer: Answer): boolean {
    if (this.current?.id === id) {
      this.current.finish(answer);
      return true;
    }
    const index = this.waiting.findIndex(waiting => waiting.question.id === id);
    const [early] = index < 0 ? [] : this.waiting.splice(index, 1);
    early?.settle(answer);
    return early !== undefined;
  }

  /** Answers with the text in the editor tab of the question; false when it has no tab. */
  answerFromTab(id: string): boolean {
    const typed = this.typedTexts.get(id);
    return typed?.tab !== undefined && this.answer(id, typed.text);
  }

  cancel(id: string): void {
    this.answer(id, undefined);
  }

  dispose(): void {
    this.disposed = true;
    for (const waiting of this.waiting.splice(0)) waiting.settle(undefined);
    this.current?.finish(undefined);
    this.typedEmitter.dispose();
  }

  private showNext(): void {
    if (this.current !== undefined) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    const shown: Disposable[] = [];
    let timer: NodeJS.Timeout | undefined;
    const finish = (answer: Answer): void => {
      if (this.current?.finish !== finish) return;
      this.current = undefined;
      clearTimeout(timer);
      for (const disposable of shown) {
        this.guarded(() => disposable.dispose());
      }
      next.settle(answer);
      this.showNext();
    };
    this.current = { id: next.question.id, finish };
    if (next.question.timeout !== undefined) timer = setTimeout(finish, next.question.timeout, undefined);
    next.options.onShown?.();
    for (const view of this.views) {
      // A view may answer while it is being shown: the others must then not show it any more.
      if (this.current.finish !== finish) return;
      this.guarded(() => {
        const one = view.show(next.question, finish, this.textFor(next.question.id, view));
        if (this.current?.finish === finish) shown.push(one);
        else one.dispose();
      });
    }
  }

  private textFor(id: string, view: QuestionView): SharedText {
    const { typedTexts, onDidType } = this;
    return {
      get current() {
        return typedTexts.get(id)?.text;
      },
      onDidChange: listener =>
        onDidType(({ typed, view: typist }) => {
          if (typed.id === id && typist !== view) listener(typed.text);
        }),
      note: (text, tab) => this.noteTyped({ id, text, ...defined({ tab }) }, view),
    };
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.onDidThrow(error);
    }
  }
}
