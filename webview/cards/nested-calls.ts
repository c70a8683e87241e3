import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { NestedLine } from '../../src/protocol/items/chat-item';
import { foreignText, icon } from '../controls/controls';
import { visibleText } from '../../src/base/text/visible-text';
import { blockedWords, stateChip, stateWords } from './tool-state';
import { toolSummary } from './tool-summary';

/** The deepest level that has its own indentation. */
const DEEPEST = 3;

/** The calls that a tool made, one line each. Calls that those made are indented. */
export function nestedView(calls: readonly NestedLine[]): TemplateResult {
  return html`<ol class="nested">
    ${calls.map(lineView)}
  </ol>`;
}

function lineView(call: NestedLine): TemplateResult {
  const { name, state, depth } = call;
  return html`<li
    data-state=${state.type}
    data-depth=${Math.min(depth, DEEPEST)}
    aria-label=${l10n.t('Tool {0}, {1}', visibleText(name), stateWords(state))}
  >
    <div class="nested-line">
      ${icon(call.icon)}
      <span class="tool-name">${visibleText(name)}</span>
      ${toolSummary(call, false)} ${stateChip(state)}
    </div>
    ${why(call)}
  </li>`;
}

/** Says who blocked the call, or why it failed. */
function why({ state, error }: NestedLine): TemplateResult | typeof nothing {
  if (state.type === 'blocked') {
    const words = blockedWords(state);
    return words === undefined ? nothing : html`<p class="reason">${words}</p>`;
  }
  return error === undefined ? nothing : html`<p class="reason muted">${foreignText(error)}</p>`;
}
