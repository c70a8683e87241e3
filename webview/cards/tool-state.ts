import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ToolState } from '../../src/protocol/chat-item';
import { duration } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { icon } from '../controls/controls';

const ICONS: { readonly [T in ToolState['type']]: string } = {
  writing: 'edit',
  checking: 'shield',
  asking: 'question',
  running: 'loading codicon-modifier-spin',
  done: 'check',
  failed: 'error',
  blocked: 'circle-slash',
  skipped: 'debug-step-over',
  elsewhere: 'multiple-windows',
};

/** The state of a tool call as an icon and text. */
export function stateChip(state: ToolState): TemplateResult {
  return html`<span class="chip chip-${state.type}">${icon(ICONS[state.type])} <span>${label(state)}</span></span>`;
}

function label(state: ToolState): TemplateResult | string {
  switch (state.type) {
    case 'writing':
      return l10n.t('Writing…');
    case 'checking':
      return state.hook ? l10n.t('Checking: {0}', visibleText(state.hook.name)) : l10n.t('Checking');
    case 'asking':
      return l10n.t('Asking: {0}', visibleText(state.hook.name));
    case 'running':
      return html`${l10n.t('Running')} <hookline-time .since=${state.startedAt}></hookline-time>`;
    case 'done':
      return state.durationMs === undefined ? l10n.t('Done') : l10n.t('Done · {0}', duration(state.durationMs));
    case 'failed':
      return state.durationMs === undefined ? l10n.t('Failed') : l10n.t('Failed · {0}', duration(state.durationMs));
    case 'blocked':
      return l10n.t('Blocked');
    case 'skipped':
      return l10n.t('Skipped');
    case 'elsewhere':
      return l10n.t('Waiting in another window');
  }
}

/** The state of a tool call as a phrase, for the card's accessible name. */
export function stateWords(state: ToolState): string {
  switch (state.type) {
    case 'checking':
      return state.hook ? l10n.t('waiting for {0}', state.hook.name) : l10n.t('waiting for hooks');
    case 'asking':
      return l10n.t('{0} asks', state.hook.name);
    case 'writing':
      return l10n.t('being written');
    case 'running':
      return l10n.t('running');
    case 'done':
      return l10n.t('done');
    case 'failed':
      return l10n.t('failed');
    case 'blocked':
      return l10n.t('blocked');
    case 'skipped':
      return l10n.t('skipped');
    case 'elsewhere':
      return l10n.t('waiting in another window');
  }
}
