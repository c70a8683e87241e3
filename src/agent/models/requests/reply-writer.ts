import type { AssistantMessage, AssistantMessageEvent, ToolCall } from '@mariozechner/pi-ai';
import { withObjectArguments, type GivenCall } from '../../call-arguments';

/**
 * Turns the parts of a reply, as a simple source gives them, into the events of a provider: texts that follow each other
 * are one block, tool calls arrive whole. `message` grows while it is written; every event carries it.
 */
export class ReplyWriter {
  private open: { readonly block: { type: 'text'; text: string }; readonly index: number } | undefined;

  constructor(
    private readonly message: AssistantMessage,
    private readonly push: (event: AssistantMessageEvent) => void,
  ) {}

  /** To be called once, before anything else. */
  start(): void {
    this.push({ type: 'start', partial: this.message });
  }

  text(delta: string): void {
    if (delta === '') return;
    this.open ??= this.openText();
    const { block, index } = this.open;
    block.text += delta;
    this.push({ type: 'text_delta', contentIndex: index, delta, partial: this.message });
  }

  toolCall(call: Pick<ToolCall, 'id' | 'name'> & GivenCall): void {
    this.closeText();
    const { message: partial } = this;
    const toolCall: ToolCall = { type: 'toolCall', id: call.id, name: call.name, arguments: {} };
    const contentIndex = partial.content.push(toolCall) - 1;
    this.push({ type: 'toolcall_start', contentIndex, partial });
    this.push({ type: 'toolcall_delta', contentIndex, delta: JSON.stringify(call.arguments ?? {}), partial });
    Object.assign(toolCall, withObjectArguments(call));
    this.push({ type: 'toolcall_end', contentIndex, toolCall, partial });
  }

  /** Ends the open block and tells how the reply ended. Nothing may be written after it. */
  done(): void {
    this.closeText();
    const { message } = this;
    const reason = message.content.some(block => block.type === 'toolCall') ? 'toolUse' : 'stop';
    message.stopReason = reason;
    this.push({ type: 'done', reason, message });
  }

  private openText(): NonNullable<ReplyWriter['open']> {
    const block = { type: 'text' as const, text: '' };
    const index = this.message.content.push(block) - 1;
    this.push({ type: 'text_start', contentIndex: index, partial: this.message });
    return { block, index };
  }

  private closeText(): void {
    if (this.open === undefined) return;
    const { block, index } = this.open;
    this.open = undefined;
    this.push({ type: 'text_end', contentIndex: index, content: block.text, partial: this.message });
  }
}
