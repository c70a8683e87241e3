import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { EditorChip, SelectedLines, Withheld } from '../../src/protocol/composer/editor-chip';
import { visibleText } from '../../src/base/text/visible-text';
import { icon } from '../controls/controls';
import { emits } from '../controls/emit';
import { fileIcon } from '../controls/file-icon';
import { KIND_ICONS } from './suggestions';

/** Most line ranges that stand on a chip; its tooltip has all. */
const MOST_SHOWN = 2;

/** A chip for the selection or the file of the editor. The chip itself is the button that switches it. */
export function editorChipView(chip: EditorChip): TemplateResult {
  const { kind, name, path, lines, firstLines, isOn } = chip;
  const shown = visibleText(name);
  const rest = lines.length - MOST_SHOWN;
  const span = lines.length === 0 ? '' : `:${spans(lines.slice(0, MOST_SHOWN))}${rest > 0 ? ` +${rest}` : ''}`;
  return html`<li>
    <button
      type="button"
      class="attached-file editor-chip"
      data-hookline="editor-chip"
      data-kind=${kind}
      aria-pressed=${isOn ? 'true' : 'false'}
      aria-label=${labelOf(chip, shown)}
      title=${tooltipOf(chip)}
      @click=${emits({ type: 'switchChip', kind, path, isOn: !isOn })}
    >
      ${icon(kind === 'file' ? fileIcon(name) : KIND_ICONS.selection)}
      <span class="chip-place"><span class="clip">${shown}</span>${span}</span>
      ${firstLines === undefined ? nothing : html`<span class="muted clip">${partOf(firstLines)}</span>`}
      ${icon(glyphOf(chip))}
    </button>
  </li>`;
}

function glyphOf({ isOn, withheld }: EditorChip): string {
  if (isOn) return 'eye';
  return withheld === undefined ? 'eye-closed' : 'lock';
}

function labelOf({ kind, lines }: EditorChip, name: string): string {
  return kind === 'file' ? l10n.t('Current file {0}', name) : l10n.t('Selection {0}:{1}', name, spans(lines));
}

function tooltipOf(chip: EditorChip): string {
  const { path, lines, firstLines, isOn, withheld } = chip;
  const place = lines.length === 0 ? visibleText(path) : `${visibleText(path)}:${spans(lines)}`;
  const cut = firstLines === undefined ? [] : [l10n.t('It is too long to be sent whole: {0}.', partOf(firstLines))];
  const reason = withheld === undefined ? [] : [reasonOf(withheld)];
  return [place, ...reason, ...cut, effectOf(isOn, withheld)].join('\n');
}

function effectOf(isOn: boolean, withheld: Withheld | undefined): string {
  if (withheld !== undefined) {
    return isOn
      ? l10n.t('It is sent with this message only. Click to leave it out.')
      : l10n.t('It is not sent. Click to send it with this message.');
  }
  return isOn
    ? l10n.t('It is sent with your messages. Click to leave it out.')
    : l10n.t('It is not sent. Click to send it with your messages.');
}

function reasonOf(withheld: Withheld): string {
  switch (withheld) {
    case 'outside':
      return l10n.t('It is not sent by itself, because it is outside of the workspace.');
    case 'secret':
      return l10n.t('It is not sent by itself, because such files often contain keys or passwords.');
    case 'gitignore':
      return l10n.t('It is not sent by itself, because .gitignore excludes it.');
    case 'exclude':
      return l10n.t('It is not sent by itself, because the setting files.exclude hides it.');
  }
}

function partOf(firstLines: number): string {
  if (firstLines === 0) return l10n.t('the first part');
  return firstLines === 1 ? l10n.t('the first line') : l10n.t('the first {0} lines', firstLines.toLocaleString('en'));
}

function spans(lines: readonly SelectedLines[]): string {
  return lines.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
