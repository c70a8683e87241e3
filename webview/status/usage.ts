import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import { placeBeside } from '../controls/menu';
import { dollars, tokens } from '../format';

/** Id of the panel with the details. A page has only one composer, so the id is unique. */
const PANEL = 'usage-panel';

/**
 * How full the context is, as a ring. A tooltip says the numbers and what the session has cost, and a small panel shows what
 * both are made of. A `~` marks estimated numbers, which no provider has counted.
 */
export function usageView({ context, cost, usage }: RunStatus): TemplateResult | typeof nothing {
  if (context === undefined && cost === undefined) return nothing;
  const spent = cost === undefined ? undefined : marked(dollars(cost), usage);
  // The label contains the visible text, so that users of voice control can say what they see.
  const shown = context === undefined ? (spent ?? '') : shareText(context);
  const words = [
    shown,
    ...(context === undefined ? [] : [contextWords(context), ...(spent === undefined ? [] : [spent])]),
  ];
  return html`<button
      type="button"
      class="setting usage"
      data-hookline="usage"
      popovertarget=${PANEL}
      @keydown=${closingOnly}
      aria-label=${l10n.t('Context and cost: {0}', words.join(', '))}
      title=${summaryOf(context, spent).join('\n')}
    >
      ${context === undefined ? html`<span>${shown}</span>` : html`${ring(context)}<span class="setting-word">${shown}</span>`}
    </button>
    <div
      id=${PANEL}
      class="usage-panel"
      popover
      role="dialog"
      aria-label=${l10n.t('Context and cost')}
      @keydown=${closingOnly}
      @toggle=${opened}
    >
      ${summaryOf(context, usage === undefined ? spent : undefined).map(line => html`<p>${line}</p>`)}
      ${usage === undefined ? nothing : usageTable(usage)}
    </div>`;
}

/** The context is nearly full from this share on. */
const NEARLY_FULL = 0.8;

function ring({ tokens: used, window }: Context): TemplateResult {
  const share = Math.min((used ?? 0) / window, 1);
  return html`<svg class="ring" viewBox="0 0 16 16" aria-hidden="true" ?data-nearly-full=${share >= NEARLY_FULL}>
    <circle cx="8" cy="8" r="6"></circle>
    <circle cx="8" cy="8" r="6" pathLength="100" stroke-dasharray="${share * 100} 100"></circle>
  </svg>`;
}

function opened(event: ToggleEvent): void {
  const panel = event.currentTarget;
  const owner = document.querySelector(`[popovertarget="${PANEL}"]`);
  if (event.newState === 'open' && panel instanceof HTMLElement && owner !== null) placeBeside(panel, owner);
}

/** Lets Escape only close the panel: elsewhere in the page it stops the run. */
function closingOnly(event: KeyboardEvent): void {
  const isOpen = document.querySelector(`#${PANEL}:popover-open`) !== null;
  if (event.key === 'Escape' && isOpen) event.stopPropagation();
}

type Usage = NonNullable<RunStatus['usage']>;
type Context = NonNullable<RunStatus['context']>;

function marked(text: string, usage: Usage | undefined): string {
  return usage?.estimated === true ? `~${text}` : text;
}

function contextWords({ tokens: used, window, estimated }: Context): string {
  const share = used === null ? `–/${tokens(window)}` : `${estimated ? '~' : ''}${tokens(used)}/${tokens(window)}`;
  return l10n.t('{0} tokens', share);
}

/** How full the context is, in per cent. */
function shareText({ tokens: used, window, estimated }: Context): string {
  return used === null ? '– %' : `${estimated ? '~' : ''}${Math.round((used / window) * 100)} %`;
}

function contextText(context: Context): string {
  const { tokens: used, window } = context;
  if (used === null) return l10n.t('Context: unknown until the next answer');
  const percent = Math.round((used / window) * 100);
  return l10n.t('Context: {0} ({1} %)', contextWords(context), percent);
}

function compactionText({ compactsAt }: Context): string {
  if (compactsAt === undefined) return l10n.t('Never summarized automatically');
  return l10n.t('Summarized automatically at {0} tokens', tokens(compactsAt));
}

function summaryOf(context: RunStatus['context'], spent: string | undefined): readonly string[] {
  return [
    ...(context === undefined ? [] : [contextText(context), compactionText(context)]),
    ...(spent === undefined ? [] : [l10n.t('Cost: {0}', spent)]),
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
