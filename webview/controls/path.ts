import { html, nothing, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';
import { baseName } from '../format';

/**
 * A path, drawn as name and then folder. Where there is little room, the folder is shortened from the left; where its last
 * name does not fit as a whole, only the name of the file is drawn. The parent element needs the path as tooltip.
 */
export function pathView(path: string): TemplateResult {
  const shown = visibleText(path);
  const nameAt = shown.lastIndexOf(baseName(shown));
  const folder = shown.slice(0, nameAt);
  const nearAt = folder.lastIndexOf(baseName(folder));
  const far = html`<span class="path-far"><bdi dir="ltr">${folder.slice(0, nearAt)}</bdi></span>`;
  // In the order of the path, so that it is read and searched as one text; the style sheet draws the name first.
  return html`<span class="path"
    ><span class="path-folder">${nearAt > 0 ? far : nothing}<span>${folder.slice(nearAt)}</span></span
    ><span class="path-name">${shown.slice(nameAt)}</span></span
  >`;
}
