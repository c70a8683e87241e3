import * as l10n from '@vscode/l10n';
import type { PlanEnd } from './chat-item';

/** Says what became of a plan. */
export function planEndText(end: PlanEnd): string {
  switch (end.type) {
    case 'approved': {
      const who =
        end.edited === undefined ? l10n.t('You approved this plan.') : l10n.t('You edited and approved this plan.');
      return end.mode === undefined ? who : `${who} ${modeText(end.mode)}`;
    }
    case 'sentBack':
      return l10n.t('You sent this plan back: {0}', end.wish);
    case 'refused':
      return l10n.t('This plan was not approved.');
  }
}

function modeText(mode: NonNullable<Extract<PlanEnd, { readonly type: 'approved' }>['mode']>): string {
  switch (mode) {
    case 'ask':
      return l10n.t('You are asked before each step.');
    case 'edits':
      return l10n.t('You are asked about everything but edits in the workspace.');
    case 'auto':
      return l10n.t('Only your hooks decide.');
  }
}
