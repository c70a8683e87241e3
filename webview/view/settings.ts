import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { dollars, tokens } from '../format';
import { visibleText } from '../visible-text';
import { emits } from './emit';
import { icon } from './parts';

/** Model, thinking level, context and cost. */
export function settingsView(status: RunStatus): TemplateResult {
  const model = status.model === '' ? 'Pick a model' : visibleText(status.model);
  const badge = status.demo && !/demo/i.test(status.model);
  return html`<button
      type="button"
      class="text-button"
      data-hookline="model"
      aria-label="Pick model: ${model}"
      title="Pick model"
      @click=${emits({ type: 'pickModel' })}
    >
      ${badge ? html`<span class="chip">Demo</span>` : nothing}<span class="clip">${model}</span>${icon('chevron-down')}
    </button>
    ${thinkingView(status)} ${contextView(status.context)}
    ${status.cost === undefined ? nothing : html`<span class="muted" data-hookline="cost" title="Spent in this session">${dollars(status.cost)}</span>`}`;
}

function thinkingView({ thinkingLevel, thinkingLevels }: RunStatus): TemplateResult | typeof nothing {
  if (thinkingLevels.length < 2) return nothing;
  const chosen = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLSelectElement)) return;
    emits({ type: 'setThinkingLevel', level: event.currentTarget.value })(event);
  };
  return html`<label class="thinking-level" title="Thinking level">
    ${icon('lightbulb')}
    <select data-hookline="thinking" aria-label="Thinking level" @change=${chosen}>
      ${thinkingLevels.map(level => html`<option value=${level} ?selected=${level === thinkingLevel}>${level}</option>`)}
    </select>
  </label>`;
}

function contextView(context: RunStatus['context']): TemplateResult | typeof nothing {
  if (!context) return nothing;
  const { tokens: used, window, estimated } = context;
  const words = used === null ? `–/${tokens(window)}` : `${estimated ? '~' : ''}${tokens(used)}/${tokens(window)}`;
  const title = used === null ? 'Context: not known until the next answer' : `Context: ${words} tokens`;
  return html`<span class="context" data-hookline="context" title=${title}>
    <progress aria-label="Context used" max=${window} .value=${Math.min(used ?? 0, window)}></progress>
    <span class="muted">${words}</span>
  </span>`;
}
