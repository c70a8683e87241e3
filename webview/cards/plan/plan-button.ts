import * as l10n from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import { iconButton } from '../../controls/controls';
import { emits } from '../../controls/emit';

/** The button that opens a plan as a preview in an editor. */
export function openPlanButton(plan: string): TemplateResult {
  return iconButton('open-preview', l10n.t('Open the Plan in an Editor'), emits({ type: 'openPlan', text: plan }));
}
