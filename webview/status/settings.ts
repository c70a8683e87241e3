import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import type { RunStatus } from '../../src/protocol/messages';
import { visibleText } from '../../src/base/text/visible-text';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { menuButton } from '../controls/menu';
import { usageView } from './usage';

type ApprovalMode = NonNullable<RunStatus['approvals']>['mode'];

/** The controls below the text: approval mode, model, thinking level, context and cost. In a narrow page, only their icons. */
export function settingsView(status: RunStatus, context: ContextBreakdown | undefined): TemplateResult {
  return html`${approvalView(status)} ${modelView(status)} ${thinkingView(status)} ${usageView(status, context)}`;
}

const MODE_NAMES: readonly ApprovalMode[] = ['ask', 'edits', 'auto', 'plan'];

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
  const { word, hint } = MODES[mode];
  const label = l10n.t('Who decides about tool calls');
  const why = locked ? l10n.t('The mode stays Ask until this folder is trusted') : hint;
  return menuButton({
    id: 'approval-mode',
    look: 'setting',
    label: `${label}: ${word}`,
    title: `${label}: ${word}\n${why}`,
    face: faceOf(locked ? 'lock' : MODES[mode].icon, word),
    menuLabel: label,
    entries: MODE_NAMES.map(name => ({
      icon: MODES[name].icon,
      label: MODES[name].word,
      detail: MODES[name].hint,
      checked: name === mode,
      message: { type: 'setApprovalMode', mode: name },
    })),
    locked,
  });
}

function modelView({ model: name, demo }: RunStatus): TemplateResult {
  const model = name === '' ? l10n.t('Choose a model') : visibleText(name);
  const shown = demo && !/demo/i.test(name) ? `${l10n.t('Demo')}: ${model}` : model;
  return html`<button
    type="button"
    class="setting model"
    data-hookline="model"
    aria-label=${l10n.t('Choose model: {0}', shown)}
    aria-haspopup="listbox"
    title=${l10n.t('Choose model: {0}', shown)}
    @click=${emits({ type: 'pickModel' })}
  >
    ${faceOf(demo ? 'beaker' : 'chip', shown)}
  </button>`;
}

function thinkingView({ thinkingLevel, thinkingLevels }: RunStatus): TemplateResult | typeof nothing {
  if (thinkingLevels.length < 2) return nothing;
  const label = l10n.t('Thinking level');
  return menuButton({
    id: 'thinking',
    look: 'setting',
    label: `${label}: ${thinkingLevel}`,
    title: `${label}: ${thinkingLevel}`,
    face: faceOf('lightbulb', thinkingLevel),
    menuLabel: label,
    entries: thinkingLevels.map(level => ({
      label: level,
      checked: level === thinkingLevel,
      message: { type: 'setThinkingLevel', level },
    })),
  });
}

function faceOf(glyph: string, word: string): TemplateResult {
  return html`${icon(glyph)}<span class="setting-word clip">${word}</span>${icon('chevron-down')}`;
}
