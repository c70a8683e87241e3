import type { AgentEvent } from '../../agent/run/events';
import { beginSpan } from '../../hook-run/dispatch/span';
import type { HookHost } from '../../hook-run/host/host';

/** Measures how long turns and their requests take, for the hook log. */
export class RunSpans {
  private endTurn: (() => void) | undefined;
  private endRequest: (() => void) | undefined;

  constructor(
    private readonly hooks: Pick<HookHost, 'records'>,
    private readonly conversation: { readonly id: string },
  ) {}

  /** Gets each event before any other part handles it. */
  follow(event: AgentEvent): void {
    if (event.type === 'turn_start') this.endTurn = this.begin('turn');
    if (event.type === 'message_end' && event.message.role === 'assistant') this.endRequest?.();
    if (event.type === 'turn_end') this.endTurn?.();
  }

  /** A request is sent. Its time counts until the end of the answer was emitted. */
  beginRequest(): void {
    this.endRequest = this.begin('model');
  }

  private begin(kind: 'turn' | 'model'): () => void {
    return beginSpan(this.hooks.records, { kind, conversation: this.conversation.id });
  }
}
