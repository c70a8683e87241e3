import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ToolItem, ToolState, TouchedFile } from '../../src/protocol/chat-item';
import { baseName, fillPlaceholders } from '../format';
import { diffCounts, diffView } from '../output/diff-view';
import { visibleText } from '../visible-text';
import { emits } from '../controls/emit';
import type { ItemContext } from './item-context';
import {
  copyButton,
  fileLink,
  foldButton,
  foreignText,
  hookLink,
  icon,
  iconButton,
  images,
  linkButton,
} from '../controls/controls';
import { answeredView } from './answered';
import { nestedView } from './nested-calls';
import { stateChip } from './tool-state';
import { AFTER_APPROVAL, unrecordedNote, unrecordedTitle, verdictList, verdictTitle } from './verdicts';

interface Section {
  readonly key: string;
  readonly title: string | TemplateResult;
  readonly openByDefault: boolean;
  body(): TemplateResult;
}

/** One tool call: what, in which state, why; arguments, changes and output on demand. */
export function toolView(item: ToolItem, context: ItemContext): TemplateResult {
  const all = sections(item);
  const open = all.filter(section => context.disclosure.isOpen(`${item.id}/${section.key}`, section.openByDefault));
  return html`<div class="card ${item.drawing?.unframed === true ? 'unframed' : ''}">
    <div class="card-head">
      ${icon(item.icon)}
      <span class="tool-name">${visibleText(item.name)}</span>
      <code class="tool-summary" title=${visibleText(item.summary)}>${visibleText(item.summary)}</code>
      ${item.byUser === true ? html`<span class="chip">${icon('person')} ${l10n.t('run by you')}</span>` : nothing}
      ${stateChip(item.state)}
    </div>
    ${reason(item)} ${answeredView(context.answeredAbout(item.id))} ${approvalNote(item)} ${drawingView(item)}
    <div class="card-bar">
      ${all.map(section => toggle(item.id, section, open.includes(section), context))}
      <span class="card-actions">${actions(item)}</span>
    </div>
    ${open.map(
      section =>
        html`<div class="panel panel-${section.key}" id="${panelId(item.id, section.key)}">${section.body()}</div>`,
    )}
  </div>`;
}

/** What hooks have drawn for the call and its result. */
function drawingView({ id, drawing }: ToolItem): TemplateResult | typeof nothing {
  if (drawing === undefined) return nothing;
  const { head, lines } = drawing;
  return html`<div class="drawn">
    ${foldButton(id, drawing)} ${head === undefined ? nothing : html`<hookline-lines .lines=${head}></hookline-lines>`}
    ${lines.length === 0 ? nothing : html`<hookline-lines .lines=${lines}></hookline-lines>`}
  </div>`;
}

function panelId(item: string, key: string): string {
  return `${item}/${key}`.replace(/\s/g, '_');
}

function toggle(id: string, section: Section, open: boolean, context: ItemContext): TemplateResult {
  const switched = (): void => {
    context.disclosure.set(`${id}/${section.key}`, !open);
    context.refresh(id);
  };
  return html`<button
    type="button"
    class="toggle"
    data-section=${section.key}
    aria-expanded=${open ? 'true' : 'false'}
    aria-controls=${open ? panelId(id, section.key) : nothing}
    @click=${switched}
  >
    ${icon(open ? 'chevron-down' : 'chevron-right')}${section.title}
  </button>`;
}

function reason(item: ToolItem): TemplateResult | typeof nothing {
  const { state } = item;
  if (state.type === 'blocked') {
    return html`<p class="reason">${blockedBy(item, state)}</p>`;
  }
  if (state.type === 'skipped') {
    return html`<p class="reason">${fillPlaceholders(l10n.t('Skipped: {0}'), foreignText(state.reason))}</p>`;
  }
  if (state.type !== 'asking') return nothing;
  return html`<p class="reason">
    ${fillPlaceholders(l10n.t('{0} asks below before this runs.'), hookLink(state.hook))}
  </p>`;
}

function blockedBy({ unrecorded }: ToolItem, { by, reason: why }: Extract<ToolState, { type: 'blocked' }>): unknown {
  if (by === undefined && unrecorded === true) {
    return fillPlaceholders(l10n.t('Blocked (by which hook was not recorded): {0}'), foreignText(why));
  }
  return fillPlaceholders(l10n.t('Blocked by {0}: {1}'), by ? hookLink(by) : 'Hookline', foreignText(why));
}

/** What somebody approved is not what ran: that is seen without opening anything. */
function approvalNote({ verdicts }: ToolItem): TemplateResult | typeof nothing {
  const changer = verdicts.find(({ afterApproval }) => afterApproval === true);
  if (changer === undefined) return nothing;
  return html`<p class="reason after-approval">
    ${icon('warning')} ${hookLink(changer.hook, true)}: ${AFTER_APPROVAL()}
  </p>`;
}

function sections(item: ToolItem): readonly Section[] {
  const { state, args, output, diff } = item;
  const failed = state.type === 'failed';
  const isDrawn = item.drawing?.hasResult === true;
  return [
    ...(args === ''
      ? []
      : [{ key: 'arguments', title: l10n.t('Arguments'), openByDefault: false, body: () => argumentsView(item) }]),
    ...(diff === undefined || diff === ''
      ? []
      : [{ key: 'diff', title: diffTitle(diff), openByDefault: !isDrawn, body: () => diffView(diff) }]),
    ...((output === '' || isSaidByReason(item)) && item.images.length === 0
      ? []
      : [
          {
            key: 'output',
            title: l10n.t('Output'),
            openByDefault: (item.summaryKind === 'command' || failed) && !isDrawn,
            body: () => outputView(item),
          },
        ]),
    ...callsSection(item),
    ...touchedSection(item),
    ...whySection(item),
  ];
}

