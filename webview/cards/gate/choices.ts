import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../../src/base/text/visible-text';
import { icon } from '../../controls/controls';
import { openMenu, type MenuEntry } from '../../controls/menu';

/** Sends an answer from an element of the card; without `answer`, cancels the question. */
export type AnswerFrom = (from: EventTarget | null, answer?: string | boolean) => void;

/**
 * How the keyboard reaches a choice. `first`: by Tab, and by the button that leads to the question; only a choice that allows
 * nothing. `byTab`: by Tab, if no choice is the first. `byArrow`: by the arrow keys from another choice.
 */
export type Reached = 'first' | 'byTab' | 'byArrow';

/** The button of an answer. */
export function choiceButton(
  label: string,
  value: string | boolean,
  answer: AnswerFrom,
  reached: Reached,
  look: 'primary' | 'secondary' = 'secondary',
): TemplateResult {
  const picked = (event: Event): void => {
    answer(event.currentTarget, value);
  };
  return html`<button
    type="button"
    class="button ${look}"
    tabindex=${reached === 'byArrow' ? -1 : 0}
    ?data-first=${reached === 'first'}
    aria-label=${visibleText(label)}
    @click=${picked}
  >
    <span>${visibleText(label)}</span>
  </button>`;
}

/** Moves the focus between the buttons of a question by arrow keys. */
export function walkChoices(event: KeyboardEvent): void {
  const forward = event.key === 'ArrowDown' || event.key === 'ArrowRight';
  if (!forward && event.key !== 'ArrowUp' && event.key !== 'ArrowLeft') return;
  if (!(event.currentTarget instanceof HTMLElement) || event.defaultPrevented) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...event.currentTarget.querySelectorAll('button')];
  const at = all.findIndex(button => button === document.activeElement);
  all.at((at + (forward ? 1 : -1)) % all.length)?.focus();
}

/** The button that ends a question without an answer. */
export function cancelButton(answer: AnswerFrom): TemplateResult {
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

/** The second part of a split button: a menu of further options. `label` names it. */
export function moreButton(
  label: string,
  more: readonly { readonly option: string; readonly icon: string }[],
  answer: AnswerFrom,
): TemplateResult {
  const opened = (event: Event): void => {
    const { currentTarget: owner } = event;
    if (!(owner instanceof HTMLElement)) return;
    const entries = more.map(({ option, icon: glyph }): MenuEntry => ({
      icon: glyph,
      label: option,
      run: () => answer(owner, option),
    }));
    openMenu(owner, label, entries);
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    opened(event);
  };
  return html`<button
    type="button"
    class="button primary split-more"
    tabindex="-1"
    aria-haspopup="menu"
    aria-expanded="false"
    aria-label=${label}
    title=${label}
    @click=${opened}
    @keydown=${keyed}
  >
    ${icon('chevron-down')}
  </button>`;
}
