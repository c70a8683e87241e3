import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { onToggle, type ItemContext } from './item-context';
import type { BashItem, CustomItem, Drawing, EntryItem, NoticeItem } from '../../src/protocol/items/chat-item';
import { baseName, fillPlaceholders, place } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { markedText } from '../marked-text';
import { emits } from '../controls/emit';
import { textHeight, type Card } from './card';
import { copyButton, fileLink, foldButton, foreignText, hookLink, icon } from '../controls/controls';

const LEVEL_ICONS = { info: 'info', warning: 'warning', error: 'error' } as const;

/** The level of a notice as a word. */
function levelWord(level: NoticeItem['level']): string {
  switch (level) {
    case 'info':
      return l10n.t('info');
    case 'warning':
      return l10n.t('warning');
    case 'error':
      return l10n.t('error');
  }
}

/** A notice: an icon for its level, the text, a place in a file, folded details and buttons. */
function noticeView(item: NoticeItem, context: ItemContext): TemplateResult {
  const { level, hook, file, actions = [] } = item;
  return html`<div class="notice-body">
    <span role="img" aria-label=${levelWord(level)}>${icon(LEVEL_ICONS[level])}</span>
    <div>
      ${foreignText(item.text)}
      ${
        hook || file
          ? html`<p class="muted">
              ${hook && hook.path !== file?.path ? fillPlaceholders(l10n.t('by {0}'), hookLink(hook)) : nothing}
              ${file ? fillPlaceholders(l10n.t('at {0}'), fileLink(place(baseName(file.path), file.line, file.column), file)) : nothing}
            </p>`
          : nothing
      }
      ${detailView(item, context)}
      ${
        item.canContinue === true
          ? html`<button type="button" class="button secondary" @click=${emits({ type: 'continueRun' })}>
              ${l10n.t('Continue')}
            </button>`
          : nothing
      }
      ${
        actions.length === 0
          ? nothing
          : html`<div class="choices">
              ${actions.map(
                ({ label, command }) =>
                  html`<button
                    type="button"
                    class="button secondary"
                    aria-label=${visibleText(label)}
                    @click=${emits({ type: 'notice', id: item.id, command })}
                  >
                    ${visibleText(label)}
                  </button>`,
              )}
            </div>`
      }
    </div>
  </div>`;
}

function detailView({ id, detail }: NoticeItem, context: ItemContext): TemplateResult | typeof nothing {
  if (detail === undefined) return nothing;
  const key = `${id}/detail`;
  const open = context.disclosure.isOpen(key, false);
  return html`<details ?open=${open} @toggle=${onToggle(context, { id, key, open })}>
    <summary>${l10n.t('Details')}</summary>
    ${open ? html`<div class="detail">${foreignText(detail)}</div>` : nothing}
  </details>`;
}

/** A message that a hook added to the conversation. When a hook draws it, that drawing is shown. */
function customView(item: CustomItem): TemplateResult {
  const { drawing } = item;
  if (drawing !== undefined) return drawnView(item.id, drawing);
  return html`<div class="card custom">
    <p class="speaker">${icon('extensions')} ${visibleText(item.customType)}</p>
    <hookline-markdown .source=${{ text: item.displayText ?? item.text, final: true }}></hookline-markdown>
  </div>`;
}

/** The drawing of a hook for its own session entry; empty when there is none. */
function entryView({ id, drawing }: EntryItem): TemplateResult {
  return drawing === undefined ? html`` : drawnView(id, drawing);
}

function drawnView(id: string, drawing: Drawing): TemplateResult {
  return html`<div class="card custom drawn">
    ${foldButton(id, drawing)}<hookline-lines .lines=${drawing.lines}></hookline-lines>
  </div>`;
}

/** A command that the user ran. */
function bashView(item: BashItem): TemplateResult {
  const { state, exitCode } = item;
  const failed = exitCode !== undefined && exitCode !== 0;
  return html`<div class="card">
    <div class="card-head">
      ${icon('terminal')}
      <code class="tool-summary" title=${visibleText(item.command)}>${markedText(item.command)}</code>
      <span class="chip ${failed ? 'chip-failed' : `chip-${state}`}">${bashState(state, exitCode)}</span>
      ${copyButton(l10n.t('Copy Output'), () => item.output)}
    </div>
    ${item.hidden ? html`<p class="muted">${icon('eye-closed')} ${l10n.t('Not sent to the model')}</p>` : nothing}
    ${item.output === '' ? nothing : html`<hookline-output .text=${item.output}></hookline-output>`}
  </div>`;
}

/** The state of a command that the user ran, as a word. */
function bashState(state: BashItem['state'], exitCode: number | undefined): string {
  if (state === 'running') return l10n.t('Running');
  if (state === 'cancelled') return l10n.t('Stopped');
  return exitCode === undefined || exitCode === 0 ? l10n.t('Done') : l10n.t('Exit code {0}', exitCode);
}

/** A message that comes from neither the user nor the model. */
export const noticeCard: Card<NoticeItem> = {
  view: noticeView,
  attributes: item => ({ 'data-level': item.level, 'aria-label': l10n.t('Notice, {0}', levelWord(item.level)) }),
  height: () => 60,
  spoken: (item, before) => (before !== undefined || item.level === 'info' ? [] : [`${item.level}: ${item.text}`]),
};

/** A message that a hook added to the conversation. */
export const customCard: Card<CustomItem> = {
  view: customView,
  attributes: item => ({ 'data-custom-type': item.customType, 'aria-label': item.customType }),
  height: item => 48 + textHeight(item.text.length),
  isMessage: () => true,
};

/** An entry of a hook is shown only as a hook draws it. */
export const entryCard: Card<EntryItem> = {
  view: entryView,
  attributes: () => ({ 'aria-label': l10n.t('Shown by a hook') }),
  height: item => 16 + 18 * (item.drawing?.lines.length ?? 0),
  isShown: item => item.drawing !== undefined,
  isMessage: item => item.drawing !== undefined,
};

/** A command that the user ran. */
export const bashCard: Card<BashItem> = {
  view: bashView,
  attributes: item => ({
    'data-state': item.state,
    'aria-label': l10n.t('Command, {0}', bashState(item.state, item.exitCode)),
  }),
  height: () => 60,
};
