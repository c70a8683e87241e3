import type { DispatchOutcome } from '../../hooks/dispatch/record';
import { redactText } from '../../base/text/redact';

/** Says in a few words, without secrets, how a handler's call ended. */
export function outcomeText(outcome: DispatchOutcome | { readonly type: string }): string {
  const { reason, why, message, changed, timeoutMs } = outcome as Readonly<Record<string, unknown>>;
  if (Array.isArray(changed)) return `changed ${changed.map(String).join(', ')}`;
  if (typeof timeoutMs === 'number') return `late: not finished after ${timeoutMs} ms`;
  const more = [reason, why, message].find(text => typeof text === 'string');
  if (outcome.type === 'nothing') return 'no decision';
  return more === undefined ? outcome.type : `${outcome.type}: ${redactText(more)}`;
}
