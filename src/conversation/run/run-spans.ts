import type { AgentEvent } from '../../agent/events';
import type { StreamFn } from '../../agent/loop';
import { beginSpan } from '../../hooks/dispatch/span';
import type { HookHost } from '../../hooks/host/host';

/** Tells how long the turns of a conversation and their requests take, beside what hooks took. */
export class RunSpans {
  private endTurn: (() => void) | undefined;

  constructor(
    private readonly hooks: Pick<HookHost, 'records'>,
    private readonly conversation: { readonly id: string },
  ) {}

  /** To be told each event before anything else is done about it. */
  follow({ type }: AgentEvent): void {
    if (type === 'turn_start') this.endTurn = this.begin('turn');
    if (type === 'turn_end') this.endTurn?.();
  }

  /** The same stream, timed from the request to its last event. */
  timed(stream: StreamFn): StreamFn {
    const begin = (): (() => void) => this.begin('model');
    return async function* (...request) {
      const end = begin();
      try {
        yield* await stream(...request);
      } finally {
        end();
      }
    };
  }

  private begin(kind: 'turn' | 'model'): () => void {
    return beginSpan(this.hooks.records, { kind, conversation: this.conversation.id });
  }
}
