import * as l10n from '@vscode/l10n';
import type { AgentMessage, ContentPart } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import type { RunStatus } from '../../protocol/messages';

/** Sums by list: asked for at each message, so that what was summed before is not summed again. */
const sums = new WeakMap<readonly AgentMessage[], { readonly count: number; readonly sum: number }>();

/** US dollars that the answers in the context cost. The list may grow between calls, not change otherwise. */
export function spentOn(messages: readonly AgentMessage[]): number {
  const known = sums.get(messages);
  let { count, sum } = known !== undefined && known.count <= messages.length ? known : { count: 0, sum: 0 };
  for (; count < messages.length; count++) {
    const message = messages[count];
    if (message?.role === 'assistant') sum += message.usage.cost.total;
  }
  sums.set(messages, { count, sum });
  return sum;
}

/** Text of the last answer, empty when there is none. */
export function lastAnswerText(messages: readonly AgentMessage[]): string {
  const last = messages.findLast(message => message.role === 'assistant');
  if (last?.role !== 'assistant') return '';
  return last.content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** What was said in messages of the user, images left out. */
export function userTexts(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap(message => (message.role === 'user' ? [plainText(message.content)] : []));
}

/** Every message of the user in the session, of all branches, with the entry it can be forked from. */
export function forkPoints(store: SessionStore): { readonly entryId: string; readonly text: string }[] {
  return store.getEntries().flatMap(entry => {
    const message = messageOfEntry(entry);
    const text = message?.role === 'user' ? plainText(message.content) : '';
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

/** Counts what is in the context now. */
export function sessionStats(store: SessionStore, messages: readonly AgentMessage[]): SessionStats {
  const answers = messages.filter(message => message.role === 'assistant');
  const count = (role: AgentMessage['role']): number => messages.filter(message => message.role === role).length;
  const sum = (kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite'): number =>
    answers.reduce((total, { usage }) => total + usage[kind], 0);
  const used = {
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
  };
  return {
    sessionFile: store.getSessionFile(),
    sessionId: store.getSessionId(),
    userMessages: count('user'),
    assistantMessages: answers.length,
    toolCalls: answers.flatMap(({ content }) => content.filter(part => part.type === 'toolCall')).length,
    toolResults: count('toolResult'),
    totalMessages: messages.length,
    tokens: { ...used, total: used.input + used.output + used.cacheRead + used.cacheWrite },
    cost: spentOn(messages),
  };
}

function plainText(content: string | readonly ContentPart[]): string {
  return typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** What `/session` tells. */
export function describeSession(store: SessionStore, status: RunStatus): string {
  const path = store.getPathIds();
  const messages = path.filter(node => node.type === 'message').length;
  const lines = [
    l10n.t('Session: {0}', store.getSessionName() ?? store.getSessionId()),
    l10n.t('File: {0}', store.getSessionFile() ?? l10n.t('none (in memory)')),
    l10n.t('Messages: {0}, entries: {1}', messages, path.length),
  ];
  if (status.context !== undefined) {
    lines.push(l10n.t('Context: {0} of {1} tokens', status.context.tokens ?? l10n.t('unknown'), status.context.window));
  }
  if (status.cost !== undefined) lines.push(l10n.t('Cost: {0}', `$${status.cost.toFixed(4)}`));
  return lines.join('\n');
}
