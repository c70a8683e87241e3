import { randomUUID } from 'node:crypto';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import type { Answer } from '../../hook-contract/ui/ui';
import type { Question, QuestionView } from '../../session/ports/dialogs';
import type { AgentId } from '../protocol/agent-call';
import type { HostMessage } from '../protocol/messages';
import type { Front, Fronts } from './fronts';

interface Asked {
  readonly message: Extract<HostMessage, { readonly type: 'question' }>;
  readonly finish: (answer: Answer) => void;
}

/**
 * Asks the questions of the host's own folders in all windows and in `guard watch`. The first answer counts, and closes the
 * question elsewhere. A front that comes gets the open questions; when the last one has gone, they are cancelled.
 */
export class FrontQuestions implements Disposable {
  private readonly asked = new Map<string, Asked>();
  private readonly store = new DisposableStore();

  constructor(
    private readonly fronts: Fronts,
    /** The agent of a conversation; undefined where it has none. */
    private readonly agentOf: (conversationId: string) => AgentId | undefined,
  ) {
    this.store.add(
      fronts.onDidReceive(({ front, message }) => {
        if (message.type === 'answer' && asks(front)) this.asked.get(message.id)?.finish(message.answer);
      }),
    );
    this.store.add(fronts.onDidChange(front => this.update(front)));
  }

  /** Whether somebody can answer now. */
  get canAsk(): boolean {
    return this.fronts.all.some(asks);
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
    const agent = this.agentOf(question.conversationId);
    const message = { type: 'question', id, folder, question: dataOf(question), ...(agent ? { agent } : {}) } as const;
    const close = toDisposable(() => {
      this.asked.delete(id);
      for (const front of this.fronts.all.filter(asks)) front.send({ type: 'close', id });
    });
    const finish = (value: Answer): void => {
      close.dispose();
      answer(value);
    };
    this.asked.set(id, { message, finish });
    if (this.canAsk) for (const front of this.fronts.all.filter(asks)) front.send(message);
    else finish(undefined);
    return close;
  }

  private update(front: Front): void {
    if (!asks(front)) return;
    if (!front.ended.aborted) for (const { message } of this.asked.values()) front.send(message);
    else if (!this.canAsk) for (const { finish } of [...this.asked.values()]) finish(undefined);
  }
}

function asks({ role }: Front): boolean {
  return role !== 'query';
}

/** Without the readonly of lists, which the schema of the message does not have. */
function dataOf(question: Question): Extract<HostMessage, { readonly type: 'question' }>['question'] {
  return question as Extract<HostMessage, { readonly type: 'question' }>['question'];
}
