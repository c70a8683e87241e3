import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import type { ChatState } from './reducer';

/** Requests that the demo model understands, also in an empty folder. The example gate asks about the last one. */
const DEMO_SAMPLES = ['list the files', 'search for TODO', 'run `rm -rf build`'];
/** Requests for other models: they fit every project and delete nothing. */
const SAMPLES = [l10n.t('Explain how this project is built'), l10n.t('Look for bugs in this project')];
/** A request for when the editor shows a file. */
const FILE_SAMPLE = l10n.t('Write a test for the open file');

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', l10n.t('send')],
  ['Shift+Enter', l10n.t('new line')],
  ['/', l10n.t('commands')],
  ['@', l10n.t('files, problems and more')],
  ['↑', l10n.t('earlier messages')],
  ['Escape', l10n.t('stop')],
];

/**
 * The content of an empty conversation, with samples for the demo model or for others, and the tour while there is no hook.
 * `fill` puts a sample into the composer.
 */
export function emptyView(
  { status, editorChips }: Pick<ChatState, 'status' | 'editorChips'>,
  fill: (text: string) => void,
): TemplateResult {
  const samples = editorChips.length === 0 ? SAMPLES : [...SAMPLES, FILE_SAMPLE];
  const hasHooks = Object.values(status.hooks).some(count => count > 0);
  return html`<h2>Hookline</h2>
    <p>
      ${l10n.t(
        'A coding agent that your own hooks control. Hooks run at each step. They can ask you, change the step or block it, and the chat shows the reason.',
      )}
    </p>
    <p class="muted">${l10n.t('Try one of these:')}</p>
    <ul class="samples">
      ${(status.demo ? DEMO_SAMPLES : samples).map(
        text =>
          html`<li>
            <button
              type="button"
              class="sample"
              aria-label=${l10n.t('Use sample: {0}', text)}
              @click=${() => fill(text)}
            >
              ${icon('comment')} <span>${text}</span>
            </button>
          </li>`,
      )}
    </ul>
    ${
      hasHooks
        ? nothing
        : html`<p>
            <button type="button" class="link" data-hookline="get-started" @click=${emits({ type: 'getStarted' })}>
              ${l10n.t('Get started with your first hook')}
            </button>
          </p>`
    }
    <dl class="keys" aria-label=${l10n.t('Keys')}>
      ${KEYS.map(
        ([key, does]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${does}</dd>
          </div>`,
      )}
    </dl>`;
}
