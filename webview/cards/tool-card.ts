import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ToolItem, ToolState } from '../../src/protocol/items/chat-item';
import type { WebviewToHost } from '../../src/protocol/messages';
import { foldButton, foreignText, hookLink, icon } from '../controls/controls';
import { emits } from '../controls/emit';
import { fillPlaceholders } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { answeredView } from './answered';
import { textHeight, type Card } from './card';
import { DETAILS, type ItemContext } from './item-context';
import { commandChip, commandWords, laterState } from './command-state';
import { planEndView } from './plan/plan-result';
import { actionsView, commandActions } from './tool-actions';
import { countsView, sections, type Section } from './tool-sections';
import { blockedWords, isDenied, stateChip, stateWords } from './tool-state';
import { toolSummary } from './tool-summary';
import { AFTER_APPROVAL, verdictMark } from './verdicts';

/**
 * The card of a tool call. Its first line says what is called, in which state, and who decided. The parts that users need
 * most (the change of a file, the output of a command) are below it; opening the line shows the rest.
 */
function toolView(item: ToolItem, context: ItemContext): TemplateResult {
  const { disclosure } = context;
  const isInQuestion = item.state.type === 'asking' && item.state.isShown === true;
  const opened = disclosure.isOpen(`${item.id}/${DETAILS}`, false);
  const all = sections(item);
  const open = all.filter(({ key, shown }) => {
    if (!opened) return shown === 'always' && !isInQuestion && disclosure.isOpen(`${item.id}/${key}`, true);
    return disclosure.isOpen(`${item.id}/${key}`, shown !== 'asked');
  });
  return html`<div class="card ${item.drawing?.unframed === true ? 'unframed' : ''}">
    <div class="card-head">${lineView(item, { opened, isInQuestion }, context)} ${actionsView(item)}</div>
    ${commandBar(item)} ${reason(item)}
    ${item.plan === undefined ? answeredView(context.answeredAbout(item.id)) : planEndView(item)} ${approvalNote(item)}
    ${drawingView(item)}
    <div id=${panelId(item.id, DETAILS)}>
      ${
        opened
          ? html`<div class="card-bar">
              ${all.map(section => toggle(item.id, section, open.includes(section), context))}
            </div>`
          : nothing
      }
      ${open.map(
        section =>
          html`<div class="panel panel-${section.key}" id="${panelId(item.id, section.key)}">${section.body()}</div>`,
      )}
    </div>
  </div>`;
}

/**
 * The first line of the card, which opens and closes its details. It does not say what is called while the question about the call
 * says it.
 */
function lineView(
  item: ToolItem,
  { opened, isInQuestion }: { readonly opened: boolean; readonly isInQuestion: boolean },
  context: ItemContext,
): TemplateResult {
  const { id, name } = item;
  const later = laterState(item);
  const switched = (): void => {
    context.disclosure.set(`${id}/${DETAILS}`, !opened);
    context.refresh(id);
  };
  return html`<button
    type="button"
    class="card-line"
    aria-expanded=${opened ? 'true' : 'false'}
    aria-controls=${panelId(id, DETAILS)}
    @click=${switched}
  >
    ${icon(item.icon)}
    <span class="tool-name">${visibleText(name)}</span>
    ${isInQuestion && !opened ? nothing : toolSummary(item, opened)}
    ${item.diff ? html`<span class="counts">${countsView(item.diff)}</span>` : nothing}
    ${item.byUser === true ? html`<span class="chip">${icon('person')} ${l10n.t('run by you')}</span>` : nothing}
    ${verdictMark(item)} ${keptMark(item)} ${later === undefined ? stateChip(item.state) : commandChip(later)}
  </button>`;
}

/** Says that the user keeps what the call changed. */
function keptMark({ kept }: ToolItem): TemplateResult | typeof nothing {
  if (kept !== true) return nothing;
  return html`<span class="verdict-mark" title=${l10n.t('You keep this change')}>
    ${icon('verified')} <span>${l10n.t('kept')}</span>
  </span>`;
}

