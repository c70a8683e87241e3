import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { shownPlan, type ToolItem, type TouchedFile } from '../../src/protocol/items/chat-item';
import { copyButton, fileLink, icon, imageList, linkButton } from '../controls/controls';
import { emits } from '../controls/emit';
import { guard } from 'lit/directives/guard.js';
import { diffCounts } from '../output/diff-rows';
import { diffView } from '../output/diff-view';
import { visibleText, withLineFeeds } from '../../src/base/text/visible-text';
import { nestedView } from './nested-calls';
import { callTimes } from './call-times';
import { planOfCall } from './plan/plan-result';
import { unrecordedNote, unrecordedTitle, verdictList, verdictTitle } from './verdicts';

/** A foldable part of a tool's card. */
export interface Section {
  readonly key: string;
  readonly title: string | TemplateResult;
  /** `always`: even while the card is closed; `opened`: when the card is opened; `asked`: when the user opens the section. */
  readonly shown: 'always' | 'opened' | 'asked';
  body(): TemplateResult;
}

/** The sections of a call's card, in order. */
export function sections(item: ToolItem): readonly Section[] {
  return [
    ...planSection(item),
    ...(item.args === '' || isSaidByPlan(item)
      ? []
      : [{ key: 'arguments', title: l10n.t('Arguments'), shown: 'asked', body: () => argumentsView(item) } as const]),
    ...changeSection(item),
    ...outputSection(item),
    ...callsSection(item),
    ...touchedSection(item),
    ...whySection(item),
  ];
}

/** The plan that a call presents. While it is asked about, the question shows it. */
function planSection(item: ToolItem): readonly Section[] {
  const plan = shownPlan(item);
  if (plan === undefined || plan === '') return [];
  const shown = item.planEnd === undefined ? 'opened' : 'always';
  return [{ key: 'plan', title: l10n.t('Plan'), shown, body: () => planOfCall(plan) }];
}

/** Whether the only argument is the plan, as the model gave it. */
function isSaidByPlan({ plan, modelArgs }: ToolItem): boolean {
  return plan !== undefined && plan !== '' && modelArgs === undefined;
}

/** The change of an edit, or the content of a write. It is shown before the call runs, because questions are about it. */
function changeSection({ id, diff, content, path, drawing }: ToolItem): readonly Section[] {
  const shown = drawing?.hasResult === true ? 'opened' : 'always';
  if (diff !== undefined && diff !== '') {
    return [
      {
        key: 'diff',
        title: html`${l10n.t('Changes')} ${countsView(diff)}`,
        shown,
        body: () => diffView(diff, { type: 'showDiff', id }),
      },
    ];
  }
  if (content === undefined || content === '') return [];
  const language = /\.(\w+)$/.exec(path ?? '')?.[1] ?? '';
  const source = { language, text: withLineFeeds(content), final: true, plain: true };
  const body = (): TemplateResult => html`<hookline-code .source=${source}></hookline-code>`;
  return [{ key: 'content', title: l10n.t('Content'), shown, body }];
}

function outputSection(item: ToolItem): readonly Section[] {
  const { state, output, drawing, changesPath, summaryKind, plan, planEnd } = item;
  if (plan !== undefined && planEnd !== undefined) return []; // The card says what became of the plan.
  if ((output === '' || isSaidByReason(item)) && item.images.length === 0) return [];
  const isLookedAt = summaryKind === 'command' || state.type === 'failed';
  // For a tool that changes a file, the card shows the change; the output is shown only on request.
  const later = changesPath === true ? 'asked' : 'opened';
  const shown = isLookedAt && drawing?.hasResult !== true ? 'always' : later;
  return [{ key: 'output', title: l10n.t('Output'), shown, body: () => outputView(item) }];
}

/** Whether the output only repeats the reason of a blocked call, which the card shows already. */
function isSaidByReason({ state, output }: ToolItem): boolean {
  return state.type === 'blocked' && output.trim() === state.reason.trim();
}

function whySection(item: ToolItem): readonly Section[] {
  const { verdicts, unrecorded, state } = item;
  if (state.type === 'notFound') return [];
  const why = { key: 'why', shown: 'opened' } as const;
  if (unrecorded === true) return [{ ...why, title: unrecordedTitle(item), body: unrecordedNote }];
  return verdicts.length === 0
    ? []
    : [
        {
          ...why,
          title: verdictTitle(item),
          body: () => html`${callTimes(verdicts, state)}${verdictList(verdicts)}`,
        },
      ];
}

function callsSection({ nested = [] }: ToolItem): readonly Section[] {
  if (nested.length === 0) return [];
  const title = nested.length === 1 ? l10n.t('1 call') : l10n.t('{0} calls', nested.length);
  return [{ key: 'calls', title, shown: 'always', body: () => nestedView(nested) }];
}

/** The files that a command changed. Tools that name their file show it in the first line instead. */
function touchedSection({ id, changesPath, touched = [] }: ToolItem): readonly Section[] {
  if (touched.length === 0 || changesPath === true) return [];
  const title = touched.length === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', touched.length);
  return [{ key: 'files', title, shown: 'asked', body: () => touchedView(id, touched) }];
}

function touchedView(id: string, touched: readonly TouchedFile[]): TemplateResult {
  return html`<ul class="touched">
      ${touched.map(
        ({ path, displayPath }) =>
          html`<li>
            ${linkButton(displayPath, l10n.t('{0}: open the diff', visibleText(displayPath)), { type: 'openChange', path })}
          </li>`,
      )}
    </ul>
    <button type="button" class="button secondary" @click=${emits({ type: 'revertCall', id })}>
      ${icon('discard')} ${l10n.t('Revert What This Command Changed')}
    </button>`;
}

function argumentsView({ args, modelArgs }: ToolItem): TemplateResult {
  const code = (text: string): TemplateResult =>
    html`<hookline-code .source=${{ language: 'json', text, final: true, plain: true }}></hookline-code>`;
  const copies = html`<p class="panel-actions">${copyButton(l10n.t('Copy Arguments'), () => args)}</p>`;
  if (modelArgs === undefined || modelArgs === args) return html`${copies}${code(args)}`;
  return html`${copies}
    <p class="muted">${l10n.t('After changes by hooks')}</p>
    ${code(args)}
    <p class="muted">${l10n.t('Original arguments from the model, as stored in the session')}</p>
    ${code(modelArgs)}`;
}

/** The number of lines that a diff adds and removes. */
export function countsView(diff: string): TemplateResult {
  return html`${guard([diff], () => {
    const { added, removed } = diffCounts(diff);
    return html`<span class="count-added" aria-label=${l10n.t('{0} added', added)}>+${added}</span>
      <span class="count-removed" aria-label=${l10n.t('{0} removed', removed)}>−${removed}</span>`;
  })}`;
}

function outputView(item: ToolItem): TemplateResult {
  const { fullOutputPath, command } = item;
  const what = command === undefined ? l10n.t('The beginning is not shown.') : l10n.t('This is the output at first.');
  return html`${item.output === '' ? nothing : html`<hookline-output .text=${item.output}></hookline-output>`}
  ${imageList(item.images, l10n.t('Image from {0}', item.name))}
  ${
    fullOutputPath === undefined
      ? nothing
      : html`<p class="muted">${what} ${fileLink(l10n.t('Full output'), { path: fullOutputPath })}</p>`
  }`;
}
