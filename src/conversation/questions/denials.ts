import type { GateItem } from '../../protocol/chat-item';

/** What the person wants to tell the model about a call they denied; each is taken once. */
export class Denials {
  private readonly byGate = new Map<string, string>();
  private readonly byCall = new Map<string, string>();

  /** The person denies at this question, with a message. Blank messages are none. */
  say(gateId: string, message: string): void {
    if (message.trim() !== '') this.byGate.set(gateId, message.trim());
  }

  /** The question is over: its message belongs to the call from now on. */
  settle(gateId: string, toolCallId: string | undefined): string | undefined {
    const message = this.byGate.get(gateId);
    this.byGate.delete(gateId);
    if (message !== undefined && toolCallId !== undefined) this.byCall.set(toolCallId, message);
    return message;
  }

  take(toolCallId: string): string | undefined {
    const message = this.byCall.get(toolCallId);
    this.byCall.delete(toolCallId);
    return message;
  }
}

/** The answer that denies: `No` where there is one to give, else the question is cancelled (seeds: false, undefined). */
export function denialOf({ dialog }: Pick<GateItem, 'dialog'>): string | undefined {
  return dialog.type === 'confirm' ? 'No' : undefined;
}
