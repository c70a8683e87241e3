import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { duration } from '../format';
import { hookBar, timeBars, type BarKind } from '../controls/time-bars';
import { visibleText } from '../../src/base/text/visible-text';
import type { LogRow } from '../../src/protocol/pages/log';
import { barsOfGroup, type LogGroup } from './log-lines';

/** A text about a call, with the name of the agent before it when that is another one than Hookline's own. */
export function withAgent(text: string, row: Pick<LogRow, 'agent'> | undefined): string {
  return row?.agent === undefined ? text : `${row.agent} · ${text}`;
}

/** The title of a turn or a tool call. */
export function groupTitle(group: LogGroup): string {
  return withAgent(ownTitle(group), group.rows[0]);
}

function ownTitle({ kind, rows }: LogGroup): string {
  const calls = new Map(rows.filter(({ call }) => call !== undefined).map(row => [row.call, row]));
  if (kind === 'turn') {
    if (calls.size === 0) return l10n.t('Turn');
    return calls.size === 1 ? l10n.t('Turn with 1 tool call') : l10n.t('Turn with {0} tool calls', calls.size);
  }
  const subject = rows.find(row => row.subject !== undefined)?.subject ?? '';
  return `${rows[0]?.tool ?? ''} ${subject}`.trim();
}

/** Says which hook decided what in a group. */
export function decisionText({ decision }: LogGroup): string {
  return decision === undefined ? l10n.t('no decision') : `${decision.hook}: ${decision.text}`;
}

interface Part {
  readonly kind: BarKind;
  readonly name: string;
  readonly at: number;
  readonly ms: number;
}

/** Shows how long each part of a turn or a call took, as bars and as a table in order of time. */
export function groupDetails(group: LogGroup, close: () => void): TemplateResult {
  const { axis } = group;
  return html`<section class="log-details" aria-label=${l10n.t('Timing')}>
    <header>
      <h2>${visibleText(groupTitle(group))}</h2>
      <button type="button" class="plain" aria-label=${l10n.t('Close the details')} @click=${close}>✕</button>
    </header>
    <p class="log-verdict" data-outcome=${group.decision?.outcome ?? ''}>${visibleText(decisionText(group))}</p>
    <p class="muted">${new Date(axis.from).toLocaleString([], { hour12: false })} · ${duration(axis.total)}</p>
    ${timeBars(barsOfGroup(group), axis.total)}
    <table class="log-times">
      <thead>
        <tr>
          <th scope="col">${l10n.t('Step')}</th>
          <th scope="col">${l10n.t('Start')}</th>
          <th scope="col">${l10n.t('Duration')}</th>
        </tr>
      </thead>
      <tbody>
        ${partsOf(group).map(
          ({ kind, name, at, ms }) =>
            html`<tr data-kind=${kind}>
              <th scope="row">${timeBars([{ kind, from: 0, ms: 1 }], 1)}<span>${visibleText(name)}</span></th>
              <td>${duration(at - axis.from)}</td>
              <td>${duration(ms)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function partsOf({ rows, spans }: LogGroup): readonly Part[] {
  const parts: Part[] = spans.flatMap(({ kind, tool = '', at, ms }) =>
    kind === 'turn' ? [] : [{ kind, name: kind === 'model' ? l10n.t('Model') : l10n.t('Tool {0}', tool), at, ms }],
  );
  for (const row of rows) {
    const name = `${row.hook} · ${row.registeredAs}`;
    parts.push({ kind: row.changed ? 'decided' : hookBar(row.outcome), name, at: row.at, ms: row.ms - row.askedMs });
    for (const { at, ms } of row.waits) parts.push({ kind: 'asked', name: l10n.t('Question to you'), at, ms });
  }
  return parts.sort((a, b) => a.at - b.at);
}
