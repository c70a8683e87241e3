import { html, nothing, type TemplateResult } from 'lit';
import type { ImageRef } from '../../src/protocol/chat-item';
import type { RunStatus, SlashCommand } from '../../src/protocol/messages';
import { settingsView } from '../view/header';
import { emits } from '../view/emit';
import { icon } from '../view/parts';
import { visibleText } from '../visible-text';
import type { SlashList } from './slash';

/** All that the composer's template draws from. */
export interface ComposerModel {
  readonly status: RunStatus;
  readonly list: SlashList | undefined;
  readonly images: readonly ImageRef[];
  /** Why the last thing tried did not work. */
  readonly problem: string;
  readonly canSend: boolean;
}

export interface ComposerHandlers {
  readonly input: (event: Event) => void;
  readonly keydown: (event: KeyboardEvent) => void;
  readonly paste: (event: ClipboardEvent) => void;
  readonly blur: () => void;
  readonly send: () => void;
  readonly removeImage: (index: number) => void;
  readonly pick: (command: SlashCommand) => void;
}

/** The composer: list of commands, attached images, text, and below it the settings and the two main buttons. */
export function composerView(model: ComposerModel, on: ComposerHandlers): TemplateResult {
  const { status, list, problem } = model;
  const running = status.phase.type !== 'idle';
  return html`${problem === '' ? nothing : html`<p class="composer-problem" role="alert">${icon('warning')} <span>${problem}</span></p>`}
    ${status.blocked === undefined ? nothing : html`<p class="composer-problem" data-hookline="blocked" role="status">${icon('lock')} <span>${visibleText(status.blocked)}</span></p>`}
    <div class="composer">
      ${list ? listView(list, on) : nothing} ${imagesView(model.images, on)}
      <textarea
        data-hookline="composer"
        rows="1"
        aria-label="Message"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${list ? 'slash-list' : nothing}
        aria-activedescendant=${list ? `slash-${list.active}` : nothing}
        placeholder=${placeholder(status, running)}
        @input=${on.input}
        @keydown=${on.keydown}
        @paste=${on.paste}
        @blur=${on.blur}
      ></textarea>
      <div class="composer-bar">
        <div class="settings">${settingsView(status)}</div>
        ${
          running
            ? html`<button
                type="button"
                class="icon-button stop"
                data-hookline="stop"
                aria-label="Stop"
                title="Stop (Escape)"
                @click=${emits({ type: 'stop' })}
              >
                ${icon('debug-stop')}
              </button>`
            : nothing
        }
        <button
          type="button"
          class="icon-button send"
          data-hookline="send"
          aria-label="Send"
          title=${running ? 'Steer the run (Enter)' : 'Send (Enter)'}
          ?disabled=${!model.canSend}
          @click=${on.send}
        >
          ${icon('send')}
        </button>
      </div>
    </div>
    ${running ? html`<p class="hint"><kbd>Enter</kbd> steers the run, <kbd>Alt+Enter</kbd> sends after it, <kbd>Escape</kbd> stops it</p>` : nothing}`;
}

function placeholder({ blocked }: RunStatus, running: boolean): string {
  if (blocked !== undefined) return 'Nothing can be sent now';
  return running ? 'Steer the run…' : 'Ask, or type / for commands';
}

function listView({ matches, active }: SlashList, on: ComposerHandlers): TemplateResult {
  return html`<ul id="slash-list" class="slash-list" role="listbox" aria-label="Commands">
    ${matches.map(
      (command, index) =>
        html`<li
          id="slash-${index}"
          role="option"
          class=${index === active ? 'option active' : 'option'}
          aria-selected=${index === active ? 'true' : 'false'}
          @mousedown=${(event: Event) => {
            // The text keeps the focus.
            event.preventDefault();
          }}
          @click=${() => {
            on.pick(command);
          }}
        >
          <span class="option-name">/${visibleText(command.name)}</span>
          <span class="option-text">${visibleText(command.description)}</span>
          ${command.source === 'built-in' ? nothing : html`<span class="chip">${command.source}</span>`}
        </li>`,
    )}
  </ul>`;
}

function imagesView(images: readonly ImageRef[], on: ComposerHandlers): TemplateResult | typeof nothing {
  if (images.length === 0) return nothing;
  return html`<ul class="attachments" aria-label="Attached images">
    ${images.map(
      ({ mimeType, data }, index) =>
        html`<li>
          <img src="data:${mimeType};base64,${data}" alt="Attached image ${index + 1}" />
          <button
            type="button"
            class="icon-button"
            aria-label="Remove image ${index + 1}"
            title="Remove"
            @click=${() => {
              on.removeImage(index);
            }}
          >
            ${icon('close')}
          </button>
        </li>`,
    )}
  </ul>`;
}
