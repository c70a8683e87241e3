import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Attachments } from '../../src/protocol/composer';
import { icon } from '../controls/controls';
import { visibleText } from '../visible-text';

/** What will be sent along, each with a button that takes it away. */
export function attachmentsView(
  { images, files }: Attachments,
  on: { readonly removeImage: (index: number) => void; readonly removeFile: (index: number) => void },
): TemplateResult | typeof nothing {
  if (images.length + files.length === 0) return nothing;
  return html`<ul class="attachments" aria-label=${l10n.t('Attached')} data-hookline="attachments">
    ${images.map(
      ({ mimeType, data }, index) =>
        html`<li class="attached-image">
          <img src="data:${mimeType};base64,${data}" alt=${l10n.t('Attached image {0}', index + 1)} />
          ${removeButton(l10n.t('Remove image {0}', index + 1), () => on.removeImage(index))}
        </li>`,
    )}
    ${files.map(
      ({ name, text }, index) =>
        html`<li class="attached-file">
          ${icon('file')} <span class="clip" title=${visibleText(name)}>${visibleText(name)}</span>
          <span class="muted">${sizeOf(text)}</span>
          ${removeButton(l10n.t('Remove {0}', visibleText(name)), () => on.removeFile(index))}
        </li>`,
    )}
  </ul>`;
}

function removeButton(label: string, run: () => void): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${label} title=${l10n.t('Remove')} @click=${run}>
    ${icon('close')}
  </button>`;
}

function sizeOf(text: string): string {
  const lines = text.split('\n').length;
  return lines === 1 ? l10n.t('1 line') : l10n.t('{0} lines', lines);
}
