import { html, nothing, type TemplateResult } from 'lit';
import type { PlanEnd, ToolItem } from '../../../src/protocol/items/chat-item';
import { planEndText } from '../../../src/protocol/items/plan-end-text';
import { foreignText, icon } from '../../controls/controls';
import { openPlanButton } from './plan-button';

const ICONS: { readonly [T in PlanEnd['type']]: string } = {
  approved: 'check',
  sentBack: 'reply',
  refused: 'circle-slash',
};

/** What became of a plan, as a line; nothing while that is open. */
export function planEndView({ planEnd }: ToolItem): TemplateResult | typeof nothing {
  if (planEnd === undefined) return nothing;
  return html`<p class="plan-end" data-end=${planEnd.type}>
    ${icon(ICONS[planEnd.type])} <span>${foreignText(planEndText(planEnd))}</span>
  </p>`;
}

/** The plan in the card of the call that presents it. */
export function planOfCall(plan: string): TemplateResult {
  return html`<div class="plan-of-call">
    <p class="panel-actions">${openPlanButton(plan)}</p>
    <hookline-plan .plan=${plan}></hookline-plan>
  </div>`;
}
