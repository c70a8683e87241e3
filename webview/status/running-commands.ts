import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { RunningRow } from '../../src/protocol/panels/running-commands';
import { visibleText } from '../../src/base/text/visible-text';
import { icon, iconButton } from '../controls/controls';
import { emits } from '../controls/emit';
import { markedText } from '../marked-text';

/** Draws the list. If its focused row goes, another one takes the focus, or `focusNext` gives it to something else. */
export function drawRunningCommands(rows: readonly RunningRow[], host: HTMLElement, focusNext: () => void): void {
  const hadFocus = document.hasFocus() && host.contains(document.activeElement);
  render(runningCommandsView(rows), host);
  if (!hadFocus || host.contains(document.activeElement)) return;
  const button = host.querySelector('button');
  if (button === null) focusNext();
  else button.focus();
}

/** The list of commands that run on after their calls; nothing when there are none. */
function runningCommandsView(rows: readonly RunningRow[]): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing;
  return html`<ul class="running-commands" aria-label=${l10n.t('Commands that run on')}>
    ${repeat(rows, ({ id }) => id, rowView)}
  </ul>`;
}

function rowView({ id, command, startedAt, state }: RunningRow): TemplateResult {
  const name = visibleText(command);
  const isEnding = state === 'ending';
  return html`<li data-command=${id} data-state=${state}>
    ${icon('loading codicon-modifier-spin')}
    <code title=${name}>${markedText(command)}</code>
    <span class="running-time">
      ${isEnding ? l10n.t('Stopping…') : html`<hookline-time .since=${startedAt}></hookline-time>`}
    </span>
    ${iconButton('eye', l10n.t('Show {0} in a terminal', name), emits({ type: 'showCommand', id }))}
    ${iconButton('debug-stop', l10n.t('Stop {0}', name), isEnding ? ignored : emits({ type: 'stopCommand', id }))}
  </li>`;
}

/** The button stays where it is, with the focus, until its row goes. */
function ignored(): void {
  // The command is ending already.
}
