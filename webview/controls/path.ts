import { html, nothing, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';
import { baseName } from '../format';

/** A path as name and folder. Where there is little room, the folder is shortened from the left. Give its parent the path as tooltip. */
export function pathView(path: string): TemplateResult {
  const shown = visibleText(path);
  const name = baseName(shown);
  const folder = shown.slice(0, shown.lastIndexOf(name)).replace(/(?<=.)[\\/]$/, '');
  return html`<span class="path"
    ><span class="path-name">${name}</span
    >${folder === '' ? nothing : html` <span class="path-folder"><bdi dir="ltr">${folder}</bdi></span>`}</span
  >`;
}
