import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { icon } from '../../controls/controls';
import { emit, emits } from '../../controls/emit';
import { fillPlaceholders } from '../../format';
import type { ItemContext } from '../item-context';

/** The place of a question's field while an editor tab has its text. The buttons act on that text. */
export function answerTabView(id: string, tab: string, context: ItemContext, cancel: TemplateResult): TemplateResult {
  const submitted = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLElement) || context.answers.has(id)) return;
    context.answers.add(id);
    emit(event.currentTarget, { type: 'answerFromTab', id });
    context.refresh(id);
  };
  return html`<p class="gate-tab" role="status">
      ${icon('edit')}
      <span>${fillPlaceholders(l10n.t('You are editing this in the tab {0}.'), html`<strong>${tab}</strong>`)}</span>
    </p>
    <div class="choices">
      <button type="button" class="button secondary" data-first @click=${emits({ type: 'showAnswerTab' })}>
        ${l10n.t('Show Tab')}
      </button>
      <button type="button" class="button primary" @click=${submitted}>${l10n.t('Submit')}</button>
      ${cancel}
    </div>`;
}

/** The button that moves the text of a question from its card into an editor tab. */
export function openAnswerTab(): TemplateResult {
  return html`<button type="button" class="button secondary" @click=${emits({ type: 'showAnswerTab' })}>
    ${l10n.t('Edit in a Tab')}
  </button>`;
}
