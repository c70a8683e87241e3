import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { dollars, tokens } from '../format';

/** Id of the panel with the details. A page has only one composer, so the id is unique. */
const PANEL = 'usage-panel';

/**
 * How full the context is and what the session has cost. A tooltip and a small panel show the details. A `~` marks
 * estimated numbers, which no provider has counted.
 */
export function usageView({ context, cost, usage }: RunStatus): TemplateResult | typeof nothing {
  if (context === undefined && cost === undefined) return nothing;
  const summary = summaryOf({ context, usage });
  // The label contains the visible text, so that users of voice control can say what they see.
  const shown = [
    ...(context === undefined ? [] : [contextWords(context)]),
    ...(cost === undefined ? [] : [marked(dollars(cost), usage)]),
  ];
  return html`<button
      type="button"
      class="text-button usage"
      data-hookline="usage"
      popovertarget=${PANEL}
      @keydown=${closingOnly}
      aria-label=${l10n.t('Context and cost: {0}', shown.join(' '))}
      title=${summary.join('\n')}
    >
      ${contextMeter(context)}
      ${cost === undefined ? nothing : html`<span data-hookline="cost">${marked(dollars(cost), usage)}</span>`}
    </button>
    <div
      id=${PANEL}
      class="usage-panel"
      popover
      role="dialog"
      aria-label=${l10n.t('Context and cost')}
      @keydown=${closingOnly}
    >
      ${contextRow(context)} ${usage === undefined ? nothing : usageTable(usage)}
    </div>`;
}

/** Lets Escape only close the panel: elsewhere in the page it stops the run. */
function closingOnly(event: KeyboardEvent): void {
  const isOpen = document.querySelector(`#${PANEL}:popover-open`) !== null;
  if (event.key === 'Escape' && isOpen) event.stopPropagation();
}

type Usage = NonNullable<RunStatus['usage']>;

function marked(text: string, usage: Usage | undefined): string {
  return usage?.estimated === true ? `~${text}` : text;
}

function contextWords({ tokens: used, window, estimated }: NonNullable<RunStatus['context']>): string {
  const share = used === null ? `–/${tokens(window)}` : `${estimated ? '~' : ''}${tokens(used)}/${tokens(window)}`;
  return l10n.t('{0} tokens', share);
}

function contextMeter(context: RunStatus['context']): TemplateResult | typeof nothing {
  if (context === undefined) return nothing;
  const { tokens: used, window } = context;
  return html`<span class="context" data-hookline="context">
    <progress aria-hidden="true" max=${window} .value=${Math.min(used ?? 0, window)}></progress>
    <span>${contextWords(context)}</span>
  </span>`;
}

function contextText(context: NonNullable<RunStatus['context']>): string {
  const { tokens: used, window } = context;
  if (used === null) return l10n.t('Context: unknown until the next answer');
  const percent = Math.round((used / window) * 100);
  return l10n.t('Context: {0} ({1} %)', contextWords(context), percent);
}

function compactionText({ compactsAt }: NonNullable<RunStatus['context']>): string {
  if (compactsAt === undefined) return l10n.t('Never summarized automatically');
  return l10n.t('Summarized automatically at {0} tokens', tokens(compactsAt));
}

function contextRow(context: RunStatus['context']): TemplateResult | typeof nothing {
  if (context === undefined) return nothing;
  return html`<p>${contextText(context)}</p>
    <p>${compactionText(context)}</p>`;
}

function summaryOf({ context, usage }: Pick<RunStatus, 'context' | 'usage'>): string[] {
  const lines = context === undefined ? [] : [contextText(context), compactionText(context)];
  if (usage === undefined) return lines;
  return [
    ...lines,
    ...rowsOf(usage).map(({ name, count, cost }) => `${name}: ${count}${cost === '' ? '' : `, ${cost}`}`),
  ];
}

interface Row {
  readonly name: string;
  readonly count: string;
  /** Empty when the cost is not known. */
  readonly cost: string;
}

function rowsOf(usage: Usage): readonly Row[] {
  const row = (name: string, kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite'): Row => ({
    name,
    count: marked(tokens(usage[kind]), usage),
    cost: usage.cost.total > 0 ? marked(dollars(usage.cost[kind]), usage) : '',
  });
  const all = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  return [
    row(l10n.t('Input'), 'input'),
    row(l10n.t('Output'), 'output'),
    row(l10n.t('Read from cache'), 'cacheRead'),
    row(l10n.t('Written to cache'), 'cacheWrite'),
    {
      name: l10n.t('Total'),
      count: marked(tokens(all), usage),
      cost: usage.cost.total > 0 ? marked(dollars(usage.cost.total), usage) : '',
    },
  ];
}

function usageTable(usage: Usage): TemplateResult {
  const hasCost = usage.cost.total > 0;
  return html`<table>
      <thead>
        <tr>
          <th scope="col">${l10n.t('Answers: {0}', usage.answers)}</th>
          <th scope="col">${l10n.t('Tokens')}</th>
          ${hasCost ? html`<th scope="col">${l10n.t('Cost')}</th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${rowsOf(usage).map(
          ({ name, count, cost }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${count}</td>
              ${hasCost ? html`<td>${cost}</td>` : nothing}
            </tr>`,
        )}
      </tbody>
    </table>
    ${usage.estimated ? html`<p>${l10n.t('~ marks an estimate: the provider did not report numbers for every answer.')}</p>` : nothing}
    ${usage.partial ? html`<p>${l10n.t('Earlier answers of this long session are not counted.')}</p>` : nothing}`;
}
