import * as l10n from '@vscode/l10n';
import type { DispatchOutcome } from '../../hook-contract/record';
import { redactText } from '../../base/text/redact';

/** Says in a few words, without secrets, how a handler's call ended. */
export function outcomeText(outcome: DispatchOutcome | { readonly type: string }): string {
  const { reason, why, message, changed, timeoutMs } = outcome as Readonly<Record<string, unknown>>;
  if (Array.isArray(changed)) return l10n.t('changed {0}', changed.map(String).join(', '));
  if (typeof timeoutMs === 'number') return l10n.t('timed out after {0} ms', timeoutMs);
  const more = [reason, why, message].find(text => typeof text === 'string');
  const word = wordFor(outcome.type);
  return more === undefined || outcome.type === 'nothing' ? word : `${word}: ${redactText(more)}`;
}

/** The word for a kind of outcome; a kind that is not known stands for itself. */
function wordFor(type: string): string {
  switch (type) {
    case 'nothing':
      return l10n.t('no decision');
    case 'blocked':
      return l10n.t('blocked');
    case 'cancelled':
      return l10n.t('canceled');
    case 'handled':
      return l10n.t('handled');
    case 'ignored':
      return l10n.t('ignored');
    case 'threw':
      return l10n.t('threw');
    default:
      return type;
  }
}
