import type { Disposable } from '../../base/disposable';
import type { AgentCall, AgentReply } from '../../guard/protocol/agent-call';
import type { FrontMessage, HostMessage } from '../../guard/protocol/messages';

export interface GuardedCallsParts {
  /** Answers a call; never rejects. The signal fires when nobody waits for the answer any more. */
  readonly answer: (call: AgentCall, signal: AbortSignal) => Promise<AgentReply>;
  readonly send: (message: FrontMessage) => void;
}

/** The calls of other agents that the host passes to this window and that have no answer yet. */
export class CallsFromHost implements Disposable {
  private readonly open = new Map<string, AbortController>();

  constructor(private readonly parts: GuardedCallsParts) {}

  async take({ id, call }: Extract<HostMessage, { readonly type: 'call' }>): Promise<void> {
    const { answer, send } = this.parts;
    const end = new AbortController();
    this.open.set(id, end);
    const reply = await answer(call, end.signal);
    if (this.open.get(id) === end) this.open.delete(id);
    if (!end.signal.aborted) send({ type: 'reply', id, reply });
  }

  cancel(id: string): void {
    this.open.get(id)?.abort();
  }

  /** Cancels all calls. */
  dispose(): void {
    for (const end of this.open.values()) end.abort();
    this.open.clear();
  }
}
