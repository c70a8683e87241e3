import type { Context, Message } from '@mariozechner/pi-ai';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { userText } from './turn';

interface Facts {
  readonly asked: readonly string[];
  readonly calls: readonly string[];
  readonly errors: readonly string[];
  readonly last: string;
}

const MAX_ITEMS = 20;
const MAX_CHARS = 160;

/**
 * The answer to a request for a summary (compaction, branch summary), or undefined when the context is an ordinary
 * conversation. A summary is asked for when no tools are offered and the system prompt or the last message mentions one.
 */
export function summaryFor(context: Context): string | undefined {
  if (context.tools !== undefined && context.tools.length > 0) return undefined;
  const last = context.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const question = userText(last);
  const transcript = /<conversation>([\s\S]*)<\/conversation>/.exec(question)?.[1];
  const instructions = transcript === undefined ? question : question.split(transcript).join('');
  if (!/\bsummar/i.test(`${context.systemPrompt ?? ''}\n${instructions}`)) return undefined;
  const previous = /<previous-summary>([\s\S]*)<\/previous-summary>/.exec(instructions)?.[1]?.trim();
  const facts = transcript === undefined ? factsOfMessages(context.messages.slice(0, -1)) : factsOfText(transcript);
  return write(facts, previous);
}

function write({ asked, calls, errors, last }: Facts, previous: string | undefined): string {
  const sections = [
    section('Goal', asked.slice(0, 1)),
    ...(previous === undefined ? [] : [`## Earlier\n${previous}`]),
    `## Progress\n### Done\n${list(calls.map(call => `[x] ${call}`))}\n### Asked for\n${list(asked)}`,
    section('Problems', errors),
    section('Where it stands', last === '' ? [] : [last]),
  ];
  return sections.join('\n\n');
}

function section(title: string, items: readonly string[]): string {
  return `## ${title}\n${list(items)}`;
}

function list(items: readonly string[]): string {
  if (items.length === 0) return '- (none)';
  const shown =
    items.length > MAX_ITEMS ? [`(${items.length - MAX_ITEMS} earlier)`, ...items.slice(-MAX_ITEMS)] : items;
  return shown.map(item => `- ${item}`).join('\n');
}

function factsOfMessages(messages: readonly Message[]): Facts {
  const replies = messages.filter(message => message.role === 'assistant').flatMap(message => message.content);
  const calls = replies.filter(block => block.type === 'toolCall');
  const texts = replies.filter(block => block.type === 'text');
  const failed = messages.filter(message => message.role === 'toolResult' && message.isError);
  return {
    asked: messages.filter(message => message.role === 'user').map(message => shorten(userText(message))),
    calls: calls.map(call => shorten(`${call.name} ${JSON.stringify(call.arguments)}`)),
    errors: failed.map(message => shorten(plainText(message))),
    last: shorten(texts.at(-1)?.text ?? ''),
  };
}

function plainText({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map(part => (part.type === 'text' ? part.text : '')).join(' ');
}

/** Reads pi's serialised conversation: paragraphs that begin with `[User]:`, `[Assistant tool calls]:` and so on. */
function factsOfText(text: string): Facts {
  const parts = text.split(/\n(?=\[(?:User|Assistant|Tool)[^\]\n]*\]:)/).flatMap(part => {
    const match = /^\s*\[([^\]\n]*)\]:\s*([\s\S]*)$/.exec(part);
    return match === null ? [] : [{ who: match[1], what: shorten(match[2] ?? '') }];
  });
  const by = (who: string): string[] => parts.filter(part => part.who === who).map(part => part.what);
  const last = parts.length === 0 ? shorten(text) : (by('Assistant').at(-1) ?? '');
  return { asked: by('User'), calls: by('Assistant tool calls'), errors: [], last };
}

function shorten(text: string): string {
  return clipped(singleLine(text), MAX_CHARS);
}
