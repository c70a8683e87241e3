import { alongList } from '../base/along-list';
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  CustomMessage,
  Message,
  TextContent,
} from './messages';

/** Longest tool result in a transcript for a summary, in UTF-16 units. */
const TRANSCRIPT_RESULT_CHARS = 2000;

/**
 * What the model sees of the conversation: our own kinds of messages become user messages,
 * `!!` commands and unknown roles are left out. Messages the model knows pass as the same objects. The result is the
 * caller's own. Messages must not be changed after they were in a list that was converted; new ones may take their
 * place.
 */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  return converted(messages).slice();
}

/** The same with the system messages at their places. */
export function convertInPlace(messages: readonly AgentMessage[]): Message[] {
  return convertedInPlace(messages).slice();
}

/** If a context only grows, each of its messages is converted once. */
const converted = convertedAlong(convertMessage);
const convertedInPlace = convertedAlong(message =>
  message.role === 'system' ? (message as Message) : convertMessage(message),
);

function convertedAlong(
  convert: (message: AgentMessage) => Message | undefined,
): (messages: readonly AgentMessage[]) => Message[] {
  return alongList<AgentMessage, Message[]>(
    () => [],
    (to, message) => {
      const each = convert(message);
      if (each !== undefined) to.push(each);
    },
  );
}

/** Replaces images that must not be sent (pi's setting `images.blockImages`). */
const NO_IMAGE = 'Image reading is disabled.';

/** The same messages with a text in place of images; one text for several images in a row. */
export function withoutImages(messages: readonly Message[]): Message[] {
  return messages.map(message => {
    if (message.role === 'assistant' || typeof message.content === 'string') return message;
    if (!message.content.some(({ type }) => type === 'image')) return message;
    const content: TextContent[] = [];
    for (const block of message.content) {
      if (block.type === 'text') content.push(block);
      else if (content.at(-1)?.text !== NO_IMAGE) content.push({ type: 'text', text: NO_IMAGE });
    }
    return { ...message, content };
  });
}

/** One message as the model sees it. Undefined if it does not see it. */
function convertMessage(message: AgentMessage): Message | undefined {
  switch (message.role) {
    case 'system':
      return undefined; // The request has separate fields for the prompt and the tools.
    case 'user':
    case 'assistant':
    case 'toolResult':
      return message;
    case 'bashExecution':
      return message.excludeFromContext === true ? undefined : asUser(bashText(message), message.timestamp);
    case 'custom':
      if (typeof message.content === 'string') return asUser(message.content, message.timestamp);
      return { role: 'user', content: message.content, timestamp: message.timestamp };
    case 'branchSummary':
      return asUser(branchText(message.summary), message.timestamp);
    case 'compactionSummary':
      return asUser(compactionText(message.summary), message.timestamp);
    default:
      return convertUnknown(message);
  }
}

/**
 * Hooks may pass roles that the types do not know; `hookMessage` is the older name of `custom` (docs/dialects.md, C20).
 */
function convertUnknown(message: { readonly role: string }): Message | undefined {
  if (message.role !== 'hookMessage') return undefined;
  return convertMessage({ ...message, role: 'custom' } as CustomMessage);
}

function asUser(text: string, timestamp: number): Message {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

function bashText(message: BashExecutionMessage): string {
  const output = message.output === '' ? '(no output)' : `\`\`\`\n${message.output}\n\`\`\``;
  const notes: string[] = [];
  if (message.cancelled) notes.push('(command cancelled)');
  // Files of other writers hold null where there is no exit code.
  else if (typeof message.exitCode === 'number' && message.exitCode !== 0) {
    notes.push(`Command exited with code ${message.exitCode}`);
  }
  if (message.truncated && message.fullOutputPath !== undefined) {
    notes.push(`[Output truncated. Full output: ${message.fullOutputPath}]`);
  }
  return [`Ran \`${message.command}\`\n${output}`, ...notes].join('\n\n');
}

function compactionText(summary: string): string {
  return `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`;
}

function branchText(summary: string): string {
  return `Before this point the conversation went along another branch, which was left again. What happened there:\n\n<summary>\n${summary}\n</summary>`;
}

/** A conversation as plain text for a summary, so that a model reads it instead of continuing it. */
export function serializeConversation(messages: readonly Message[]): string {
  return messages.flatMap(transcriptOf).join('\n\n');
}

function transcriptOf(message: Message): string[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return part('User', typeof message.content === 'string' ? message.content : joinedTexts(message.content));
    case 'assistant':
      return assistantTranscript(message);
    case 'toolResult':
      return part('Tool result', cut(joinedTexts(message.content)));
  }
}

function assistantTranscript(message: AssistantMessage): string[] {
  const thinking = message.content.flatMap(block => (block.type === 'thinking' ? [block.thinking] : []));
  const texts = message.content.flatMap(block => (block.type === 'text' ? [block.text] : []));
  const calls = message.content.flatMap(block => {
    if (block.type !== 'toolCall') return [];
    const given: Record<string, unknown> = block.arguments;
    const args = Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [`${block.name}(${args.join(', ')})`];
  });
  return [
    ...part('Assistant thinking', thinking.join('\n')),
    ...part('Assistant', texts.join('\n')),
    ...part('Assistant tool calls', calls.join('; ')),
  ];
}

function part(who: string, text: string): string[] {
  return text === '' ? [] : [`[${who}]: ${text}`];
}

function joinedTexts(content: readonly { readonly type: string }[]): string {
  return content
    .filter((block): block is TextContent => block.type === 'text')
    .map(block => block.text)
    .join('');
}

function cut(text: string): string {
  if (text.length <= TRANSCRIPT_RESULT_CHARS) return text;
  const rest = text.length - TRANSCRIPT_RESULT_CHARS;
  return `${text.slice(0, TRANSCRIPT_RESULT_CHARS)}\n\n[... ${rest} more characters truncated]`;
}
