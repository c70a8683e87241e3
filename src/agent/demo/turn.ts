import type { Message, ToolResultMessage, UserMessage } from '@mariozechner/pi-ai';
import { parseRequests, type DemoRequest } from './requests';

/** What the conversation asks of the demo model now; read from the messages alone, so that it needs no memory. */
export interface DemoTurn {
  /** All requests of the current run. */
  readonly requests: readonly DemoRequest[];
  /** Number of tool requests of {@link requests} that were called already; a plan does not count. */
  readonly called: number;
  /** Results since the last reply, in order. */
  readonly results: readonly ToolResultMessage[];
  /** Texts of the user since the last reply that ask for nothing the demo knows. */
  readonly remarks: readonly string[];
  /** Steps of an earlier request that a newer one replaced. */
  readonly dropped: number;
}

interface Asked {
  readonly requests: readonly DemoRequest[];
  readonly at: number;
}

// Messages that others put in the user's role: they tell what happened and ask for nothing.
const NOT_ASKING =
  /^(?:The conversation history before this point was compacted|The following is a summary of a branch|Previous session summary:|Ran `)/;

/** The tool that ends plan mode. */
export const PLAN_TOOL = 'present_plan';

/** Computes what to do next from the whole conversation. */
export function readTurn(messages: readonly Message[]): DemoTurn {
  const lastReply = messages.findLastIndex(message => message.role === 'assistant');
  const fresh = messages.slice(lastReply + 1);
  const texts = fresh.filter(message => message.role === 'user').map(userText);
  const requests = texts.flatMap(parseRequests);
  const results = fresh.filter(message => message.role === 'toolResult');
  const earlier = earlierRequests(messages, lastReply + 1);
  const open = earlier === undefined ? [] : openRequests(messages, earlier);
  if (requests.length > 0) return { requests, called: 0, results, remarks: [], dropped: open.length };
  const remarks = texts.filter(text => text !== '' && !NOT_ASKING.test(text));
  const goesOn = results.length > 0 || open.length > 0;
  if (earlier === undefined || !goesOn) return { requests: [], called: 0, results, remarks, dropped: 0 };
  return { requests: earlier.requests, called: toolCallsSince(messages, earlier.at), results, remarks, dropped: 0 };
}

/** The text of a user message without attached files. */
export function userText(message: UserMessage): string {
  const text =
    typeof message.content === 'string'
      ? message.content
      : message.content.map(part => (part.type === 'text' ? part.text : '')).join('\n');
  return text.replace(/<(file|context) (?:name|source)="[^"]*">[\s\S]*?<\/\1>/g, '').trim();
}

/** The last messages before `end` that asked for something, taken together when they are together. */
function earlierRequests(messages: readonly Message[], end: number): Asked | undefined {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (messages[at]?.role !== 'user') continue;
    let start = at;
    while (messages[start - 1]?.role === 'user') start -= 1;
    const group = messages.slice(start, at + 1).filter(message => message.role === 'user');
    const requests = group.flatMap(message => parseRequests(userText(message)));
    if (requests.length > 0) return { requests, at };
    at = start;
  }
  return undefined;
}

/** Tool requests that were neither called nor dropped. */
function openRequests(messages: readonly Message[], asked: Asked): readonly DemoRequest[] {
  const wasStopped = messages
    .slice(asked.at)
    .some(message => message.role === 'assistant' && endsRun(message.stopReason));
  return wasStopped ? [] : asked.requests.filter(isTool).slice(toolCallsSince(messages, asked.at));
}

function endsRun(stopReason: string): boolean {
  return stopReason === 'stop' || stopReason === 'aborted';
}

function toolCallsSince(messages: readonly Message[], at: number): number {
  let calls = 0;
  for (const message of messages.slice(at)) {
    if (message.role !== 'assistant' || message.stopReason !== 'toolUse') continue;
    calls += message.content.filter(block => block.type === 'toolCall' && block.name !== PLAN_TOOL).length;
  }
  return calls;
}

/** True for requests that are carried out by calling a tool. */
export function isTool(request: DemoRequest): request is Extract<DemoRequest, { kind: 'tool' | 'edit' }> {
  return request.kind === 'tool' || request.kind === 'edit';
}
