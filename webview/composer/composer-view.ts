import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { UserItem } from '../../src/protocol/items/chat-item';
import type { Attachments } from '../../src/protocol/composer/composer';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import type { EditorChip } from '../../src/protocol/composer/editor-chip';
import type { RunStatus } from '../../src/protocol/messages';
import { settingsView } from '../status/settings';
import { icon } from '../controls/controls';
import { emits } from '../controls/emit';
import { fileIcon } from '../controls/file-icon';
import { menuButton } from '../controls/menu';
import type { Mention } from './mentioned';
import { visibleText } from '../../src/base/text/visible-text';
import { editBanner, type EditBanner } from './editing';
import { editorChipView } from './editor-chip-view';
import { queueView } from './queue-view';
import { KIND_ICONS, type Suggestion, type SuggestionList } from './suggestions';

/** Id of the list's element, to which the text field's `aria-controls` refers. */
const LIST_ID = 'suggestion-list';

/** Id of the element of the active line; undefined when no line is active. */
function activeId(list: SuggestionList | undefined): string | undefined {
  return list && list.active >= 0 ? `suggestion-${list.active}` : undefined;
}

/** The list of suggestions. The text field keeps the focus. */
function suggestionsView(list: SuggestionList, take: (suggestion: Suggestion) => void): TemplateResult {
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
    <span class=${item.isPlace === true ? 'option-text clip-start' : 'option-text'} title=${visibleText(item.detail)}
      ><bdi>${visibleText(item.detail)}</bdi></span
    >
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
    case 'offered':
      return l10n.t('Offered by hooks');
  }
}

/** What the composer's template draws. */
export interface ComposerModel {
  readonly status: RunStatus;
  /** What the context consists of, if the user asked. */
  readonly context: ContextBreakdown | undefined;
  readonly list: SuggestionList | undefined;
  readonly attachments: Attachments;
  /** What the text names. */
  readonly mentions: readonly Mention[];
  readonly editorChips: readonly EditorChip[];
  readonly queued: readonly UserItem[];
  /** Says why the user's last action did not work; empty when there is nothing to say. */
  readonly problem: string;
  readonly canSend: boolean;
  readonly editing: EditBanner;
}

export interface ComposerHandlers {
  readonly input: (event: Event) => void;
  readonly keydown: (event: KeyboardEvent) => void;
  readonly caret: () => void;
  readonly paste: (event: ClipboardEvent) => void;
  readonly blur: () => void;
  readonly send: () => void;
  readonly queue: () => void;
  readonly stop: () => void;
  readonly focus: () => void;
  readonly mention: () => void;
  /** Lets the user choose files. */
  readonly browse: () => void;
  readonly attach: (files: readonly File[]) => void;
  readonly removeImage: (index: number) => void;
  readonly removeFile: (index: number) => void;
  readonly removeMention: (mention: Mention) => void;
  readonly take: (suggestion: Suggestion) => void;
}

/** The composer: waiting messages, list of suggestions, attachments, text field, settings and buttons. */
export function composerView(model: ComposerModel, on: ComposerHandlers): TemplateResult {
  const { status, list, problem } = model;
  const running = status.phase.type !== 'idle';
  return html`${problem === '' ? nothing : html`<p class="composer-problem" role="alert">${icon('warning')} <span>${problem}</span></p>`}
    ${queueView(model.queued)}
    <div class="composer">
      ${list ? suggestionsView(list, on.take) : nothing} ${editBanner(model.editing)} ${attachmentsView(model, on)}
      <textarea
        data-hookline="composer"
        rows="1"
        role=${list ? 'combobox' : nothing}
        aria-expanded=${list ? 'true' : nothing}
        aria-label=${l10n.t('Message')}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${list ? LIST_ID : nothing}
        aria-activedescendant=${activeId(list) ?? nothing}
        aria-describedby=${running ? 'composer-hint' : nothing}
        placeholder=${placeholder(running)}
        @input=${on.input}
        @keydown=${on.keydown}
        @click=${on.caret}
        @paste=${on.paste}
        @blur=${on.blur}
      ></textarea>
      <div class="composer-bar">
        <div class="settings">${addView(on)} ${settingsView(status, model.context)}</div>
        ${sendView(model, on)}
      </div>
    </div>
    ${running ? hintView() : nothing}`;
}

/** A menu that adds context and files, for users who do not know `@`, or that files can be dropped and pasted. */
function addView(on: ComposerHandlers): TemplateResult {
  const chosen = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLInputElement)) return;
    on.attach([...(event.currentTarget.files ?? [])]);
    // Clears the value, so that choosing the same file again fires an event.
    event.currentTarget.value = '';
  };
  const label = l10n.t('Add Context or Files');
  const button = menuButton({
    id: 'add',
    look: 'setting',
    label,
    title: label,
    face: icon('add'),
    menuLabel: label,
    entries: [
      { icon: 'mention', label: l10n.t('Add File or Other Context…'), keys: '@', run: on.mention },
      { icon: 'attach', label: l10n.t('Attach Images or Files…'), run: on.browse },
    ],
  });
  return html`${button} <input type="file" multiple hidden @change=${chosen} />`;
}

