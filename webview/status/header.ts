import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { fillPlaceholders } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';

/** The name of the session and the state of its hooks. */
export function headerView({ title: session, hookTitle, hooks }: RunStatus): TemplateResult {
  // The page shows the title, because VS Code does not when the view is the only one in the secondary side bar.
  const title = hookTitle ?? session;
  return html`<h1 class="session-name" data-hookline="session-name" title=${visibleText(title)}>
      ${title === '' ? l10n.t('New session') : visibleText(title)}
    </h1>
    ${hooksChip(hooks)}`;
}

function hooksChip({ live, broken, failed, stopped, heldBack, waiting }: RunStatus['hooks']): TemplateResult {
  const running = live + broken;
  const count = running === 1 ? l10n.t('1 hook') : l10n.t('{0} hooks', running);
  const parts = [count];
  if (broken > 0) parts.push(l10n.t('{0} broken', broken));
  if (failed > 0) parts.push(l10n.t('{0} failed', failed));
  if (stopped > 0) parts.push(l10n.t('{0} stopped', stopped));
  if (heldBack > 0) parts.push(l10n.t('{0} held back', heldBack));
  if (waiting > 0) parts.push(l10n.t('{0} waiting for approval', waiting));
  const fails = broken + failed + stopped > 0;
  const look = fails ? 'chip-failed' : heldBack + waiting > 0 ? 'chip-asking' : '';
  return html`<button
    type="button"
    class="chip chip-button ${look}"
    data-hookline="hooks"
    aria-label=${l10n.t('Show hooks: {0}', parts.join(', '))}
    title=${l10n.t('{0} live, {1} broken (their last good version is running), {2} failed to load, {3} stopped, {4} held back, {5} waiting for approval', live, broken, failed, stopped, heldBack, waiting)}
    @click=${emits({ type: 'showHooks' })}
  >
    ${icon(fails ? 'warning' : 'shield')} <span>${parts.join(', ')}</span>
  </button>`;
}

/** What the agent is doing, and the status texts of hooks. Nothing when there is nothing to show. */
export function activityView(status: RunStatus): TemplateResult | typeof nothing {
  const { phase, hookStatus, indicator } = status;
  // A hook can hide the indicator only during normal work, because in all other phases it has a button to cancel.
  const isPlainWork = phase.type === 'running' && phase.silentSince === undefined;
  const hidden = phase.type === 'idle' || (isPlainWork && indicator?.hidden === true);
  if (hidden && hookStatus.length === 0) return nothing;
  const sign = phase.type === 'asking' ? icon('bell-dot') : indicatorView(indicator);
  return html`${hidden ? nothing : html`<span class="phase">${sign} ${phaseWords(phase)}</span>`}
  ${hookStatus.map(text => html`<span class="hook-status">${visibleText(text)}</span>`)}`;
}

function indicatorView(indicator: RunStatus['indicator']): TemplateResult | typeof nothing {
  if (indicator?.frames === undefined) return icon('loading codicon-modifier-spin');
  const { frames, intervalMs } = indicator;
  return frames.length === 0 ? nothing : html`<hookline-frames .pictures=${{ frames, intervalMs }}></hookline-frames>`;
}

function phaseWords(phase: Exclude<RunStatus['phase'], { type: 'idle' }>): TemplateResult | string {
  switch (phase.type) {
    case 'running':
      if (phase.silentSince !== undefined) return silenceView(phase.silentSince);
      return phase.message === '' ? l10n.t('Working…') : visibleText(phase.message);
    case 'asking':
      return phase.message === ''
        ? l10n.t('Waiting for your answer')
        : l10n.t('Waiting for your answer: {0}', visibleText(phase.message));
    case 'compacting':
      return html`${l10n.t('Compacting the conversation…')} ${cancelButton(l10n.t('Cancel Compaction'))}`;
    case 'retrying':
      return html`${fillPlaceholders(
        l10n.t('Retry {0} of {1} in {2}: {3}'),
        phase.attempt,
        phase.maxAttempts,
        html`<hookline-time .until=${phase.at}></hookline-time>`,
        visibleText(phase.error),
      )}
      ${cancelButton(l10n.t('Cancel Retry'))}`;
  }
}

/** Tells the user that the model is silent, with buttons to stop and to retry: only the user can decide whether to wait. */
function silenceView(since: number): TemplateResult {
  return html`<span class="silence" role="status">
      ${fillPlaceholders(
        l10n.t('No response from the model for {0}.'),
        html`<hookline-time aria-hidden="true" .since=${since}></hookline-time>`,
      )}
    </span>
    ${cancelButton(l10n.t('Stop'))} ·
    <button type="button" class="link" data-hookline="ask-again" @click=${emits({ type: 'askAgain' })}>
      ${l10n.t('Retry')}
    </button>`;
}

/** A button that stops the current phase, as Escape does. */
function cancelButton(label: string): TemplateResult {
  return html`<button
    type="button"
    class="link"
    data-hookline="cancel-phase"
    aria-keyshortcuts="Escape"
    title=${l10n.t('{0} (Escape)', label)}
    @click=${emits({ type: 'stop' })}
  >
    ${label}
  </button>`;
}
