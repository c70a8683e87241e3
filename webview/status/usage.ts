import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RunStatus } from '../../src/protocol/messages';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import { emit, emits } from '../controls/emit';
import { placeBeside } from '../controls/menu';
import { dollars, tokens } from '../format';
import { contextTokens, contextView } from './context-view';

/** Id of the panel with the details. A page has only one composer, so the id is unique. */
const PANEL = 'usage-panel';

/**
 * How full the context is, as a ring. A tooltip says the numbers and what the session has cost, and a small panel shows what
 * both are made of. A `~` marks estimated numbers, which no provider has counted. The panel asks for `breakdown` when it opens.
 */
export function usageView(
  { context, cost, usage }: RunStatus,
  breakdown: ContextBreakdown | undefined,
): TemplateResult {
  const spent = cost === undefined ? undefined : marked(dollars(cost), usage);
  // The label contains the visible text, so that users of voice control can say what they see.
  const shown = context === undefined ? (spent ?? UNKNOWN_SHARE) : shareText(context);
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
      ${context === undefined && spent !== undefined ? html`<span>${shown}</span>` : html`${ring(context)}<span class="setting-word">${shown}</span>`}
    </button>
    <div
      id=${PANEL}
      class="usage-panel"
      popover
      role="dialog"
      tabindex="-1"
      aria-label=${l10n.t('Context and cost')}
      @keydown=${closingOnly}
      @beforetoggle=${opens}
      @toggle=${opened}
    >
      ${summaryOf(counted(context, breakdown), usage === undefined ? spent : undefined).map(line => html`<p>${line}</p>`)}
      ${breakdown === undefined ? nothing : contextView(breakdown)}
      ${breakdown?.parts.messages === 0 ? nothing : compactView()} ${usage === undefined ? nothing : usageTable(usage)}
    </div>`;
}

const UNKNOWN_SHARE = '– %';

/** The context with the size that its breakdown has, which counts more than an estimate of the messages alone. */
function counted(context: Context | undefined, breakdown: ContextBreakdown | undefined): Context | undefined {
  if (context === undefined || breakdown === undefined) return context;
  return { ...context, tokens: contextTokens(breakdown), estimated: breakdown.counted !== 'provider' };
}

function compactView(): TemplateResult {
  return html`<p>
    <button
      type="button"
      class="button secondary"
      popovertarget=${PANEL}
      popovertargetaction="hide"
      title=${l10n.t('Summarizes the conversation to free the context; stops a run')}
      @click=${emits({ type: 'compactNow' })}
    >
      ${l10n.t('Compact Now')}
    </button>
  </p>`;
}

export function isUsagePanel(target: EventTarget | null): boolean {
  return target instanceof Element && target.id === PANEL;
}

/** Opens the panel with the details, for a command. */
export function openUsage(): void {
  const owner = document.querySelector<HTMLElement>(`[popovertarget="${PANEL}"]`);
  owner?.focus();
  if (!isOpen()) owner?.click();
}

function isOpen(): boolean {
  return document.querySelector(`#${PANEL}:popover-open`) !== null;
}

/** The context is nearly full from this share on. */
const NEARLY_FULL = 0.8;

function ring(context: Context | undefined): TemplateResult {
  const share = context === undefined ? 0 : Math.min((context.tokens ?? 0) / context.window, 1);
  return html`<svg class="ring" viewBox="0 0 16 16" aria-hidden="true" ?data-nearly-full=${share >= NEARLY_FULL}>
    <circle cx="8" cy="8" r="6"></circle>
    <circle cx="8" cy="8" r="6" pathLength="100" stroke-dasharray="${share * 100} 100"></circle>
  </svg>`;
}

function opens(event: ToggleEvent): void {
  if (event.newState === 'open' && event.currentTarget !== null) emit(event.currentTarget, { type: 'loadContext' });
}

const resizes = new ResizeObserver(entries => {
  const owner = document.querySelector(`[popovertarget="${PANEL}"]`);
  for (const { target } of entries) if (owner !== null && target instanceof HTMLElement) placeBeside(target, owner);
});

function opened(event: ToggleEvent): void {
  const panel = event.currentTarget;
  const owner = document.querySelector(`[popovertarget="${PANEL}"]`);
  if (!(panel instanceof HTMLElement) || owner === null) return;
  if (event.newState !== 'open') {
    resizes.unobserve(panel);
    return;
  }
  // The panel grows when the breakdown comes.
  resizes.observe(panel);
  panel.focus();
}

/** Lets Escape only close the panel: elsewhere in the page it stops the run. */
function closingOnly(event: KeyboardEvent): void {
  if (event.key === 'Escape' && isOpen()) event.stopPropagation();
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
  return used === null ? UNKNOWN_SHARE : `${estimated ? '~' : ''}${Math.round((used / window) * 100)} %`;
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
    ...(context === undefined
      ? [l10n.t('No model is chosen, or the size of its context is not known')]
      : [contextText(context), compactionText(context)]),
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
