import type { AssistantMessage } from '../../agent/messages';
import { failureOf, type FailureCause } from '../../agent/models/requests/request-failure';
import type { ErrorHelp } from '../../protocol/chat-item';

/** What a user can do about an answer that failed or was stopped, the most useful first. Empty for any other. */
export function helpFor(message: AssistantMessage): readonly ErrorHelp[] {
  if (message.stopReason === 'aborted') return ['continue'];
  const failure = failureOf(message);
  return failure === undefined ? [] : HELP[failure.cause];
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
  'bad-request': ['retry', 'pickModel', 'openSettings'],
  unknown: ['retry', 'pickModel'],
};
