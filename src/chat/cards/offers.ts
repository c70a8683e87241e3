import type { AssistantMessage } from '../../agent/messages';
import { failureOf, type FailureCause } from '../../agent/models/requests/request-failure';
import type { ChatItem, ErrorHelp } from '../../protocol/items/chat-item';

/** The item without buttons. */
export function withoutOffer(item: ChatItem): ChatItem {
  if (item.kind === 'assistant' && (item.help ?? []).length > 0) return { ...item, help: [] };
  if (item.kind === 'notice' && item.canContinue === true) return { ...item, canContinue: false };
  return item;
}

/** Only the last failed or stopped answer of a conversation has buttons. */
export function withOffersAtEnd(items: readonly ChatItem[]): readonly ChatItem[] {
  const last = items.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'user');
  return items.map((item, index) => (index < last ? withoutOffer(item) : item));
}

/**
 * What a user can do about an answer that failed or was stopped, the most useful first. Empty for any other. `hasLogin`:
 * whether a provider offers a login.
 */
export function helpFor(message: AssistantMessage, hasLogin: (provider: string) => boolean): readonly ErrorHelp[] {
  if (message.stopReason === 'aborted') return ['continue'];
  const failure = failureOf(message);
  const help = failure === undefined ? [] : HELP[failure.cause];
  return help.filter(each => each !== 'logIn' || hasLogin(message.provider));
}

const HELP: Readonly<Record<FailureCause, readonly ErrorHelp[]>> = {
  overflow: ['compact', 'pickModel'],
  'rate-limit': ['retry', 'pickModel'],
  overloaded: ['retry', 'pickModel'],
  server: ['retry', 'pickModel'],
  cut: ['retry', 'pickModel'],
  silent: ['retry', 'pickModel'],
  network: ['retry', 'pickModel', 'openSettings'],
  'missing-key': ['setApiKey', 'logIn', 'pickModel'],
  'key-refused': ['setApiKey', 'logIn', 'pickModel', 'retry'],
  forbidden: ['setApiKey', 'logIn', 'pickModel'],
  'not-found': ['pickModel', 'openSettings'],
  quota: ['pickModel', 'setApiKey', 'logIn'],
  'bad-request': ['editMessage', 'retry', 'pickModel', 'openSettings'],
  unknown: ['retry', 'pickModel'],
};
