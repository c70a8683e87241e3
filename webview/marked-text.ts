import { html, type TemplateResult } from 'lit';
import { hiddenMark, visibleParts } from '../src/base/text/visible-text';

/** HTML with a marked span for each hidden character. Its attributes must not contain foreign text. */
export function markedHtml(source: string): string {
  return visibleParts(source)
    .map(part => (part.type === 'text' ? part.text : `<span class="hidden-character">${hiddenMark(part.code)}</span>`))
    .join('');
}

/** Foreign text for a place between tags, with a marked span for each hidden character. */
export function markedText(text: string): readonly (string | TemplateResult)[] {
  return visibleParts(text).map(part =>
    part.type === 'text' ? part.text : html`<span class="hidden-character">${hiddenMark(part.code)}</span>`,
  );
}

/** {@link markedText} as nodes of the page. */
export function markedNodes(text: string): readonly Node[] {
  return visibleParts(text).map(part => {
    if (part.type === 'text') return document.createTextNode(part.text);
    const mark = document.createElement('span');
    mark.className = 'hidden-character';
    mark.textContent = hiddenMark(part.code);
    return mark;
  });
}
