import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { GateItem } from '../../src/protocol/items/chat-item';
import { safeAnswer } from '../../src/protocol/items/safe-answer';
import { singleLine } from '../../src/base/text/single-line';
import { visibleText } from '../../src/base/text/visible-text';
import { emit } from '../controls/emit';
import { answeredLine } from './answered';
import type { Card } from './card';
import { answerTabView, openAnswerTab } from './gate/answer-tab';
import { approvalChoices, approvalOptions } from './gate/approval-choices';
import { cancelButton, choiceButton, walkChoices, type AnswerFrom, type Reached } from './gate/choices';
import { questionView, spokenQuestion } from './gate/question-text';
import type { ItemContext } from './item-context';
import { planChoices, planQuestion } from './plan/plan-question';
import { hookLink, icon } from '../controls/controls';

/**
 * A question. While it is open, it has its full text. It never takes the focus, and its buttons take no key that began elsewhere.
 * Escape inside of the card cancels the question.
 */
function gateView(item: GateItem, context: ItemContext): TemplateResult {
  const plan = item.state.type === 'open' && item.subject?.type === 'plan' ? item.subject.plan : undefined;
  const answer: AnswerFrom = (from, given) => {
    if (!from || item.state.type !== 'open' || context.answers.has(item.id)) return;
    context.answers.add(item.id);
    emit(from, { type: 'answer', id: item.id, answer: given });
    context.refresh(item.id);
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.repeat || item.state.type !== 'open') return;
    event.preventDefault();
    event.stopPropagation();
    answer(event.currentTarget);
  };
  return html`<div
    class="card gate${plan === undefined ? '' : ' plan-gate'}"
    role="group"
    tabindex="-1"
    aria-label=${visibleText(l10n.t('Question of {0}: {1}', item.hook.name, item.title))}
    @keydown=${keyed}
    @click=${onlyDeliberate(context)}
  >
    ${contentView(item, plan, context, answer)}
  </div>`;
}

function contentView(
  item: GateItem,
  plan: string | undefined,
  context: ItemContext,
  answer: AnswerFrom,
): TemplateResult {
  switch (item.state.type) {
    case 'queued':
      return html`<p class="gate-line" title=${visibleText(item.message)}>
        ${icon('clock')} <span>${hookLink(item.hook)}: ${visibleText(singleLine(item.title))}</span>
        <span class="muted">${l10n.t('Answer the other question first.')}</span>
      </p>`;
    case 'answered':
    case 'cancelled':
      return answeredLine(item);
    case 'open': {
      const answers = context.answers.has(item.id) ? sendingView() : answersView(item, context, answer);
      return plan === undefined ? html`${questionView(item)} ${answers}` : planQuestion(item, plan, answers);
    }
  }
}

function sendingView(): TemplateResult {
  return html`<p class="muted" role="status">
    ${icon('loading codicon-modifier-spin')} ${l10n.t('Sending the answer…')}
  </p>`;
}

/** The state of a question as a word, for the card's accessible name. */
function gateWord(state: GateItem['state']['type']): string {
  switch (state) {
    case 'queued':
      return l10n.t('waiting');
    case 'open':
      return l10n.t('open');
    case 'answered':
      return l10n.t('answered');
    case 'cancelled':
      return l10n.t('canceled');
  }
}

/** Keeps clicks from the buttons that a key caused which began elsewhere. */
function onlyDeliberate({ presses }: ItemContext): object {
  const handleEvent = (event: MouseEvent): void => {
    if (presses.mayClick(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { handleEvent, capture: true };
}

/** The answers, or in their place the form for a denial with a message. */
function answersView(item: GateItem, context: ItemContext, answer: AnswerFrom): TemplateResult {
  const { id, canDeny } = item;
  const showForm =
    (open: boolean, focused: string) =>
    (event: Event): void => {
      const card = event.currentTarget instanceof Element ? event.currentTarget.closest('.gate') : null;
      context.disclosure.set(`${id}/deny`, open);
      context.refresh(id);
      card?.querySelector<HTMLElement>(focused)?.focus();
      card?.querySelector('.deny-form')?.scrollIntoView({ block: 'nearest' });
    };
  const withMessage = canDeny === true ? showForm(true, '[name="denial"]') : undefined;
  if (withMessage !== undefined && context.disclosure.isOpen(`${id}/deny`, context.typed.has(id))) {
    return denialForm(id, context, showForm(false, '.deny'));
  }
  const approval = approvalOptions(item);
  if (approval !== undefined) return approvalChoices(approval, answer, withMessage);
  return html`${planChoices(item, answer) ?? controls(item, context, answer)}
  ${
    withMessage === undefined
      ? nothing
      : html`<button type="button" class="button quiet deny" @click=${withMessage}>
          ${l10n.t('Deny with message…')}
        </button>`
  }`;
}

/** The form for a denial with a message: the hook gets its usual denial, and the model also gets the message. */
function denialForm(id: string, context: ItemContext, back: (event: Event) => void): TemplateResult {
  const denied = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || context.answers.has(id)) return;
    const message = new FormData(event.currentTarget).get('denial');
    context.answers.add(id);
    emit(event.currentTarget, { type: 'deny', id, message: typeof message === 'string' ? message : '' });
    context.refresh(id);
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.repeat) return;
    event.preventDefault();
    event.stopPropagation();
    back(event);
  };
  return html`<form class="gate-form deny-form" @submit=${denied} @keydown=${keyed}>
    <textarea
      name="denial"
      rows="2"
      aria-label=${l10n.t('Message to the model')}
      placeholder=${l10n.t('Why not, or what to do instead')}
      .value=${live(context.typed.get(id) ?? '')}
      @input=${keepTyped(id, context)}
      @keydown=${sendByEnter}
    ></textarea>
    <div class="choices">
      <button type="submit" class="button secondary" data-first title=${l10n.t('Deny (Enter)')}>
        ${l10n.t('Deny')}
      </button>
      <button type="button" class="button quiet" @click=${back}>${l10n.t('Back')}</button>
    </div>
  </form>`;
}

