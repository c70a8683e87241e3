import type { Context, Message, Tool, ToolResultMessage, UserMessage } from '@mariozechner/pi-ai';
import { clipped } from '../base/text/clipped';
import { fenced } from '../base/text/fenced';
import { singleLine } from '../base/text/single-line';
import { CAPABILITIES, parseRequest, type DemoCall } from './requests';

/** What the demo model says next. */
export interface DemoReply {
  readonly thinking: string;
  readonly text: string;
  readonly call: DemoCall | undefined;
}

/** The tool that ends plan mode. */
const PLAN_TOOL = 'present_plan';

/**
 * Decides the reply to a context: a summary when one is asked for, else the next call that the user wants, else what came of the
 * calls. Read from the messages alone, so the same context gives the same reply.
 */
export function replyTo(context: Context): DemoReply {
  const { messages, tools = [] } = context;
  const summary = tools.length > 0 ? undefined : summaryFor(messages);
  if (summary !== undefined) return say(summary);
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(lastReply + 1).filter(message => message.role === 'toolResult');
  const reports = results.filter(({ toolName }) => toolName !== PLAN_TOOL).map(describeResult);
  const isNew = messages.slice(lastReply + 1).some(message => callsOf(message).length > 0);
  const open = !isNew && (results.length === 0 || results.some(isBlocked)) ? [] : openCalls(messages);
  const [next] = open;
  if (next === undefined) return say(...(results.length > 0 ? reports : [CAPABILITIES]));
  const call = offered(next, tools);
  if (call !== undefined) return announce(call, reports);
  if (!tools.some(({ name }) => name === PLAN_TOOL)) {
    return say(...reports, `I need the tool "${next.name}" for that, but it was not offered to me.`);
  }
  if (results.some(({ toolName }) => toolName === PLAN_TOOL)) return say(...reports, 'Tell me what to do instead.');
  const plan = open.map(({ name, args }, index) => `${index + 1}. ${name} ${inCode(subjectOf(args))}`).join('\n');
  const text = [...reports, 'You are in Plan mode, so I will present a plan.'].join('\n\n');
  return { thinking: '', text, call: { name: PLAN_TOOL, args: { plan } } };
}

/** The calls that the user asked for last, without those that were made; messages that came together count together. */
function openCalls(messages: readonly Message[]): readonly DemoCall[] {
  const last = messages.findLastIndex(message => callsOf(message).length > 0);
  const before = messages.slice(0, last).findLastIndex(({ role }) => role !== 'user');
  const asked = messages.slice(before + 1, last + 1).flatMap(callsOf);
  const made = messages
    .slice(last)
    .flatMap(message => (message.role === 'assistant' ? message.content : []))
    .filter(block => block.type === 'toolCall' && block.name !== PLAN_TOOL);
  return asked.slice(made.length);
}

function callsOf(message: Message): readonly DemoCall[] {
  return message.role === 'user' ? parseRequest(userText(message)) : [];
}

/** The text of a user message without attached files. */
function userText({ content }: UserMessage): string {
  const text =
    typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')).join('\n');
  return text.replace(/<(file|context) (?:name|source)="[^"]*">[\s\S]*?<\/\1>/g, '').trim();
}

/** Errors of our tools; any other error text is the reason of a block. A model only sees texts, so the demo model does, too. */
const TOOL_ERRORS: readonly RegExp[] = [
  /Command exited with code \d+\s*$/,
  /Command (?:aborted|timed out after \d+)/,
  /^Operation aborted|^E[A-Z]{2,}\b|^Skipped due to queued user message/,
  /^(?:File|Path|Directory) not found|^Not a (?:directory|file)|^Cannot /,
  /^Could not find the exact text|^Found \d+ occurrences|^No changes made|^Offset \d+ is beyond/,
  /^Validation failed for tool|^Tool \S+ not found/,
];

const QUOTED_LINES = 8;
const QUOTED_CHARS = 400;

