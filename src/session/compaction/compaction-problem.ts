import * as l10n from '@vscode/l10n';
import { CompactionCancelled } from '../../agent/compaction/summarize';
import { messageOf } from '../../base/errors';
import { redactText } from '../../base/text/redact';
import type { Notice } from '../ports/session-events';

/** The most characters of a provider's text that are shown. */
const LONGEST = 4_000;

/** A compaction that cannot begin, for instance because there is nothing to summarize: another try would not help. */
export class CompactionRefused extends Error {}

/** What the user is told of a compaction that did not happen, in the provider's words, and what can be done about it. */
export function compactionProblem(error: unknown): Notice {
  const about = 'compaction';
  const why = messageOf(error);
  if (error instanceof CompactionCancelled) return { level: 'info', text: why, about };
  const text = l10n.t('The conversation could not be summarized: {0}', redactText(why).slice(0, LONGEST));
  if (error instanceof CompactionRefused) return { level: 'error', text, about };
  const actions = [
    { label: l10n.t('Retry'), command: 'compact' },
    { label: l10n.t('Compact with…'), command: 'compactWith' },
    { label: l10n.t('Choose Model'), command: 'pickModel' },
  ] as const;
  return { level: 'error', text, actions, about };
}