function controls(item: GateItem, context: ItemContext, answer: AnswerFrom): TemplateResult {
  const { dialog } = item;
  switch (dialog.type) {
    case 'confirm':
      return html`<div class="choices" @keydown=${walkChoices}>
        ${choiceButton(l10n.t('Yes'), true, answer, 'byArrow')}${choiceButton(l10n.t('No'), false, answer, 'first')}
      </div>`;
    case 'select': {
      const { options, cancels } = dialog;
      const safe = safeAnswer(dialog);
      const hasCancel = cancels !== undefined || options.some(isNamedCancel);
      const reached = (option: string): Reached =>
        option === safe ? 'first' : safe === undefined ? 'byTab' : 'byArrow';
      return html`<div class="choices choices-list" @keydown=${walkChoices}>
        ${options.map(option => choiceButton(option, option, answer, reached(option)))}${hasCancel ? nothing : cancelButton(answer)}
      </div>`;
    }
    case 'input':
      return textForm(
        answer,
        html`<input
          name="answer"
          type="text"
          data-first
          aria-label=${l10n.t('Answer')}
          placeholder=${dialog.placeholder}
          autocomplete="off"
          .value=${live(context.typed.get(item.id) ?? '')}
          @input=${keepTyped(item.id, context)}
        />`,
      );
    case 'editor': {
      const tab = context.tabs.get(item.id);
      if (tab !== undefined) return answerTabView(item.id, tab, context, cancelButton(answer));
      return textForm(
        answer,
        html`<textarea
          name="answer"
          rows="6"
          data-first
          aria-label=${l10n.t('Answer')}
          .value=${live(context.typed.get(item.id) ?? dialog.prefill)}
          @input=${keepTyped(item.id, context)}
          @keydown=${submitByKey}
        ></textarea>`,
        openAnswerTab(),
      );
    }
  }
}

/** Whether a hook's own option is named Cancel. Then there is no second Cancel button; Escape still cancels. */
function isNamedCancel(option: string): boolean {
  return option.trim().toLowerCase() === l10n.t('Cancel').toLowerCase();
}

function textForm(answer: AnswerFrom, field: TemplateResult, more?: TemplateResult): TemplateResult {
  const submitted = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const value = new FormData(event.currentTarget).get('answer');
    answer(event.currentTarget, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '');
  };
  return html`<form class="gate-form" @submit=${submitted}>
    ${field}
    <div class="choices">
      <button type="submit" class="button primary">${l10n.t('Submit')}</button>${more}${cancelButton(answer)}
    </div>
  </form>`;
}

/** Keeps the text of a field for when the user comes back: in this page, and at the host for the page after this one. */
function keepTyped(id: string, { typed }: ItemContext): (event: InputEvent) => void {
  return ({ currentTarget }) => {
    if (currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLTextAreaElement) {
      const text = currentTarget.value;
      typed.set(id, text);
      emit(currentTarget, { type: 'typed', id, text });
    }
  };
}

/** Enter sends, as in the composer; Shift+Enter begins a new line. A key that opened the form and is still down does neither. */
function sendByEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.isComposing) return;
  event.preventDefault();
  if (!event.repeat && event.currentTarget instanceof HTMLTextAreaElement) event.currentTarget.form?.requestSubmit();
}

function submitByKey(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLTextAreaElement) event.currentTarget.form?.requestSubmit();
}

/** A question of a hook. */
export const gateCard: Card<GateItem> = {
  view: gateView,
  attributes: item => ({
    'data-gate': item.dialog.type,
    'data-state': item.state.type,
    'aria-label': l10n.t('Question, {0}', gateWord(item.state.type)),
  }),
  height: () => 140,
  isMessage: () => true,
  spoken: (item, before) =>
    item.state.type === 'open' && before?.state.type !== 'open'
      ? [l10n.t('{0} asks: {1}', item.hook.name, spokenQuestion(item))]
      : [],
};
