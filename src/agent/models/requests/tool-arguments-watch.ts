import type { Api, AssistantMessage, AssistantMessageEvent, ToolCall } from '@mariozechner/pi-ai';
import { isTooDeep, JsonDepth } from './reply-bounds';
import { noteFailure, requestFailure } from './request-failure';

/** pi-ai's reading of the whole text of arguments. */
export type ParseArguments = (text: string) => Pick<ToolCall, 'arguments' | 'argumentsError'>;

/**
 * Refuses replies whose tool arguments were cut by the output limit, or are nested too deep. Other arguments that are not a JSON
 * object are a mistake of the model: they become `argumentsError`, which the model gets as the result of its call.
 */
export class ToolArgumentsWatch {
  private readonly open = new Map<number, { readonly depth: JsonDepth; text: string }>();
  private broken: string | undefined;

  constructor(
    private readonly api: Api,
    private readonly parse: ParseArguments,
  ) {}

  /** Call this with each event. Returns why the reply cannot go on, if it cannot. */
  see(event: AssistantMessageEvent): string | undefined {
    if (event.type === 'toolcall_start') {
      this.open.set(event.contentIndex, { depth: new JsonDepth(), text: '' });
      const block = event.partial.content[event.contentIndex];
      if (block?.type === 'toolCall' && isTooDeep(block.arguments)) return tooDeep(block.name);
    } else if (event.type === 'toolcall_delta') {
      const block = event.partial.content[event.contentIndex];
      const open = this.open.get(event.contentIndex);
      if (open !== undefined) open.text += event.delta;
      const isDeep = open?.depth.isTooDeepWith(event.delta) === true;
      if (isDeep && block?.type === 'toolCall') return tooDeep(block.name);
    } else if (event.type === 'toolcall_end') {
      this.open.delete(event.contentIndex);
      const { name, arguments: given, argumentsError } = event.toolCall;
      if (isTooDeep(given)) return tooDeep(name);
      if (argumentsError !== undefined) this.broken ??= name;
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
    if (this.api === 'anthropic-messages') this.end(message);
    if (message.stopReason === 'toolUse') return { type: 'done', reason: 'toolUse', message };
    const reason = message.stopReason === 'length' ? 'length' : 'stop';
    const name = reason === 'length' ? (this.broken ?? this.neverEnded(message)) : this.neverEnded(message);
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

  /** If a server leaves out the end of a call, the client continues with what it could read of the arguments. */
  private end(message: AssistantMessage): void {
    for (const [index, { text }] of this.open) {
      const block = message.content[index];
      if (block?.type === 'toolCall') Object.assign(block, this.parse(text));
    }
  }

  /** Among the built-in clients, only those of the responses APIs leave a call open when the body ends early. */
  private neverEnded(message: AssistantMessage): string | undefined {
    const [index] = this.api.includes('responses') ? this.open.keys() : [];
    const block = index === undefined ? undefined : message.content[index];
    return block?.type === 'toolCall' ? block.name : undefined;
  }
}

function tooDeep(tool: string): string {
  return `The arguments of tool "${tool}" are nested too deep. The call was not made.`;
}

/** Removes arguments that are nested too deep, so that no code has to walk them. Returns the name of the first tool. */
export function withoutDeepArguments(message: AssistantMessage): string | undefined {
  const calls = message.content.filter(block => block.type === 'toolCall').filter(call => isTooDeep(call.arguments));
  for (const call of calls) call.arguments = {};
  return calls[0]?.name;
}
