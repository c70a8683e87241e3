import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { GateItem } from '../../src/protocol/chat-item';
import { safeAnswer } from '../../src/protocol/safe-answer';
import { fillPlaceholders } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { emit } from '../controls/emit';
import { answerTabView, openAnswerTab } from './answer-tab';
import type { Card } from './card';
import type { ItemContext } from './item-context';
import { foreignText, hookLink, icon } from '../controls/controls';

/** Sends an answer from an element of the card; without `answer`, cancels the question. */
type Answer = (from: EventTarget | null, answer?: string | boolean) => void;

/**
 * A question with its full text. It never takes the focus, and its buttons take no key that began elsewhere. Escape inside of
 * the card cancels the question.
 */
function gateView(item: GateItem, context: ItemContext): TemplateResult {
  const tool = item.toolItem === undefined ? undefined : context.describeTool(item.toolItem);
  const answer: Answer = (from, given) => {
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
    class="card gate"
    role="group"
    tabindex="-1"
    aria-label=${visibleText(l10n.t('Question of {0}: {1}', item.hook.name, item.title))}
    @keydown=${keyed}
    @click=${onlyDeliberate(context)}
  >
    <div class="gate-head">
      <p class="gate-asker">
        ${icon('question')}
        <span
          >${fillPlaceholders(tool === undefined ? l10n.t('{0} asks') : l10n.t('{0} asks about'), hookLink(item.hook))}</span
        >
        ${tool === undefined ? nothing : html`<code>${visibleText(tool)}</code>`}
      </p>
      <p class="gate-title">${foreignText(item.title)}</p>
      ${tailView(item.title)}
    </div>
    ${messageView(item.message)} ${footer(item, context, answer)}
  </div>`;
}

/** Lines, and characters, of a text whose end needs no place of its own. */
const SHORT = { lines: 10, characters: 600 } as const;
/** What is kept in sight of the end of a longer text. */
const TAIL = { lines: 2, characters: 60 } as const;

/** The text of a question, in a scroller. */
function messageView(message: string): TemplateResult | typeof nothing {
  if (message === '') return nothing;
  const label = l10n.t('Full text of the question');
  return html`<div class="gate-message" tabindex="0" role="region" aria-label=${label}>${foreignText(message)}</div>
    ${tailView(message)}`;
}

/** The end of a long text again, which stays in sight below it, whatever comes before. */
function tailView(text: string): TemplateResult | typeof nothing {
  const whole = text.trimEnd();
  const cut = cutOf(whole);
  if (cut === undefined) return nothing;
  return html`<div class="gate-tail" aria-hidden="true" title=${l10n.t('The end of the text above')}>
    ${foreignText(`… ${whole.slice(cut).trimStart()}`)}
  </div>`;
}

/** Where the end of a long text begins; undefined for a short one. */
function cutOf(text: string): number | undefined {
  const lines = text.split('\n');
  if (lines.length <= SHORT.lines && text.length <= SHORT.characters) return undefined;
  const last = lines.slice(-TAIL.lines).join('\n').length;
  return text.length - Math.min(last, TAIL.characters);
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

function footer(item: GateItem, context: ItemContext, answer: Answer): TemplateResult {
  switch (item.state.type) {
    case 'queued':
      return html`<p class="muted">${icon('clock')} ${l10n.t('Answer the other question first.')}</p>`;
    case 'answered':
      return html`<p class="gate-result">
        ${icon('check')} ${l10n.t('Answered:')} <strong>${foreignText(item.state.answer)}</strong>
      </p>`;
    case 'cancelled':
      return html`<p class="gate-result">${icon('circle-slash')} ${l10n.t('Canceled')}</p>`;
    case 'open':
      return context.answers.has(item.id)
        ? html`<p class="muted" role="status">
            ${icon('loading codicon-modifier-spin')} ${l10n.t('Sending the answer…')}
          </p>`
        : html`${controls(item, context, answer)} ${denyView(item, context)}`;
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

/** The form for a denial with a message: the hook gets its usual denial, and the model also gets the message. */
function denyView({ id, canDeny }: GateItem, context: ItemContext): TemplateResult | typeof nothing {
  if (canDeny !== true) return nothing;
  const key = `${id}/deny`;
  if (!context.disclosure.isOpen(key, context.typed.has(id))) {
    const opened = (event: Event): void => {
      const card = event.currentTarget instanceof Element ? event.currentTarget.closest('.gate') : null;
      context.disclosure.set(key, true);
      context.refresh(id);
      card?.querySelector<HTMLElement>('[name="denial"]')?.focus();
    };
    return html`<button type="button" class="button quiet deny" @click=${opened}>
      ${l10n.t('Deny with message…')}
    </button>`;
  }
  const denied = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || context.answers.has(id)) return;
    const message = new FormData(event.currentTarget).get('denial');
    context.answers.add(id);
    emit(event.currentTarget, { type: 'deny', id, message: typeof message === 'string' ? message : '' });
    context.refresh(id);
  };
  return html`<form class="gate-form deny-form" @submit=${denied}>
    <textarea
      name="denial"
      rows="2"
      aria-label=${l10n.t('Message to the model')}
      placeholder=${l10n.t('Why not, or what to do instead')}
      .value=${live(context.typed.get(id) ?? '')}
      @input=${keepTyped(id, context)}
      @keydown=${submitByKey}
    ></textarea>
    <div class="choices">
      <button type="submit" class="button secondary">${l10n.t('Deny')}</button>
    </div>
  </form>`;
}

function controls(item: GateItem, context: ItemContext, answer: Answer): TemplateResult {
  const { dialog } = item;
  switch (dialog.type) {
    case 'confirm':
      return html`<div class="choices" @keydown=${walkChoices}>
        ${choice(l10n.t('Yes'), true, answer, 'byArrow')}${choice(l10n.t('No'), false, answer, 'first')}
      </div>`;
    case 'select': {
      const { options, cancels } = dialog;
      const safe = safeAnswer(dialog);
      const hasCancel = cancels !== undefined || options.some(isNamedCancel);
      const reached = (option: string): Reached =>
        option === safe ? 'first' : safe === undefined ? 'byTab' : 'byArrow';
      return html`<div class="choices choices-list" @keydown=${walkChoices}>
        ${options.map(option => choice(option, option, answer, reached(option)))}${hasCancel ? nothing : cancel(answer)}
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
      if (tab !== undefined) return answerTabView(item.id, tab, context, cancel(answer));
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

/**
 * How the keyboard reaches a choice. `first`: by Tab, and by the button that leads to the question; only a choice that allows
 * nothing. `byTab`: by Tab, if no choice is the first. `byArrow`: by the arrow keys from another choice.
 */
type Reached = 'first' | 'byTab' | 'byArrow';

function choice(label: string, value: string | boolean, answer: Answer, reached: Reached): TemplateResult {
  const picked = (event: Event): void => {
    answer(event.currentTarget, value);
  };
  return html`<button
    type="button"
    class="button secondary"
    tabindex=${reached === 'byArrow' ? -1 : 0}
    ?data-first=${reached === 'first'}
    aria-label=${visibleText(label)}
    @click=${picked}
  >
    <span>${visibleText(label)}</span>
  </button>`;
}

function walkChoices(event: KeyboardEvent): void {
  const forward = event.key === 'ArrowDown' || event.key === 'ArrowRight';
  if (!forward && event.key !== 'ArrowUp' && event.key !== 'ArrowLeft') return;
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...event.currentTarget.querySelectorAll('button')];
  const at = all.findIndex(button => button === document.activeElement);
  all.at((at + (forward ? 1 : -1)) % all.length)?.focus();
}

/** Whether a hook's own option is named Cancel. Then there is no second Cancel button; Escape still cancels. */
function isNamedCancel(option: string): boolean {
  return option.trim().toLowerCase() === l10n.t('Cancel').toLowerCase();
}

function cancel(answer: Answer): TemplateResult {
  const cancelled = (event: Event): void => {
    answer(event.currentTarget);
  };
  return html`<button
    type="button"
    class="button quiet"
    title=${l10n.t('Give no answer. The hook then decides what happens.')}
    @click=${cancelled}
  >
    ${l10n.t('Cancel')}
  </button>`;
}

function textForm(answer: Answer, field: TemplateResult, more?: TemplateResult): TemplateResult {
  const submitted = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const value = new FormData(event.currentTarget).get('answer');
    answer(event.currentTarget, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '');
  };
  return html`<form class="gate-form" @submit=${submitted}>
    ${field}
    <div class="choices">
      <button type="submit" class="button primary">${l10n.t('Submit')}</button>${more}${cancel(answer)}
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
      ? [l10n.t('{0} asks: {1} {2}', item.hook.name, item.title, item.message)]
      : [],
};
