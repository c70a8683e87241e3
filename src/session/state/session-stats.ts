import type { AgentMessage, ContentPart } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import { addUsage, NO_USAGE, usageOf } from '../../agent/session/usage';
import type { ReadableSession } from '../../agent/session/readable-session';

/**
 * Text of the last answer, empty when there is none or when it ended normally without text. Answers without text that
 * failed, were stopped or only call tools are skipped, as in today's pi.
 */
export function lastAnswerText(messages: readonly AgentMessage[]): string {
  const last = messages.findLast(
    message => message.role === 'assistant' && (message.stopReason === 'stop' || answerText(message).trim() !== ''),
  );
  return last?.role === 'assistant' ? answerText(last) : '';
}

function answerText({ content }: Extract<AgentMessage, { role: 'assistant' }>): string {
  return content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** The texts of the messages of the user, without images. */
export function userTexts(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap(message => (message.role === 'user' ? [joinedText(message.content)] : []));
}

/** Every message of the user in the session, of all branches, with the entry it can be forked from. */
export function forkPoints(store: SessionStore): { readonly entryId: string; readonly text: string }[] {
  return store.getEntries().flatMap(entry => {
    const message = messageOfEntry(entry);
    const text = message?.role === 'user' ? joinedText(message.content) : '';
    return text === '' ? [] : [{ entryId: entry.id, text }];
  });
}

/** Numbers of a session, in pi's words (its RPC command `get_session_stats`); tokens and dollars are sums of usage. */
export interface SessionStats {
  readonly sessionFile: string | undefined;
  readonly sessionId: string;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  };
  readonly cost: number;
}

/** Counts the whole session, as pi does, including other branches and summarized entries. */
export function sessionStats(store: ReadableSession): SessionStats {
  const messages: (AgentMessage | undefined)[] = [];
  let totals = NO_USAGE;
  for (const entry of store.getEntries()) {
    const usage = usageOf(entry);
    if (usage !== undefined) totals = addUsage(totals, usage);
    if (entry.type === 'message') messages.push(messageOfEntry(entry));
  }
  return numbersOf(store, messages, totals);
}

/** Counts these messages of a session and no others, as pi did up to 0.73 with those of the context. */
export function contextStats(store: ReadableSession, messages: readonly AgentMessage[]): SessionStats {
  const answers = messages.filter(message => message.role === 'assistant');
  const totals = answers.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  return numbersOf(store, messages, totals);
}

function numbersOf(
  store: ReadableSession,
  messages: readonly (AgentMessage | undefined)[],
  { input, output, cacheRead, cacheWrite, cost }: typeof NO_USAGE,
): SessionStats {
  const count = { user: 0, assistant: 0, toolResult: 0, calls: 0 };
  for (const message of messages) {
    if (message?.role === 'user' || message?.role === 'assistant' || message?.role === 'toolResult') {
      count[message.role] += 1;
    }
    if (message?.role === 'assistant') count.calls += message.content.filter(part => part.type === 'toolCall').length;
  }
  return {
    sessionFile: store.getSessionFile(),
    sessionId: store.getSessionId(),
    userMessages: count.user,
    assistantMessages: count.assistant,
    toolCalls: count.calls,
    toolResults: count.toolResult,
    totalMessages: messages.length,
    tokens: { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite },
    cost: cost.total,
  };
}

/** The texts of a message without anything between them; images are left out. */
export function joinedText(content: string | readonly ContentPart[]): string {
  return typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')).join('');
}
