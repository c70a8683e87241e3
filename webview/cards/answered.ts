import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChatItem, GateItem } from '../../src/protocol/items/chat-item';
import { partsOf } from './gate/named-command';
import { hookLink, icon } from '../controls/controls';
import { singleLine } from '../../src/base/text/single-line';
import { visibleText } from '../../src/base/text/visible-text';

/** Answered and canceled questions, by the id of the tool card that shows them. */
export type AnsweredByTool = ReadonlyMap<string, readonly GateItem[]>;

const NONE: AnsweredByTool = new Map();

/** Finds the answered and canceled questions whose tool card is among the items. */
export function answeredByTool(items: readonly ChatItem[]): AnsweredByTool {
  const over = items.filter(isOver);
  if (over.length === 0) return NONE;
  const tools = new Set(items.flatMap(({ kind, id }) => (kind === 'tool' ? [id] : [])));
  const answered = new Map<string, GateItem[]>();
  for (const gate of over) {
    const { toolItem } = gate;
    if (toolItem === undefined || !tools.has(toolItem)) continue;
    answered.set(toolItem, [...(answered.get(toolItem) ?? []), gate]);
  }
  return answered;
}

function isOver(item: ChatItem): item is GateItem {
  return item.kind === 'gate' && (item.state.type === 'answered' || item.state.type === 'cancelled');
}

/** Longer questions are cut: the answer is seen in a narrow panel, too. */
const LONGEST_QUESTION = 80;

/** A line with title and answer for each question. A hook is named once in a row. */
export function answeredView(gates: readonly GateItem[]): TemplateResult | typeof nothing {
  if (gates.length === 0) return nothing;
  return html`<ul class="answered" aria-label=${l10n.t('Questions about this call')}>
    ${gates.map(
      (gate, index) =>
        html`<li data-state=${gate.state.type}>
          ${answeredLine(gate, gates[index - 1]?.hook.path !== gate.hook.path)}
        </li>`,
    )}
  </ul>`;
}

/** What was asked and the answer, of a question that is over. A tooltip shows the full question. */
export function answeredLine(gate: GateItem, isNamed = true): TemplateResult {
  const { hook, title, message, state } = gate;
  return html`<p class="answered-line" title=${inOneLine(`${title} ${message}`)}>
    ${icon(state.type === 'answered' ? 'person' : 'circle-slash')}
    <span class="answered-text">
      ${isNamed ? html`${hookLink(hook)}: ` : nothing}${cut(inOneLine(askedIn(gate)))}
      <strong>${visibleText(state.type === 'answered' ? state.answer : l10n.t('Canceled'))}</strong>
    </span>
  </p>`;
}

/** The title, or without one the message. The command is left out, because the card of the call has it. */
function askedIn({ title, message, about }: GateItem): string {
  const texts = partsOf(title, message, about?.isCommand === true ? about.summary : undefined);
  const named = (type: 'title' | 'message'): string =>
    texts.map(part => (part.type === type ? part.text : '')).join(' ');
  return named('title').trim() || named('message');
}

function inOneLine(text: string): string {
  return visibleText(singleLine(text));
}

function cut(question: string): string {
  return question.length > LONGEST_QUESTION ? `${question.slice(0, LONGEST_QUESTION - 1)}…` : question;
}
