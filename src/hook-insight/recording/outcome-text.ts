import type { DispatchOutcome } from '../../hooks/dispatch/record';
import { redactText } from '../../base/text/redact';

/** A few words on how the handler's part ended, without secrets. */
export function outcomeText(outcome: DispatchOutcome | { readonly type: string }): string {
  const { reason, why, message, changed, timeoutMs } = outcome as Readonly<Record<string, unknown>>;
  if (Array.isArray(changed)) return `changed ${changed.map(String).join(', ')}`;
  if (typeof timeoutMs === 'number') return `late: not done after ${timeoutMs} ms`;
  const more = [reason, why, message].find(text => typeof text === 'string');
  if (outcome.type === 'nothing') return 'no decision';
  return more === undefined ? outcome.type : `${outcome.type}: ${redactText(more)}`;
}
