import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../controls/controls';
import { visibleText } from '../visible-text';
import type { Suggestion, SuggestionList } from './suggestions';

/** Id of the list's element, for the field that controls it. */
export const LIST_ID = 'suggestion-list';

/** Id of the active line's element; undefined when none is. */
export function activeId(list: SuggestionList | undefined): string | undefined {
  return list && list.active >= 0 ? `suggestion-${list.active}` : undefined;
}

/** The lines that can be taken; the text field keeps the focus all the while. */
export function suggestionsView(list: SuggestionList, take: (suggestion: Suggestion) => void): TemplateResult {
  return html`<ul
    id=${LIST_ID}
    class="slash-list"
    role="listbox"
    aria-label=${labelOf(list.kind)}
    data-hookline="suggestions"
    @mousedown=${(event: Event) => event.preventDefault()}
  >
    ${list.items.map((item, index) => lineView(item, index, index === list.active, take))}
  </ul>`;
}

function lineView(
  item: Suggestion,
  index: number,
  isActive: boolean,
  take: (suggestion: Suggestion) => void,
): TemplateResult {
  return html`<li
    id="suggestion-${index}"
    role="option"
    class=${isActive ? 'option active' : 'option'}
    aria-selected=${isActive ? 'true' : 'false'}
    aria-disabled=${item.isNote === true ? 'true' : nothing}
    @click=${() => {
      if (item.isNote !== true) take(item);
    }}
  >
    ${item.icon === undefined ? nothing : icon(item.icon)}
    <span class="option-name">${visibleText(item.label)}</span>
    <span class="option-text">${visibleText(item.detail)}</span>
    ${item.chip === undefined ? nothing : html`<span class="chip">${item.chip}</span>`}
  </li>`;
}

function labelOf(kind: SuggestionList['kind']): string {
  switch (kind) {
    case 'command':
      return l10n.t('Commands');
    case 'arguments':
      return l10n.t('Arguments');
    case 'mention':
      return l10n.t('Files and other context');
  }
}
