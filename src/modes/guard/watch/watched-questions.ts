import type { Answer } from '../../../hook-contract/ui/ui';
import type { HostMessage } from '../../../guard/protocol/messages';
import type { AskInTerminal } from '../../terminal/terminal-question';
import { questionInTerminal } from './question-in-terminal';

type Asked = Pick<Extract<HostMessage, { readonly type: 'question' }>, 'id' | 'folder' | 'question'>;

/** What the questions in a terminal need. */
export interface WatchedQuestionsParts {
  readonly ask: AskInTerminal;
  /** Gets the answer of the person; undefined: they cancelled the question. */
  readonly answered: (id: string, answer: Answer) => void;
  /** Prints a line; not called while a question is open. */
  readonly print: (line: string) => void;
  /** The person pressed Ctrl+C in a question. */
  readonly onInterrupt: () => void;
}

/** Asks the questions of the host in a terminal, one after the other. */
export class WatchedQuestions {
  private readonly waiting: Asked[] = [];
  private open: { readonly id: string; readonly withdraw: AbortController } | undefined;
  /** Lines that came while a question was open. */
  private readonly lines: string[] = [];
  private hasEnded = false;

  constructor(private readonly parts: WatchedQuestionsParts) {}

  add(asked: Asked): void {
    this.waiting.push(asked);
    void this.askNext();
  }

  /** The question was answered elsewhere, or nobody waits for its answer any more. */
  close(id: string): void {
    const index = this.waiting.findIndex(asked => asked.id === id);
    if (index >= 0) this.waiting.splice(index, 1);
    if (this.open?.id !== id) return;
    this.lines.unshift('The question is closed: it was answered elsewhere, or nobody waits for it any more.');
    this.open.withdraw.abort();
  }

  /** Prints a line, after the question that is open. */
  print(line: string): void {
    if (this.open === undefined) this.parts.print(line);
    else this.lines.push(line);
  }

  /** Asks nothing more. What is open here stays open for others. */
  dispose(): void {
    this.hasEnded = true;
    this.waiting.length = 0;
    this.open?.withdraw.abort();
  }

  /** Never rejects. */
  private async askNext(): Promise<void> {
    if (this.open !== undefined || this.hasEnded) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    const { id } = next;
    const withdraw = new AbortController();
    this.open = { id, withdraw };
    const { ask, answered, onInterrupt } = this.parts;
    try {
      const { dialog, message } = next.question;
      const answer = await questionInTerminal(ask, { title: this.titleOf(next), message, dialog }, withdraw.signal);
      // A question that was withdrawn before it was shown may end without an error.
      if (!withdraw.signal.aborted) answered(id, answer);
    } catch {
      if (!withdraw.signal.aborted) {
        this.dispose();
        onInterrupt();
      }
    }
    this.open = undefined;
    for (const line of this.lines.splice(0)) this.parts.print(line);
    await this.askNext();
  }

  private titleOf({ folder, question: { title, guarded } }: Asked): string {
    const who = guarded === undefined ? 'An agent' : guarded.agent;
    return `\n${who} asks in ${folder}:\n${title}`;
  }
}