/** The line above says already what the model was told. */
function isSaidByReason({ state, output }: ToolItem): boolean {
  return state.type === 'blocked' && output.trim() === state.reason.trim();
}

function whySection({ verdicts, unrecorded }: ToolItem): readonly Section[] {
  const why = { key: 'why', openByDefault: false };
  if (unrecorded === true) return [{ ...why, title: unrecordedTitle(), body: unrecordedNote }];
  return verdicts.length === 0 ? [] : [{ ...why, title: verdictTitle(verdicts), body: () => verdictList(verdicts) }];
}

function callsSection({ nested = [] }: ToolItem): readonly Section[] {
  if (nested.length === 0) return [];
  const title = nested.length === 1 ? l10n.t('1 call') : l10n.t('{0} calls', nested.length);
  return [{ key: 'calls', title, openByDefault: true, body: () => nestedView(nested) }];
}

/** Files that a command changed; the tools that name their file show it in their head. */
function touchedSection({ id, changesPath, touched = [] }: ToolItem): readonly Section[] {
  if (touched.length === 0 || changesPath === true) return [];
  const title = touched.length === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', touched.length);
  return [{ key: 'files', title, openByDefault: false, body: () => touchedView(id, touched) }];
}

function touchedView(id: string, touched: readonly TouchedFile[]): TemplateResult {
  return html`<ul class="touched">
      ${touched.map(
        ({ path, shown }) =>
          html`<li>
            ${linkButton(shown, l10n.t('{0}: open the diff', visibleText(shown)), { type: 'openChange', path })}
          </li>`,
      )}
    </ul>
    <button type="button" class="button secondary" @click=${emits({ type: 'revertCall', id })}>
      ${icon('discard')} ${l10n.t('Revert what this command changed')}
    </button>`;
}

function argumentsView({ args, modelArgs }: ToolItem): TemplateResult {
  const code = (text: string): TemplateResult =>
    html`<hookline-code .source=${{ language: 'json', text, final: true, plain: true }}></hookline-code>`;
  const copies = html`<p class="panel-actions">${copyButton(l10n.t('Copy arguments'), () => args)}</p>`;
  if (modelArgs === undefined || modelArgs === args) return html`${copies}${code(args)}`;
  return html`${copies}
    <p class="muted">${l10n.t('As hooks left them')}</p>
    ${code(args)}
    <p class="muted">${l10n.t('As the model gave them, and as the session keeps them')}</p>
    ${code(modelArgs)}`;
}

function diffTitle(diff: string): TemplateResult {
  const { added, removed } = diffCounts(diff);
  return html`${l10n.t('Changes')}
    <span class="count-added" aria-label=${l10n.t('{0} added', added)}>+${added}</span>
    <span class="count-removed" aria-label=${l10n.t('{0} removed', removed)}>−${removed}</span>`;
}

function outputView(item: ToolItem): TemplateResult {
  const { fullOutputPath } = item;
  return html`${item.output === '' ? nothing : html`<hookline-output .text=${item.output}></hookline-output>`}
  ${images(item.images, l10n.t('Image from {0}', item.name))}
  ${
    fullOutputPath === undefined
      ? nothing
      : html`<p class="muted">
          ${l10n.t('The beginning was cut.')} ${fileLink(l10n.t('Full output'), { path: fullOutputPath })}
        </p>`
  }`;
}

function actions(item: ToolItem): TemplateResult {
  const { id, path, state } = item;
  const isOver = state.type === 'done' || state.type === 'failed' || state.type === 'blocked';
  return html`${!item.diff ? nothing : iconButton('diff', l10n.t('Show diff'), emits({ type: 'showDiff', id }))}
  ${path === undefined ? nothing : placeActions(path)}
  ${
    item.summaryKind === 'command' && item.summary !== ''
      ? iconButton('terminal', l10n.t('Insert into terminal'), emits({ type: 'openTerminal', command: item.summary }))
      : nothing
  }
  ${
    item.changesPath === true && item.touched !== undefined
      ? iconButton('discard', l10n.t('Revert this change'), emits({ type: 'revertCall', id }))
      : nothing
  }
  ${isOver ? iconButton('debug-rerun', l10n.t('Run again'), emits({ type: 'runAgain', id })) : nothing}
  ${item.summary === '' ? nothing : copyButton(copyLabel(item.summaryKind), () => item.summary)}
  ${item.output === '' ? nothing : copyButton(l10n.t('Copy output'), () => item.output, 'output')}`;
}

function placeActions(path: string): TemplateResult {
  const name = visibleText(baseName(path));
  return html`${iconButton('go-to-file', l10n.t('Open {0}', name), emits({ type: 'openFile', path }))}
  ${iconButton('folder-opened', l10n.t('Show {0} in the explorer', name), emits({ type: 'revealFile', path }))}`;
}

function copyLabel(kind: ToolItem['summaryKind']): string {
  switch (kind) {
    case 'command':
      return l10n.t('Copy command');
    case 'path':
      return l10n.t('Copy path');
    case 'text':
      return l10n.t('Copy');
  }
}
