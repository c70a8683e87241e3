import type { Api, AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import { parseJsonWithRepair } from './partial-json';
import { isTooDeep, isTooDeepText } from './reply-bounds';
import { noteFailure, requestFailure } from './request-failure';

/**
 * Refuses replies whose tool arguments are cut. pi-ai closes whatever JSON it has when the body of a stream ends early
 * or the output limit is hit, so `rm -rf /tmp/x` could run as `rm -rf /`: such a reply becomes an error. Broken JSON in
 * a reply that its provider declares complete is the model's own mistake and goes on to validation. Arguments that are nested
 * too deep are refused as well.
 */
export class ToolArgumentsWatch {
  private readonly open = new Set<number>();
  private readonly texts = new Map<number, string[]>();
  private readonly isResponses: boolean;
  private broken: string | undefined;

  constructor(api: Api) {
    this.isResponses = api.includes('responses');
  }

  /** Call this with each event. Returns why the reply cannot go on, if it cannot. */
  see(event: AssistantMessageEvent): string | undefined {
    if (event.type === 'toolcall_start') {
      this.open.add(event.contentIndex);
      this.texts.set(event.contentIndex, []);
      const block = event.partial.content[event.contentIndex];
      if (block?.type === 'toolCall' && isTooDeep(block.arguments)) return tooDeep(block.name);
    } else if (event.type === 'toolcall_delta') {
      this.texts.get(event.contentIndex)?.push(event.delta);
    } else if (event.type === 'toolcall_end') {
      const text = (this.texts.get(event.contentIndex) ?? []).join('');
      this.open.delete(event.contentIndex);
      this.texts.delete(event.contentIndex);
      const { name, arguments: given } = event.toolCall;
      if (isTooDeepText(text) || isTooDeep(given)) return tooDeep(name);
      if (!this.isWhole(text)) this.broken ??= name;
    }
    return undefined;
  }

  /** The final event for a message that its client calls complete. */
  check(message: AssistantMessage): AssistantMessageEvent {
    const deep = withoutDeepArguments(message);
    if (deep !== undefined) {
      noteFailure(message, requestFailure('unknown'));
      message.stopReason = 'error';
      message.errorMessage = tooDeep(deep);
      return { type: 'error', reason: 'error', error: message };
    }
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

  private isWhole(text: string): boolean {
    // The responses API sends the whole arguments once more at the end; what came in deltas need not be complete.
    if (this.isResponses) return true;
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

function tooDeep(tool: string): string {
  return `The arguments of tool "${tool}" are nested too deep. The call was not made.`;
}

/** Removes arguments that are nested too deep, so that nothing has to follow them. Returns the name of the first tool. */
export function withoutDeepArguments(message: AssistantMessage): string | undefined {
  const calls = message.content.filter(block => block.type === 'toolCall').filter(call => isTooDeep(call.arguments));
  for (const call of calls) call.arguments = {};
  return calls[0]?.name;
}
