import type { Disposable } from '../../base/disposable';
import type { Answer } from '../../hook-contract/ui/ui';
import type { FrontMessage } from '../../guard/protocol/messages';
import type { AskOptions, Question } from '../../session/ports/dialogs';

export interface ElsewhereQuestionsParts {
  /** Tells the user of the question until the result is disposed. */
  readonly offer: (id: string, question: Question) => Disposable;
  /** Asks the question in this window, at once. */
  readonly ask: (question: Question, options: AskOptions) => Promise<Answer>;
  /** Whether the user is offered at least one. */
  readonly showOffered: (isOffered: boolean) => void;
  readonly send: (message: FrontMessage) => void;
}

interface Open {
  readonly question: Question;
  readonly end: AbortController;
  offer: Disposable | undefined;
}

/**
 * Questions of hooks in folders that no window has open. Other windows show them, too, so this window asks only when its user
 * wants to answer here.
 */
export class ElsewhereQuestions implements Disposable {
  private readonly open = new Map<string, Open>();

  constructor(private readonly parts: ElsewhereQuestionsParts) {}

  /** Offers a question of the host, under the host's id. */
  add(id: string, question: Question): void {
    this.close(id);
    this.open.set(id, { question, end: new AbortController(), offer: this.parts.offer(id, question) });
    this.showOffered();
  }

  /** The user wants to answer the one that has waited longest; does nothing when none is offered. */
  async answerNext(): Promise<void> {
    const [next] = this.offered;
    if (next !== undefined) await this.answer(next);
  }

  /** The user wants to answer here; does nothing when the question is over or asked here already. */
  async answer(id: string): Promise<void> {
    const open = this.open.get(id);
    if (open?.offer === undefined) return;
    open.offer.dispose();
    open.offer = undefined;
    this.showOffered();
    const { question, end } = open;
    const answer = await this.parts.ask(question, { signal: end.signal });
    if (!end.signal.aborted) this.settle(id, answer);
  }

  /** The question is over. */
  close(id: string): void {
    const open = this.open.get(id);
    this.open.delete(id);
    open?.end.abort();
    open?.offer?.dispose();
    this.showOffered();
  }

  /** Closes all questions without an answer. */
  dispose(): void {
    for (const id of [...this.open.keys()]) this.close(id);
  }

  /** Ids of those that are not asked here yet, the oldest first. */
  private get offered(): readonly string[] {
    return [...this.open].flatMap(([id, { offer }]) => (offer === undefined ? [] : id));
  }

  private showOffered(): void {
    this.parts.showOffered(this.offered.length > 0);
  }

  private settle(id: string, answer: Answer): void {
    if (!this.open.has(id)) return;
    this.close(id);
    this.parts.send({ type: 'answer', id, ...(answer === undefined ? {} : { answer }) });
  }
}
