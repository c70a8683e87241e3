import * as l10n from '@vscode/l10n';
import type { ApprovalReason } from './chat-item';

/** Why the built-in gate let a call pass, or did not, in a sentence. */
export function approvalReasonText(reason: ApprovalReason, isBlocked: boolean): string {
  switch (reason.by) {
    case 'reading':
      return l10n.t('It changes nothing, so you were not asked.');
    case 'plainReading':
      return l10n.t('This command only reads, so you were not asked.');
    case 'hook':
      return l10n.t('A hook already asked you about it, so you were not asked again.');
    case 'rule':
      return l10n.t('Allowed by your rule “{0}”.', reason.rule);
    case 'session':
      return l10n.t('You allowed it in this session: “{0}”.', reason.rule);
    case 'person':
      if (isBlocked) return l10n.t('You did not allow it.');
      if (reason.edited === true) return l10n.t('You changed it, and allowed it once.');
      return reason.rule === undefined
        ? l10n.t('You allowed it once.')
        : l10n.t('You allowed it, and made the rule “{0}”.', reason.rule);
    case 'auto':
      return reason.hooks
        ? l10n.t('Auto mode: your hooks let it pass.')
        : l10n.t('Auto mode: no hook checked this call.');
    case 'edits':
      return l10n.t('Edits mode: it only changes a file in the workspace.');
    case 'editor':
      return l10n.t('VS Code itself asks you about this tool.');
    case 'plan':
      return l10n.t('Plan mode: only read-only tools run.');
    case 'place':
      return l10n.t('Your settings refuse this location.');
    case 'nobody':
      return l10n.t('Nobody could be asked.');
  }
}
