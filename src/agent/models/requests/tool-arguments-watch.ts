import type { Api, AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import { parseJsonWithRepair } from './partial-json';
import { noteFailure, requestFailure } from './request-failure';

/**
 * Refuses replies whose tool arguments are cut. pi-ai closes whatever JSON it has when the body of a stream ends early
 * or the output limit is hit, so `rm -rf /tmp/x` could run as `rm -rf /`: such a reply becomes an error. Broken JSON in
 * a reply that its provider declares complete is the model's own mistake and goes on to validation.
 */
export class ToolArgumentsWatch {
  private readonly open = new Set<number>();
  private readonly texts = new Map<number, string[]>();
  private readonly isResponses: boolean;
  private broken: string | undefined;

  constructor(api: Api) {
    this.isResponses = api.includes('responses');
  }

  see(event: AssistantMessageEvent): void {
    if (event.type === 'toolcall_start') {
      this.open.add(event.contentIndex);
      this.texts.set(event.contentIndex, []);
    } else if (event.type === 'toolcall_delta') {
      this.texts.get(event.contentIndex)?.push(event.delta);
    } else if (event.type === 'toolcall_end') {
      this.open.delete(event.contentIndex);
      if (!this.isWhole(event.contentIndex)) this.broken ??= event.toolCall.name;
      this.texts.delete(event.contentIndex);
    }
  }

  /** The final event for a message that its client calls complete. */
  check(message: AssistantMessage): AssistantMessageEvent {
    if (message.stopReason === 'toolUse') return { type: 'done', reason: 'toolUse', message };
    const reason = message.stopReason === 'length' ? 'length' : 'stop';
    const name = this.broken ?? this.neverEnded(message);
    if (name === undefined) return { type: 'done', reason, message };
    const why =
      reason === 'length'
        ? `Provider "${message.provider}" reached its output limit`
        : `Connection error: the reply of provider "${message.provider}" was cut`;
    noteFailure(message, requestFailure(reason === 'length' ? 'unknown' : 'cut'));
    message.stopReason = 'error';
    message.errorMessage = `${why} in the middle of the arguments of tool "${name}". The call was not made.`;
    return { type: 'error', reason: 'error', error: message };
  }

  /** Among the built-in clients, only those of the responses APIs leave a call open when the body ends early. */
  private neverEnded(message: AssistantMessage): string | undefined {
    const [index] = this.isResponses ? this.open : [];
    const block = index === undefined ? undefined : message.content[index];
    return block?.type === 'toolCall' ? block.name : undefined;
  }

  private isWhole(contentIndex: number): boolean {
    // The responses API sends the whole arguments once more at the end; what came in deltas need not be complete.
    if (this.isResponses) return true;
    const text = (this.texts.get(contentIndex) ?? []).join('');
    if (text.trim() === '') return true;
    try {
      parseJsonWithRepair(text);
      return true;
    } catch {
      // Not JSON: the arguments are cut.
      return false;
    }
  }
}
