import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';

/** The bar at the top of a page with its filters. */
export function filterBar(fields: TemplateResult): TemplateResult {
  return html`<form class="filters" role="search" @submit=${(event: Event) => event.preventDefault()}>${fields}</form>`;
}

/** A search field; `changed` is called with the text after each change. */
export function searchField(field: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly changed: (text: string) => void;
  readonly keyed?: (event: KeyboardEvent) => void;
}): TemplateResult {
  return html`<input
    type="search"
    aria-label=${field.label}
    placeholder=${field.placeholder}
    .value=${field.value}
    @input=${(event: InputEvent) => {
      if (event.target instanceof HTMLInputElement) field.changed(event.target.value);
    }}
    @keydown=${field.keyed}
  />`;
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
}

/** A drop-down list; `changed` is called with the value that the user chooses. */
export function chooser<Value extends string>(
  label: string,
  chosen: Value,
  choices: readonly Choice<Value>[],
  changed: (value: Value) => void,
): TemplateResult {
  return html`<select
    aria-label=${label}
    @change=${(event: Event) => {
      if (!(event.target instanceof HTMLSelectElement)) return;
      const choice = choices[event.target.selectedIndex];
      if (choice !== undefined) changed(choice.value);
    }}
  >
    ${choices.map(({ value, name }) => html`<option value=${value} ?selected=${value === chosen}>${visibleText(name)}</option>`)}
  </select>`;
}

/** A text that says how many rows are shown. Screen readers read it when it changes. */
export function countView(text: string): TemplateResult {
  return html`<span class="count" role="status">${text}</span>`;
}
