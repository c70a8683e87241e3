import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { GateItem, ChoiceMeaning } from '../../../src/protocol/items/chat-item';
import { foreignText, icon } from '../../controls/controls';
import { choiceButton, moreButton, walkChoices, type AnswerFrom } from '../gate/choices';
import { openPlanButton } from './plan-button';

/** The question about a plan: the plan as high as it is, and the answers, which stay in sight. */
export function planQuestion({ title }: GateItem, plan: string, answers: unknown): TemplateResult {
  return html`<div class="plan-head">
      ${icon('checklist')}
      <p class="gate-title">${foreignText(title)}</p>
      ${openPlanButton(plan)}
    </div>
    <hookline-plan .plan=${plan}></hookline-plan>
    <div class="plan-answers">${answers}</div>`;
}

/**
 * The answers: a split button with the ways to approve, and a button for each of the others. Undefined when it is not known which
 * options approve.
 */
export function planChoices({ subject, dialog }: GateItem, answer: AnswerFrom): TemplateResult | undefined {
  if (subject?.type !== 'plan' || dialog.type !== 'select') return undefined;
  const { options, meanings = [] } = dialog;
  const [usual, ...more] = options.filter((_, index) => allows(meanings[index]));
  if (usual === undefined || meanings.length !== options.length) return undefined;
  const others = options.filter((_, index) => !allows(meanings[index]));
  return html`<div class="choices" @keydown=${walkChoices}>
    <span class="split"
      >${choiceButton(usual, usual, answer, 'byArrow', 'primary')}${
        more.length === 0
          ? nothing
          : moreButton(
              l10n.t('More Ways to Approve'),
              more.map(option => ({ option, icon: 'check' })),
              answer,
            )
      }</span
    >
    ${others.map((option, index) => choiceButton(option, option, answer, index === 0 ? 'first' : 'byTab'))}
  </div>`;
}

function allows(meaning: ChoiceMeaning | undefined): boolean {
  return meaning === 'allowOnce' || meaning === 'allowInSession' || meaning === 'allowAlways';
}
