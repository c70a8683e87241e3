import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { visibleText } from '../visible-text';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { usageView } from './usage';

/** Model, thinking level, context and cost. */
export function settingsView(status: RunStatus): TemplateResult {
  const model = status.model === '' ? l10n.t('Pick a model') : visibleText(status.model);
  const badge = status.demo && !/demo/i.test(status.model);
  return html`<button
      type="button"
      class="text-button"
      data-hookline="model"
      aria-label=${l10n.t('Pick model: {0}', model)}
      aria-haspopup="listbox"
      title=${l10n.t('Pick model')}
      @click=${emits({ type: 'pickModel' })}
    >
      ${badge ? html`<span class="chip">${l10n.t('Demo')}</span>` : nothing}<span class="clip">${model}</span
      >${icon('chevron-down')}
    </button>
    ${thinkingView(status)} ${usageView(status)}`;
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
