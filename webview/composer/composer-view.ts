import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { UserItem } from '../../src/protocol/chat-item';
import type { Attachments } from '../../src/protocol/composer';
import type { RunStatus } from '../../src/protocol/messages';
import { settingsView } from '../status/settings';
import { emits } from '../controls/emit';
import { icon, iconButton } from '../controls/controls';
import { visibleText } from '../../src/base/text/visible-text';
import { editBanner, type EditBanner } from './editing';
import { queueView } from './queue-view';
import type { Suggestion, SuggestionList } from './suggestions';

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
    case 'offered':
      return l10n.t('Offered by hooks');
  }
}

/** What the composer's template draws. */
export interface ComposerModel {
  readonly status: RunStatus;
  readonly list: SuggestionList | undefined;
  readonly attachments: Attachments;
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
  readonly mention: () => void;
  readonly attach: (files: readonly File[]) => void;
  readonly removeImage: (index: number) => void;
  readonly removeFile: (index: number) => void;
  readonly take: (suggestion: Suggestion) => void;
}

/** The composer: waiting messages, list of suggestions, attachments, text field, settings and buttons. */
export function composerView(model: ComposerModel, on: ComposerHandlers): TemplateResult {
  const { status, list, problem } = model;
  const running = status.phase.type !== 'idle';
  return html`${problem === '' ? nothing : html`<p class="composer-problem" role="alert">${icon('warning')} <span>${problem}</span></p>`}
    ${queueView(model.queued)}
    <div class="composer">
      ${list ? suggestionsView(list, on.take) : nothing} ${editBanner(model.editing)}
      ${attachmentsView(model.attachments, on)}
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
        <div class="settings">${addButtons(on)} ${settingsView(status)}</div>
        ${running ? runButtons(model, on) : sendButton(model, on)}
      </div>
    </div>
    ${running ? hintView() : nothing}`;
}

/** Buttons that add context and files, for users who do not know `@`, or that files can be dropped and pasted. */
function addButtons(on: ComposerHandlers): TemplateResult {
  const chosen = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLInputElement)) return;
    on.attach([...(event.currentTarget.files ?? [])]);
    // Clears the value, so that choosing the same file again fires an event.
    event.currentTarget.value = '';
  };
  const asked = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    event.currentTarget.parentElement?.querySelector<HTMLInputElement>('input[type="file"]')?.click();
  };
  return html`<span class="add-buttons">
    ${iconButton('mention', l10n.t('Add File or Other Context (@)'), on.mention)}
    ${iconButton('attach', l10n.t('Attach Images or Files…'), asked)}
    <input type="file" multiple hidden @change=${chosen} />
  </span>`;
}

function sendButton({ canSend }: ComposerModel, on: ComposerHandlers): TemplateResult {
  return html`<button
    type="button"
    class="icon-button send"
    data-hookline="send"
    aria-label=${l10n.t('Send')}
    title=${l10n.t('Send (Enter)')}
    ?disabled=${!canSend}
    @click=${on.send}
  >
    ${icon('send')}
  </button>`;
}

/** The buttons during a run: stop it, queue the message until its end, or steer it. */
function runButtons({ canSend }: ComposerModel, on: ComposerHandlers): TemplateResult {
  return html`<div class="run-buttons" role="group" aria-label=${l10n.t('During the run')}>
    ${runButton({
      id: 'stop',
      look: 'stop',
      glyph: 'debug-stop',
      word: l10n.t('Stop'),
      title: l10n.t('Stop the run (Escape)'),
      keys: 'Escape',
      run: emits({ type: 'stop' }),
    })}
    ${runButton({
      id: 'queue-button',
      glyph: 'list-ordered',
      word: l10n.t('Queue'),
      title: l10n.t('Send after the run (Alt+Enter)'),
      keys: 'Alt+Enter',
      disabled: !canSend,
      run: on.queue,
    })}
    ${runButton({
      id: 'send',
      look: 'send',
      glyph: 'arrow-right',
      word: l10n.t('Steer'),
      title: l10n.t('Send: the agent sees it before its next step (Enter)'),
      keys: 'Enter',
      disabled: !canSend,
      run: on.send,
    })}
  </div>`;
}

interface RunButton {
  readonly id: string;
  readonly look?: 'stop' | 'send';
  readonly glyph: string;
  readonly word: string;
  /** The tooltip, which also names the key. */
  readonly title: string;
  /** The key in the form of `aria-keyshortcuts`. */
  readonly keys: string;
  readonly disabled?: boolean;
  readonly run: (event: Event) => void;
}

function runButton({ id, look, glyph, word, title, keys, disabled = false, run }: RunButton): TemplateResult {
  return html`<button
    type="button"
    class=${look === undefined ? 'run-button' : `run-button ${look}`}
    data-hookline=${id}
    aria-label=${word}
    aria-keyshortcuts=${keys}
    title=${title}
    ?disabled=${disabled}
    @click=${run}
  >
    ${icon(glyph)} <span class="run-word">${word}</span>
  </button>`;
}

function hintView(): TemplateResult {
  return html`<p class="hint" id="composer-hint">
    <kbd>Enter</kbd> ${l10n.t('steers the run')}, <kbd>Alt+Enter</kbd> ${l10n.t('sends after it')},
    <kbd>Escape</kbd> ${l10n.t('stops it')}
  </p>`;
}

function placeholder(running: boolean): string {
  return running ? l10n.t('Message the agent while it works…') : l10n.t('Ask, / for commands, @ for files and more');
}

/** The attachments, each with a button that removes it. */
function attachmentsView(
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