/**
 * One button: it sends while the agent is idle, stops a run while there is nothing to send, and steers the run otherwise. Then
 * a menu beside it has all three ways.
 */
function sendView({ status, canSend }: ComposerModel, on: ComposerHandlers): TemplateResult {
  const running = status.phase.type !== 'idle';
  const { id, glyph, label, title, keys, run } = running ? (canSend ? STEER : STOP) : SEND;
  // The second click of a double click belongs to what the first one did: it must not stop what has just begun.
  const clicked = (event: MouseEvent): void => {
    if (event.detail < 2) on[run]();
  };
  return html`<div class="send-buttons">
    <button
      type="button"
      class="icon-button ${id}"
      data-hookline=${id}
      aria-label=${label}
      aria-keyshortcuts=${keys}
      title=${title}
      ?disabled=${!running && !canSend}
      @click=${clicked}
    >
      ${icon(glyph)}
    </button>
    ${running && canSend ? waysView(on) : nothing}
  </div>`;
}

/** What the button does. */
interface SendAction {
  readonly id: 'send' | 'stop';
  readonly glyph: string;
  readonly label: string;
  /** The tooltip, which also names the key. */
  readonly title: string;
  /** The key in the form of `aria-keyshortcuts`. */
  readonly keys: string;
  readonly run: 'send' | 'queue' | 'stop';
}

const SEND: SendAction = {
  id: 'send',
  glyph: 'send',
  label: l10n.t('Send'),
  title: l10n.t('Send (Enter)'),
  keys: 'Enter',
  run: 'send',
};
const STEER: SendAction = {
  id: 'send',
  glyph: 'arrow-right',
  label: l10n.t('Steer'),
  title: l10n.t('Steer: the agent sees it before its next step (Enter)'),
  keys: 'Enter',
  run: 'send',
};
const STOP: SendAction = {
  id: 'stop',
  glyph: 'debug-stop',
  label: l10n.t('Stop'),
  title: l10n.t('Stop the run (Escape)'),
  keys: 'Escape',
  run: 'stop',
};

function waysView(on: ComposerHandlers): TemplateResult {
  const label = l10n.t('More Ways to Send');
  return menuButton({
    id: 'ways',
    look: 'icon-button send ways',
    label,
    title: label,
    face: icon('chevron-down'),
    menuLabel: label,
    lost: on.focus,
    entries: [
      { icon: STEER.glyph, label: STEER.label, detail: l10n.t('Before the next step'), keys: 'Enter', run: on.send },
      {
        icon: 'list-ordered',
        label: l10n.t('Queue'),
        detail: l10n.t('After the run'),
        keys: 'Alt+Enter',
        run: on.queue,
      },
      {
        icon: STOP.glyph,
        label: STOP.label,
        detail: l10n.t('Ends the run, keeps the text'),
        keys: 'Escape',
        run: on.stop,
      },
    ],
  });
}

/** The keys of the text field during a run, for screen readers. */
function hintView(): TemplateResult {
  return html`<p class="sr-only" id="composer-hint">
    ${l10n.t('Enter steers the run, Alt+Enter sends after it, Escape stops it')}
  </p>`;
}

function placeholder(running: boolean): string {
  return running ? l10n.t('Message the agent while it works…') : l10n.t('Ask, / for commands, @ for files');
}

/** What is sent with the text: what it names, and the attachments; each with a button that removes it. */
function attachmentsView(
  { attachments: { images, files }, mentions, editorChips }: ComposerModel,
  on: ComposerHandlers,
): TemplateResult | typeof nothing {
  if (images.length + files.length + mentions.length + editorChips.length === 0) return nothing;
  return html`<ul class="attachments" aria-label=${l10n.t('Attached')} data-hookline="attachments">
    ${editorChips.map(editorChipView)}
    ${mentions.map(mention => html`<li class="attached-file">${mentionView(mention, on)}</li>`)}
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

/** A chip for something that the text names. */
function mentionView(mention: Mention, on: ComposerHandlers): TemplateResult {
  const { name, kind, path, line } = mention;
  const shown = visibleText(name);
  const face = html`${icon(kind === 'file' ? fileIcon(path ?? name) : KIND_ICONS[kind])}
    <span class="clip-start"><bdi>${shown}</bdi></span>`;
  return html`${
    path === undefined || kind === 'folder'
      ? html`<span class="attached-name" title=${shown}>${face}</span>`
      : html`<button
          type="button"
          class="attached-name"
          title=${l10n.t('Open {0}', shown)}
          aria-label=${l10n.t('Open {0}', shown)}
          @click=${emits({ type: 'openFile', path, line })}
        >
          ${face}
        </button>`
  }
  ${removeButton(l10n.t('Remove {0}', shown), () => on.removeMention(mention))}`;
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