/** The drawing of a hook for the call and its result. */
function drawingView({ id, drawing }: ToolItem): TemplateResult | typeof nothing {
  if (drawing === undefined) return nothing;
  const { head, lines } = drawing;
  return html`<div class="drawn">
    ${foldButton(id, drawing)} ${head === undefined ? nothing : html`<hookline-lines .lines=${head}></hookline-lines>`}
    ${lines.length === 0 ? nothing : html`<hookline-lines .lines=${lines}></hookline-lines>`}
  </div>`;
}

function panelId(item: string, key: string): string {
  return `${item}/${key}`.replace(/\s/g, '_');
}

/** While the call waits for its command: what else the user can do than wait. */
function commandBar({ id, command }: ToolItem): TemplateResult | typeof nothing {
  if (command?.type !== 'waitedFor') return nothing;
  return html`<div class="card-bar command-bar">
    ${commandActions(id, command).map(
      ({ icon: glyph, label, message }) =>
        html`<button type="button" class="toggle" @click=${chosen(message)}>${icon(glyph)}${label}</button>`,
    )}
  </div>`;
}

/** The buttons go when the call waits no more: the card keeps the focus. */
function chosen(message: WebviewToHost): (event: Event) => void {
  const tell = emits(message);
  return event => {
    tell(event);
    if (message.type !== 'runCommandOn' || !(event.target instanceof Element)) return;
    event.target.closest('.card')?.querySelector<HTMLElement>('.card-line')?.focus();
  };
}

function toggle(id: string, section: Section, open: boolean, context: ItemContext): TemplateResult {
  const switched = (): void => {
    context.disclosure.set(`${id}/${section.key}`, !open);
    context.refresh(id);
  };
  return html`<button
    type="button"
    class="toggle"
    data-section=${section.key}
    aria-expanded=${open ? 'true' : 'false'}
    aria-controls=${open ? panelId(id, section.key) : nothing}
    @click=${switched}
  >
    ${icon(open ? 'chevron-down' : 'chevron-right')}${section.title}
  </button>`;
}

function reason(item: ToolItem): TemplateResult | typeof nothing {
  const { state } = item;
  if (state.type === 'blocked') {
    const words = blockedIn(item, state);
    return words === undefined ? nothing : html`<p class="reason">${words}</p>`;
  }
  if (state.type !== 'skipped') return nothing;
  return html`<p class="reason">${fillPlaceholders(l10n.t('Skipped: {0}'), foreignText(state.reason))}</p>`;
}

function blockedIn({ unrecorded }: ToolItem, state: Extract<ToolState, { type: 'blocked' }>): unknown {
  if (state.by === undefined && unrecorded === true) {
    return fillPlaceholders(l10n.t('Blocked (by which hook was not recorded): {0}'), foreignText(state.reason));
  }
  return blockedWords(state);
}

/** A warning that the input was changed after an approval. It is visible without opening the card. */
function approvalNote({ verdicts }: ToolItem): TemplateResult | typeof nothing {
  const changer = verdicts.find(({ afterApproval }) => afterApproval === true);
  if (changer === undefined) return nothing;
  return html`<p class="reason after-approval">
    ${icon('warning')} ${hookLink(changer.hook, true)}: ${AFTER_APPROVAL()}
  </p>`;
}

function spokenState(name: string, state: ToolState): readonly string[] {
  // Whoever denied it knows.
  if (isDenied(state)) return [];
  if (state.type === 'blocked') {
    return [l10n.t('{0} blocked by {1}: {2}', name, state.by?.name ?? 'Hookline', state.reason)];
  }
  if (state.type === 'notFound') return [l10n.t('{0} not found', name)];
  return state.type === 'failed' ? [l10n.t('{0} failed', name)] : [];
}

/** A tool call. */
export const toolCard: Card<ToolItem> = {
  view: toolView,
  attributes: item => {
    const later = laterState(item);
    const words = later === undefined ? stateWords(item.state) : commandWords(later);
    return {
      'data-tool': item.name,
      'data-state': item.state.type,
      ...(isDenied(item.state) ? { 'data-denied': '' } : {}),
      'aria-label': l10n.t('Tool {0}, {1}', item.name, words),
    };
  },
  height: item => 42 + (item.summaryKind === 'command' ? Math.min(textHeight(item.output.length), 240) : 0),
  hasMenu: true,
  spoken: (item, before) => (before?.state.type === item.state.type ? [] : spokenState(item.name, item.state)),
};
