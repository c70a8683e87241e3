import { randomUUID } from 'node:crypto';
import type { Disposable } from '../../base/disposable';
import type { AgentCall, AgentReply } from '../protocol/agent-call';
import type { Front, Fronts } from './fronts';

/** The outcome of a call in a window; undefined when the window has ended before it replied, or nobody waits any more. */
type Outcome = AgentReply | undefined;

/** Passes calls to windows. */
export class WindowCalls implements Disposable {
  private readonly waiting = new Map<string, { readonly front: Front; readonly settle: (outcome: Outcome) => void }>();
  private readonly listening: Disposable;

  constructor(fronts: Fronts) {
    this.listening = fronts.onDidReceive(({ front, message }) => {
      if (message.type !== 'reply') return;
      const waiting = this.waiting.get(message.id);
      if (waiting?.front === front) waiting.settle(message.reply);
    });
  }

  /** `folder` is the one that the window sent. Never rejects. */
  call(front: Front, folder: string, call: AgentCall, signal: AbortSignal): Promise<Outcome> {
    const id = randomUUID();
    return new Promise(resolve => {
      const settle = (outcome: Outcome): void => {
        this.waiting.delete(id);
        front.ended.removeEventListener('abort', onEnd);
        signal.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      const onEnd = (): void => settle(undefined);
      const onAbort = (): void => {
        front.send({ type: 'cancel', id });
        settle(undefined);
      };
      if (front.ended.aborted || signal.aborted) {
        resolve(undefined);
        return;
      }
      this.waiting.set(id, { front, settle });
      front.ended.addEventListener('abort', onEnd, { once: true });
      signal.addEventListener('abort', onAbort, { once: true });
      front.send({ type: 'call', id, folder, call });
    });
  }

  dispose(): void {
    this.listening.dispose();
    for (const { settle } of [...this.waiting.values()]) settle(undefined);
  }
}
