import { randomUUID } from 'node:crypto';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import type { Answer } from '../../hook-contract/ui/ui';
import type { Question, QuestionView } from '../../session/ports/dialogs';
import type { HostMessage } from '../protocol/messages';
import type { Front, Fronts } from './fronts';

interface Asked {
  readonly message: Extract<HostMessage, { readonly type: 'question' }>;
  readonly finish: (answer: Answer) => void;
  /** Where it is open. */
  readonly shownIn: Set<Front>;
}

/**
 * Asks the questions of the host's own folders in all windows, or where there is none, in each `guard watch`. The first answer
 * counts, and closes the question elsewhere. Open questions follow as fronts come and go; when the last one has gone, they are
 * cancelled.
 */
export class FrontQuestions implements Disposable {
  private readonly asked = new Map<string, Asked>();
  private readonly store = new DisposableStore();

  constructor(private readonly fronts: Fronts) {
    this.store.add(
      fronts.onDidReceive(({ front, message }) => {
        if (message.type !== 'answer') return;
        const asked = this.asked.get(message.id);
        if (asked?.shownIn.has(front) === true) asked.finish(message.answer);
      }),
    );
    this.store.add(fronts.onDidChange(() => this.update()));
  }

  /** Whether somebody can answer now. */
  get canAsk(): boolean {
    return this.askers.length > 0;
  }

  /** Shows the questions of one folder. */
  viewOf(folder: string): QuestionView {
    return { show: (question, answer) => this.show(folder, question, answer) };
  }

  dispose(): void {
    this.store.dispose();
    for (const { finish } of [...this.asked.values()]) finish(undefined);
  }

  private show(folder: string, question: Question, answer: (value: Answer) => void): Disposable {
    const id = randomUUID();
    const message = { type: 'question', id, folder, question: dataOf(question) } as const;
    const shownIn = new Set<Front>();
    const close = toDisposable(() => {
      this.asked.delete(id);
      for (const front of shownIn) front.send({ type: 'close', id });
    });
    const finish = (value: Answer): void => {
      close.dispose();
      answer(value);
    };
    const asked = { message, finish, shownIn };
    this.asked.set(id, asked);
    this.place(asked);
    return close;
  }

  /** Who is asked now. */
  private get askers(): readonly Front[] {
    const windows = this.fronts.all.filter(({ role }) => role === 'window');
    return windows.length > 0 ? windows : this.fronts.all.filter(({ role }) => role === 'watch');
  }

  private update(): void {
    for (const asked of [...this.asked.values()]) this.place(asked);
  }

  /** Shows a question where it belongs now, and nowhere else. */
  private place({ message, finish, shownIn }: Asked): void {
    const { askers } = this;
    if (askers.length === 0) {
      finish(undefined);
      return;
    }
    for (const front of [...shownIn].filter(each => !askers.includes(each))) {
      shownIn.delete(front);
      front.send({ type: 'close', id: message.id });
    }
    for (const front of askers.filter(each => !shownIn.has(each))) {
      shownIn.add(front);
      front.send(message);
    }
  }
}

/** Without the readonly of lists, which the schema of the message does not have. */
function dataOf(question: Question): Extract<HostMessage, { readonly type: 'question' }>['question'] {
  return question as Extract<HostMessage, { readonly type: 'question' }>['question'];
}
