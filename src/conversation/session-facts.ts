import type { AgentMessage } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import type { RunStatus } from '../protocol/messages';

/** US dollars that the answers in the context cost. */
export function spentOn(messages: readonly AgentMessage[]): number {
  let sum = 0;
  for (const message of messages) if (message.role === 'assistant') sum += message.usage.cost.total;
  return sum;
}

/** Text of the last answer, empty when there is none. */
export function lastAnswerText(messages: readonly AgentMessage[]): string {
  const last = messages.findLast(message => message.role === 'assistant');
  if (last?.role !== 'assistant') return '';
  return last.content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** What `/session` tells. */
export function describeSession(store: SessionStore, status: RunStatus): string {
  const path = store.getPathIds();
  const messages = path.filter(node => node.type === 'message').length;
  const lines = [
    `Session: ${store.getSessionName() ?? store.getSessionId()}`,
    `File: ${store.getSessionFile() ?? 'none (in memory)'}`,
    `Messages: ${messages}, entries: ${path.length}`,
  ];
  if (status.context !== undefined) {
    lines.push(`Context: ${status.context.tokens ?? 'unknown'} of ${status.context.window} tokens`);
  }
  if (status.cost !== undefined) lines.push(`Cost: $${status.cost.toFixed(4)}`);
  return lines.join('\n');
}
