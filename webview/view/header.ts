import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { dollars, plural, tokens } from '../format';
import { visibleText } from '../visible-text';
import { emits } from './emit';
import { icon } from './parts';

/** Whose session this is, and which hooks watch over it; the view's own title bar leads to other sessions. */
export function headerView({ sessionName, hooks }: RunStatus): TemplateResult {
  return html`<h1 class="session-name" data-hookline="session-name" title=${visibleText(sessionName)}>
      ${sessionName === '' ? 'New session' : visibleText(sessionName)}
    </h1>
    ${hooksChip(hooks)}`;
}

function hooksChip({ live, broken, heldBack }: RunStatus['hooks']): TemplateResult {
  const parts = [plural(live, 'hook')];
  if (broken > 0) parts.push(`${broken} broken`);
  if (heldBack > 0) parts.push(`${heldBack} held back`);
  const look = broken > 0 ? 'chip-failed' : heldBack > 0 ? 'chip-asking' : '';
  return html`<button
    type="button"
    class="chip chip-button ${look}"
    data-hookline="hooks"
    aria-label="Show hooks: ${parts.join(', ')}"
    title="${plural(live, 'hook')} live, ${broken} broken, ${heldBack} held back"
    @click=${emits({ type: 'showHooks' })}
  >
    ${icon(broken > 0 ? 'warning' : 'shield')} <span>${parts.join(', ')}</span>
  </button>`;
}

/** What the agent is doing, and what hooks say about themselves. Empty when there is nothing to say. */
export function activityView({ phase, hookStatus }: RunStatus): TemplateResult | typeof nothing {
  if (phase.type === 'idle' && hookStatus.length === 0) return nothing;
  return html`${phase.type === 'idle' ? nothing : html`<span class="phase">${icon('loading codicon-modifier-spin')} ${phaseWords(phase)}</span>`}
  ${hookStatus.map(text => html`<span class="hook-status">${visibleText(text)}</span>`)}`;
}

function phaseWords(phase: Exclude<RunStatus['phase'], { type: 'idle' }>): TemplateResult | string {
  switch (phase.type) {
    case 'running':
      return visibleText(phase.message);
    case 'compacting':
      return 'Compacting the conversation…';
    case 'retrying':
      return html`Retry ${phase.attempt} of ${phase.maxAttempts} in <hookline-time .until=${phase.at}></hookline-time>:
        ${visibleText(phase.error)}`;
  }
}

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