/** Whether a hook or the user did not let the call run. */
function isBlocked(result: ToolResultMessage): boolean {
  return result.isError && !TOOL_ERRORS.some(pattern => pattern.test(resultText(result)));
}

/** A sentence or two about a result, with the beginning of what the tool gave. */
function describeResult(result: ToolResultMessage): string {
  const { toolName, isError } = result;
  const text = resultText(result);
  if (isBlocked(result)) {
    const reason = text === '' ? 'no reason was given' : `"${text}"`;
    return `The ${toolName} call was blocked: ${reason}${/[.!?]"$/.test(reason) ? '' : '.'} I will not try another way.`;
  }
  if (isError) return `${toolName} failed:\n${quote(text)}`;
  if (text === '' || text === '(no output)') return `${toolName} is done and printed nothing.`;
  const lines = text.split('\n').length;
  if ((toolName === 'write' || toolName === 'edit') && lines === 1) return text;
  return `${toolName} returned ${lines === 1 ? 'one line' : `${lines} lines`}:\n${quote(text)}`;
}

function resultText({ content }: ToolResultMessage): string {
  return content
    .map(part => (part.type === 'text' ? part.text : `[${part.mimeType} image]`))
    .join('\n')
    .trim();
}

function quote(text: string): string {
  const shown = text.slice(0, QUOTED_CHARS).split('\n').slice(0, QUOTED_LINES).join('\n');
  return fenced(shown.length < text.length ? `${shown}\n…` : shown);
}

/** The call as its tool takes it; undefined when the tool is not offered. */
function offered({ name, args }: DemoCall, tools: readonly Tool[]): DemoCall | undefined {
  const tool = tools.find(each => each.name === name);
  if (tool === undefined) return undefined;
  const parameters: { readonly properties?: Readonly<Record<string, unknown>> } = tool.parameters;
  if (name !== 'edit' || parameters.properties?.['edits'] === undefined) return { name, args };
  // Newer edit tools take several replacements at once.
  const { path, ...replacement } = args;
  return { name, args: { path, edits: [replacement] } };
}

function announce(call: DemoCall, reports: readonly string[]): DemoReply {
  const { name, args } = call;
  const subject = subjectOf(args);
  const text = subject === '' ? `I will use ${name}.` : `I will use ${name}: ${inCode(subject)}`;
  return {
    thinking: `The user wants something that the tool ${name} can do. I will call it with ${JSON.stringify(args)}.`,
    text: [...reports, text].join('\n\n'),
    call,
  };
}

function subjectOf(args: DemoCall['args']): string {
  const subject = args['command'] ?? args['path'] ?? args['pattern'];
  return typeof subject === 'string' ? subject : '';
}

function inCode(text: string): string {
  if (text === '') return '';
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

const SUMMARY_CHARS = 160;

/** The answer to a request for a summary (compaction, branch); undefined when the last message is another one. */
function summaryFor(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1);
  const question = last?.role === 'user' ? userText(last) : '';
  const conversation = /<conversation>([\s\S]*)<\/conversation>/.exec(question)?.[1];
  if (conversation === undefined) return undefined;
  const previous = /<previous-summary>([\s\S]*)<\/previous-summary>/.exec(question)?.[1]?.trim();
  // The conversation is a text of paragraphs that begin with `[User]:`, `[Assistant tool calls]:` and so on.
  const parts = conversation.split(/\n(?=\[(?:User|Assistant|Tool)[^\]\n]*\]:)/).map(part => part.trim());
  const list = (label: string): string => {
    const items = parts.filter(part => part.startsWith(label)).map(part => part.slice(label.length));
    return items.map(item => `- ${clipped(singleLine(item.trim()), SUMMARY_CHARS)}`).join('\n') || '- (none)';
  };
  return [
    ...(previous === undefined ? [] : [`## Earlier\n${previous}`]),
    `## Asked for\n${list('[User]:')}`,
    `## Done\n${list('[Assistant tool calls]:')}`,
  ].join('\n\n');
}

function say(...texts: readonly string[]): DemoReply {
  return { thinking: '', text: texts.join('\n\n'), call: undefined };
}
