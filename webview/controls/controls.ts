import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Drawing, HookRef, Image } from '../../src/protocol/items/chat-item';
import type { WebviewToHost } from '../../src/protocol/messages';
import { IMAGE_TYPES } from '../../src/protocol/base/image-types';
import { place } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { emit, emits } from './emit';

/** A codicon. Screen readers do not read it, so a text or label beside it must say the same. */
export function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

/** A small button that shows only an icon. Use `tabIndex` -1 only when the keyboard can do the same in another way. */
export function iconButton(
  name: string,
  label: string,
  run: (event: Event) => void,
  tabIndex: 0 | -1 = 0,
): TemplateResult {
  return html`<button
    type="button"
    class="icon-button"
    tabindex=${tabIndex}
    aria-label=${label}
    title=${label}
    @click=${run}
  >
    ${icon(name)}
  </button>`;
}

/** An icon button that lets the host copy `text()`, and shows for a moment that it was copied. */
export function copyButton(
  label: string,
  text: () => string,
  { glyph = 'copy', tabIndex = 0 }: { readonly glyph?: string; readonly tabIndex?: 0 | -1 } = {},
): TemplateResult {
  const copied = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    emit(event.currentTarget, { type: 'copy', text: text() });
    confirmCopied(event.currentTarget, label, glyph);
  };
  return iconButton(glyph, label, copied, tabIndex);
}

function confirmCopied(button: HTMLElement, label: string, usual: string): void {
  const glyph = button.querySelector('.codicon');
  const show = (name: string, text: string): void => {
    if (glyph) glyph.className = `codicon codicon-${name}`;
    button.setAttribute('aria-label', text);
  };
  show('check', l10n.t('Copied'));
  window.setTimeout(() => show(usual, label), 1500);
}

/** A button that looks like a link and sends a message to the host. */
export function linkButton(text: string, label: string, message: WebviewToHost): TemplateResult {
  return html`<button type="button" class="link" aria-label=${label} title=${label} @click=${emits(message)}>
    ${visibleText(text)}
  </button>`;
}

/** The file name of a hook. A click opens the file, at the handler if its line is known. */
export function hookLink(hook: HookRef, withLine = false): TemplateResult {
  const { path, name, line } = hook;
  return fileLink(withLine ? place(name, line) : name, { path, line });
}

/** A text for a place in a file. A click opens the file there. */
export function fileLink(
  text: string,
  file: { readonly path: string; readonly line?: number; readonly column?: number },
): TemplateResult {
  const { path, line, column } = file;
  return linkButton(text, l10n.t('{0} (open {1})', visibleText(text), visibleText(place(path, line, column))), {
    type: 'openFile',
    ...file,
  });
}

/** Text from outside, with its line breaks. Of a long text, the beginning is shown with a button for more. */
export function foreignText(text: string): TemplateResult {
  return html`<hookline-text .text=${text}></hookline-text>`;
}

/** A button that asks the hook to draw a card in full or in short. */
export function foldButton(id: string, { expanded }: Drawing): TemplateResult {
  const label = expanded ? l10n.t('Show Less') : l10n.t('Show All');
  return html`<button
    type="button"
    class="icon-button fold"
    aria-label=${label}
    aria-expanded=${expanded ? 'true' : 'false'}
    title=${label}
    @click=${emits({ type: 'expandItem', id, expanded: !expanded })}
  >
    ${icon(expanded ? 'fold' : 'unfold')}
  </button>`;
}

/** Shows images that are given as data. For other types of data, only the type is shown. */
export function imageList(list: readonly Image[], label: string): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<div class="images">
    ${list.map(({ mimeType, data }, index) =>
      IMAGE_TYPES.has(mimeType)
        ? html`<img src="data:${mimeType};base64,${data}" alt="${label} ${index + 1}" />`
        : html`<span class="muted">${mimeType}</span>`,
    )}
  </div>`;
}
