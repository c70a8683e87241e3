import * as l10n from '@vscode/l10n';
import type { Conversation } from './conversation';

/** What `/session` tells of a conversation: file, size and cost of its session. */
export function describeSession({ store, status, state }: Pick<Conversation, 'store' | 'status' | 'state'>): string {
  const path = store.getPathIds();
  const messages = path.filter(node => node.type === 'message').length;
  const lines = [
    l10n.t('Session: {0}', store.getSessionName() ?? store.getSessionId()),
    l10n.t('File: {0}', store.getSessionFile() ?? l10n.t('none (in memory)')),
    l10n.t('Messages: {0}, entries: {1}', messages, path.length),
  ];
  const { tokens = null, contextWindow = 0 } = status.contextUsage ?? {};
  if (contextWindow > 0) {
    lines.push(l10n.t('Context: {0} of {1} tokens', tokens ?? l10n.t('unknown'), contextWindow));
  }
  const cost = state.spending.current?.cost.total ?? 0;
  if (cost > 0) lines.push(l10n.t('Cost: {0}', `$${cost.toFixed(4)}`));
  return lines.join('\n');
}
