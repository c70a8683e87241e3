import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { visibleText } from '../../src/base/text/visible-text';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { usageView } from './usage';

type ApprovalMode = NonNullable<RunStatus['approvals']>['mode'];

const MODE_NAMES: readonly ApprovalMode[] = ['ask', 'edits', 'auto', 'plan'];

/** The controls below the composer: model, approval mode, thinking level, context and cost. */
export function settingsView(status: RunStatus): TemplateResult {
  const model = status.model === '' ? l10n.t('Choose a model') : visibleText(status.model);
  const badge = status.demo && !/demo/i.test(status.model);
  return html`<button
      type="button"
      class="text-button"
      data-hookline="model"
      aria-label=${l10n.t('Choose model: {0}', model)}
      aria-haspopup="listbox"
      title=${l10n.t('Choose model')}
      @click=${emits({ type: 'pickModel' })}
    >
      ${badge ? html`<span class="chip">${l10n.t('Demo')}</span>` : nothing}<span class="clip">${model}</span
      >${icon('chevron-down')}
    </button>
    ${approvalView(status)} ${thinkingView(status)} ${usageView(status)}`;
}

const MODES: { readonly [M in ApprovalMode]: { readonly icon: string; readonly word: string; readonly hint: string } } =
  {
    ask: { icon: 'shield', word: l10n.t('Ask'), hint: l10n.t('You are asked before anything is written, run or sent') },
    edits: {
      icon: 'edit',
      word: l10n.t('Edits'),
      hint: l10n.t('Files of the workspace are changed without a question; you are asked about everything else'),
    },
    auto: { icon: 'zap', word: l10n.t('Auto'), hint: l10n.t('Only your hooks decide; without hooks, everything runs') },
    plan: { icon: 'checklist', word: l10n.t('Plan'), hint: l10n.t('The agent only reads, and presents a plan') },
  };

/** The approval mode. It is always visible, because users must know whether they will be asked. */
function approvalView({ approvals }: RunStatus): TemplateResult | typeof nothing {
  if (approvals === undefined) return nothing;
  const { mode, locked } = approvals;
  const chosen = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLSelectElement)) return;
    const wanted = MODE_NAMES.find(name => name === (event.currentTarget as HTMLSelectElement).value);
    if (wanted !== undefined) emits({ type: 'setApprovalMode', mode: wanted })(event);
  };
  const label = l10n.t('Who decides about tool calls');
  const hint = locked ? l10n.t('The mode stays Ask until this folder is trusted') : MODES[mode].hint;
  return html`<label class="approval-mode" data-mode=${mode} title=${`${label}: ${hint}`}>
    ${icon(locked ? 'lock' : MODES[mode].icon)}
    <select
      data-hookline="approval-mode"
      aria-label=${label}
      aria-description=${hint}
      ?disabled=${locked}
      @change=${chosen}
    >
      ${MODE_NAMES.map(name => html`<option value=${name} ?selected=${name === mode} .selected=${name === mode}>${MODES[name].word}</option>`)}
    </select>
  </label>`;
}

function thinkingView({ thinkingLevel, thinkingLevels }: RunStatus): TemplateResult | typeof nothing {
  if (thinkingLevels.length < 2) return nothing;
  const chosen = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLSelectElement)) return;
    emits({ type: 'setThinkingLevel', level: event.currentTarget.value })(event);
  };
  const label = l10n.t('Thinking level');
  return html`<label class="thinking-level" title=${label}>
    ${icon('lightbulb')}
    <select data-hookline="thinking" aria-label=${label} @change=${chosen}>
      ${thinkingLevels.map(level => html`<option value=${level} ?selected=${level === thinkingLevel}>${level}</option>`)}
    </select>
  </label>`;
}
