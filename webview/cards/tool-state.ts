import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ToolState } from '../../src/protocol/items/chat-item';
import { duration, fillPlaceholders } from '../format';
import { foreignText, hookLink, icon } from '../controls/controls';

const ICONS: { readonly [T in ToolState['type']]: string } = {
  writing: 'edit',
  waiting: 'watch',
  checking: 'shield',
  asking: 'bell-dot',
  running: 'loading codicon-modifier-spin',
  done: 'check',
  failed: 'error',
  stopped: 'stop-circle',
  notFound: 'question',
  blocked: 'circle-slash',
  skipped: 'debug-step-over',
  elsewhere: 'multiple-windows',
};

/** The state of a tool call as an icon and text. */
export function stateChip(state: ToolState): TemplateResult {
  const kind = isDenied(state) ? 'denied' : state.type;
  return html`<span class="chip chip-${kind}">${icon(ICONS[state.type])} <span>${label(state)}</span></span>`;
}

/** Whether the user denied the call in the question of the built-in gate. */
export function isDenied(state: ToolState): boolean {
  return state.type === 'blocked' && state.denied !== undefined;
}

/** Who blocked a call and why, in a sentence with a link to the hook; of a denial only what the user said with it. */
export function blockedWords({ by, reason, denied }: Extract<ToolState, { type: 'blocked' }>): unknown {
  if (denied === undefined) {
    return fillPlaceholders(l10n.t('Blocked by {0}: {1}'), by ? hookLink(by) : 'Hookline', foreignText(reason));
  }
  return denied.says === undefined ? undefined : fillPlaceholders(l10n.t('You said: {0}'), foreignText(denied.says));
}

function label(state: ToolState): TemplateResult | string {
  switch (state.type) {
    case 'writing':
      return l10n.t('Writing…');
    case 'waiting':
      return l10n.t('Waiting');
    case 'checking':
      return l10n.t('Checking');
    case 'asking':
      return l10n.t('Waiting for your answer');
    case 'running':
      return html`${l10n.t('Running')} <hookline-time .since=${state.startedAt}></hookline-time>`;
    case 'done':
      return isLong(state) ? l10n.t('Done · {0}', duration(state.durationMs)) : l10n.t('Done');
    case 'failed':
      return isLong(state) ? l10n.t('Failed · {0}', duration(state.durationMs)) : l10n.t('Failed');
    case 'stopped':
      return isLong(state) ? l10n.t('Stopped · {0}', duration(state.durationMs)) : l10n.t('Stopped');
    case 'notFound':
      return l10n.t('Not found');
    case 'blocked':
      return state.denied === undefined ? l10n.t('Blocked') : l10n.t('Denied');
    case 'skipped':
      return l10n.t('Skipped');
    case 'elsewhere':
      return l10n.t('Waiting in another window');
  }
}

/** Whether the line of a call says how long it took: from a second on. The list of hooks in the opened card has all times. */
function isLong(state: { readonly durationMs?: number | undefined }): state is { readonly durationMs: number } {
  return state.durationMs !== undefined && state.durationMs >= 1000;
}

/** The state of a tool call as a phrase, for the card's accessible name. */
export function stateWords(state: ToolState): string {
  switch (state.type) {
    case 'writing':
      return l10n.t('being written');
    case 'waiting':
      return l10n.t('waiting');
    case 'checking':
      return l10n.t('being checked');
    case 'asking':
      return l10n.t('waiting for your answer');
    case 'running':
      return l10n.t('running');
    case 'done':
      return l10n.t('done');
    case 'failed':
      return l10n.t('failed');
    case 'stopped':
      return l10n.t('stopped');
    case 'notFound':
      return l10n.t('not found');
    case 'blocked':
      return state.denied === undefined ? l10n.t('blocked') : l10n.t('denied');
    case 'skipped':
      return l10n.t('skipped');
    case 'elsewhere':
      return l10n.t('waiting in another window');
  }
}
