import { html, type TemplateResult } from 'lit';
import type { ToolState } from '../../src/protocol/chat-item';
import { duration } from '../format';
import { visibleText } from '../visible-text';
import { icon } from './parts';

const ICONS: { readonly [T in ToolState['type']]: string } = {
  writing: 'edit',
  checking: 'shield',
  asking: 'question',
  running: 'loading codicon-modifier-spin',
  done: 'check',
  failed: 'error',
  blocked: 'circle-slash',
  skipped: 'debug-step-over',
};

/** The state of a tool call in words; the icon only repeats it. */
export function stateChip(state: ToolState): TemplateResult {
  return html`<span class="chip chip-${state.type}">${icon(ICONS[state.type])} <span>${label(state)}</span></span>`;
}

function label(state: ToolState): TemplateResult | string {
  switch (state.type) {
    case 'writing':
      return 'Writing…';
    case 'checking':
      return state.hook ? `Checking: ${visibleText(state.hook.name)}` : 'Checking';
    case 'asking':
      return `Asking: ${visibleText(state.hook.name)}`;
    case 'running':
      return html`Running <hookline-time .since=${state.startedAt}></hookline-time>`;
    case 'done':
      return `Done · ${duration(state.durationMs)}`;
    case 'failed':
      return `Failed · ${duration(state.durationMs)}`;
    case 'blocked':
      return 'Blocked';
    case 'skipped':
      return 'Skipped';
  }
}

/** The state as one plain phrase, for the card's accessible name. */
export function stateWords(state: ToolState): string {
  return state.type === 'asking' || state.type === 'checking'
    ? `${state.type} ${state.hook?.name ?? ''}`.trim()
    : state.type;
}
