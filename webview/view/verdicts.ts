import { html, nothing, type TemplateResult } from 'lit';
import type { HookVerdict } from '../../src/protocol/chat-item';
import { duration, plural } from '../format';
import { visibleText } from '../visible-text';
import { foreignText, hookLink, icon } from './parts';

const OUTCOMES: { readonly [O in HookVerdict['outcome']]: { readonly icon: string; readonly words: string } } = {
  nothing: { icon: 'dash', words: 'had nothing to say' },
  allowed: { icon: 'pass', words: 'allowed it' },
  modified: { icon: 'edit', words: 'changed it' },
  blocked: { icon: 'circle-slash', words: 'blocked it' },
  failed: { icon: 'error', words: 'failed' },
  late: { icon: 'clock', words: 'answered too late' },
};

/** The section's name, with the number of hooks that were asked. */
export function verdictTitle(verdicts: readonly HookVerdict[]): TemplateResult {
  const count = new Set(verdicts.map(({ hook }) => hook.path)).size;
  return html`Why did this run? <span class="muted" aria-label=${plural(count, 'hook')}>${count}</span>`;
}

/** Who decided what, in the order in which the handlers ran. */
export function verdictList(verdicts: readonly HookVerdict[]): TemplateResult {
  return html`<ol class="verdicts">
    ${verdicts.map(verdictView)}
  </ol>`;
}

function verdictView({ hook, event, outcome, durationMs, detail }: HookVerdict): TemplateResult {
  const { icon: glyph, words } = OUTCOMES[outcome];
  return html`<li data-outcome=${outcome}>
    ${icon(glyph)} ${hookLink(hook, true)} <span>${words}</span>
    <span class="muted">${visibleText(event)} · ${duration(durationMs)}</span>
    ${detail === undefined ? nothing : html`<div class="detail">${foreignText(detail)}</div>`}
  </li>`;
}
