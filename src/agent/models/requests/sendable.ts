import { randomUUID } from 'node:crypto';
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Message,
  SystemMessage,
  ToolCall,
} from '@mariozechner/pi-ai';
import { wellFormed, wellFormedText } from '../../../base/json/well-formed';

/** The name of a call to which the model gave none. */
const NO_NAME = 'unnamed';

/** The names of tools that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function isToolName(name: string): boolean {
  return NAME.test(name);
}

/**
 * The request without what makes a provider refuse it and all later requests of the conversation: halves of surrogate pairs in
 * the prompt, in arguments of calls and in declarations of tools; calls without id or name, or with a name that no tool can have;
 * schemas of arguments that do not say that they are objects. Parts that need no change stay the same objects. Providers clean
 * the texts of messages.
 */
export function sendable(context: Context): Context {
  const { systemPrompt, messages, tools } = context;
  return {
    ...context,
    ...(systemPrompt === undefined ? {} : { systemPrompt: wellFormedText(systemPrompt) }),
    messages: sendableMessages(messages),
    ...(tools === undefined ? {} : { tools: tools.map(sendableTool) }),
  };
}

/** Gives complete calls an id and a name if the model gave none. */
export function nameCalls(event: AssistantMessageEvent): void {
  if (event.type === 'done') {
    for (const block of event.message.content) if (block.type === 'toolCall') nameCall(block);
  } else if (event.type === 'toolcall_end') {
    const { toolCall, partial, contentIndex } = event;
    nameCall(toolCall);
    const block = partial.content[contentIndex];
    if (block?.type === 'toolCall') Object.assign(block, { id: toolCall.id, name: toolCall.name });
  }
}

function nameCall(call: ToolCall): void {
  if (!isText(call.id)) call.id = `call_${randomUUID()}`;
  if (!isText(call.name)) call.name = NO_NAME;
}

/** Results without an id belong to the calls without one, in their order. */
function sendableMessages(messages: readonly Message[]): Message[] {
  let waiting: string[] = [];
  return messages.map((message, index) => {
    if (message.role === 'assistant') {
      waiting = [];
      if (!Array.isArray(message.content)) return message;
      const calls = message.content.flatMap((block, at) => (block.type === 'toolCall' ? [{ block, at }] : []));
      if (calls.every(({ block }) => isText(block.id))) return remembered(sendableAnswer)(message);
      const content = [...message.content];
      for (const { block, at } of calls) {
        if (isText(block.id)) continue;
        const id = `call_${index}_${at}`;
        waiting.push(id);
        content[at] = { ...block, id };
      }
      return sendableAnswer({ ...message, content });
    }
    if (message.role === 'system') return remembered(sendablePrompt)(message);
    if (message.role !== 'toolResult') return message;
    const toolCallId = isText(message.toolCallId) ? message.toolCallId : waiting.shift();
    const toolName = sendableName(message.toolName);
    if (toolCallId === undefined || (toolCallId === message.toolCallId && toolName === message.toolName)) {
      return message; // Without a call, it is left out later.
    }
    return { ...message, toolCallId, toolName };
  });
}

function sendablePrompt(message: SystemMessage): SystemMessage {
  const { toolsAdded, ...texts } = message;
  const tools = toolsAdded?.map(sendableTool);
  return { ...(wellFormed(texts) as typeof texts), ...(tools === undefined ? {} : { toolsAdded: tools }) };
}

function sendableAnswer(message: AssistantMessage): AssistantMessage {
  const content = message.content.map(block => (block.type === 'toolCall' ? sendableCall(block) : block));
  return content.every((block, at) => block === message.content[at]) ? message : { ...message, content };
}

function sendableCall(call: ToolCall): ToolCall {
  const name = sendableName(call.name);
  const args = wellFormed(call.arguments) as ToolCall['arguments'];
  return name === call.name && args === call.arguments ? call : { ...call, name, arguments: args };
}

function sendableName(name: unknown): string {
  if (!isText(name)) return NO_NAME;
  return isToolName(name) ? name : name.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, 64);
}

type Tool = NonNullable<Context['tools']>[number];

function sendableTool(tool: Tool): Tool {
  const { description, parameters: given } = tool;
  const parameters = remembered(sendableSchema)(given);
  const text = wellFormedText(description);
  return text === description && parameters === given ? tool : { ...tool, description: text, parameters };
}

/** Adds to a schema of arguments that they are an object, if it does not say so. */
function sendableSchema(schema: object): object {
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown };
  const isComplete = type === 'object' && properties !== undefined;
  return wellFormed(isComplete ? schema : { ...schema, type: 'object', properties: properties ?? {} }) as object;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const known = new WeakMap<(value: never) => object, WeakMap<object, object>>();

/** The function, with its results kept: parts of a request are the same objects in the next one, and never change. */
function remembered<V extends object>(make: (value: V) => V): (value: V) => V {
  const made = known.get(make) ?? new WeakMap<object, object>();
  known.set(make, made);
  return value => {
    const before = made.get(value) as V | undefined;
    if (before !== undefined) return before;
    const now = make(value);
    made.set(value, now);
    return now;
  };
}
