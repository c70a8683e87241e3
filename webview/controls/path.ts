import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';
import { baseName } from '../format';

/**
 * A path, drawn as name and then folder. Where there is little room, the folder is shortened from the left. The parent
 * element needs the path as tooltip.
 */
export function pathView(path: string): TemplateResult {
  const shown = visibleText(path);
  const nameAt = shown.lastIndexOf(baseName(shown));
  // In the order of the path, so that it is read and searched as one text; the style sheet draws the name first.
  return html`<span class="path"
    ><span class="path-folder"><bdi dir="ltr">${shown.slice(0, nameAt)}</bdi></span
    ><span class="path-name">${shown.slice(nameAt)}</span></span
  >`;
}
