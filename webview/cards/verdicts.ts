import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { HookVerdict, ToolItem } from '../../src/protocol/items/chat-item';
import { approvalReasonText } from '../../src/protocol/items/approval-reason-text';
import { duration } from '../format';
import { diffView } from '../output/diff-view';
import { visibleText } from '../../src/base/text/visible-text';
import { foreignText, hookLink, icon } from '../controls/controls';
import { isDenied } from './tool-state';

const OUTCOMES: { readonly [O in HookVerdict['outcome']]: { readonly icon: string; readonly words: string } } = {
  nothing: { icon: 'dash', words: l10n.t('no decision') },
  allowed: { icon: 'pass', words: l10n.t('allowed') },
  modified: { icon: 'edit', words: l10n.t('changed it') },
  blocked: { icon: 'circle-slash', words: l10n.t('blocked it') },
  failed: { icon: 'error', words: l10n.t('failed') },
  late: { icon: 'clock', words: l10n.t('answered too late') },
};

/** States of calls whose tool runs or ran. */
const RAN: ReadonlySet<ToolItem['state']['type']> = new Set(['running', 'done', 'failed']);

/** The warning that the card and the list of verdicts show. */
export const AFTER_APPROVAL = (): string =>
  l10n.t('It changed the input after you answered an earlier hook. That hook did not ask you again.');

function answered(question: string, answer: string | undefined): string {
  return answer === undefined
    ? l10n.t('It asked you “{0}”, and the question was canceled.', visibleText(question))
    : l10n.t('It asked you “{0}”, and you answered “{1}”.', visibleText(question), visibleText(answer));
}

/** An icon and a few words that say who decided. Nothing when nobody decided, or for a blocked call, which says it itself. */
export function verdictMark({
  state,
  verdicts,
}: Pick<ToolItem, 'state' | 'verdicts'>): TemplateResult | typeof nothing {
  if (state.type === 'blocked') return nothing;
  const mark = markOf(verdicts);
  if (mark === undefined) return nothing;
  return html`<span class="verdict-mark" title=${mark.words}>
    ${icon(mark.icon)} <span class="verdict-words">${mark.words}</span>
  </span>`;
}

/** The most important verdict: first a failure, then a change, then an approval. Undefined when there is nothing to say. */
function markOf(verdicts: readonly HookVerdict[]): { readonly icon: string; readonly words: string } | undefined {
  const failed = verdicts.find(({ outcome }) => outcome === 'failed' || outcome === 'late');
  if (failed !== undefined) return { icon: 'warning', words: l10n.t('{0} failed', visibleText(failed.hook.name)) };
  const isEdited = verdicts.some(({ approvalReason: why }) => why?.by === 'person' && why.edited === true);
  if (isEdited) return { icon: 'edit', words: l10n.t('changed by you') };
  const changer = verdicts.find(({ outcome }) => outcome === 'modified');
  if (changer !== undefined) return { icon: 'edit', words: l10n.t('changed by {0}', visibleText(changer.hook.name)) };
  const allowed = verdicts.findLast(({ outcome }) => outcome === 'allowed');
  switch (allowed?.approvalReason?.by) {
    case 'person':
      return { icon: 'person', words: l10n.t('allowed by you') };
    case 'rule':
    case 'session':
      return { icon: 'law', words: l10n.t('allowed by a rule') };
    case 'reading':
    case 'plainReading':
    case 'hook':
    case 'auto':
    case 'edits':
    case 'editor':
    case 'plan':
    case 'place':
    case 'nobody':
    case undefined:
      return undefined;
  }
}

/** The title of the section with verdicts, with the number of hooks that saw the call. */
export function verdictTitle({ verdicts, state }: Pick<ToolItem, 'verdicts' | 'state'>): TemplateResult {
  const count = new Set(verdicts.map(({ hook }) => hook.path)).size;
  return html`${why(state)} <span class="muted">${hookCount(count)}</span>`;
}

/** The title of the section when it was not recorded which hooks saw the call. */
export function unrecordedTitle({ state }: Pick<ToolItem, 'state'>): TemplateResult {
  return html`${why(state)} <span class="muted">${l10n.t('not recorded')}</span>`;
}

function why(state: ToolItem['state']): string {
  if (state.type === 'blocked' && !isDenied(state)) return l10n.t('Why was this blocked?');
  return RAN.has(state.type) ? l10n.t('Why did this run?') : l10n.t('What did hooks decide?');
}

/** Explains why there are no verdicts, so that it does not look as if no hook saw the call. */
export function unrecordedNote(): TemplateResult {
  return html`<p class="muted">
    ${l10n.t('Hookline has no record of the hooks for this call, because the call ran elsewhere (in pi, on the command line, on another computer) or too long ago.')}
  </p>`;
}

function hookCount(count: number): string {
  return count === 1 ? l10n.t('1 hook') : l10n.t('{0} hooks', count);
}

/** The verdicts in the order in which the handlers ran. */
export function verdictList(verdicts: readonly HookVerdict[]): TemplateResult {
  return html`<ol class="verdicts">
    ${verdicts.map(verdictView)}
  </ol>`;
}

function verdictView(verdict: HookVerdict): TemplateResult {
  const { hook, event, outcome, durationMs, detail, asked = [], changes = [], afterApproval, approvalReason } = verdict;
  const { icon: glyph, words } = OUTCOMES[outcome];
  return html`<li data-outcome=${outcome}>
    ${icon(glyph)} ${hookLink(hook, true)} <span>${words}</span>
    <span class="muted">${visibleText(event)} · ${duration(durationMs)}</span>
    ${approvalReason === undefined ? nothing : html`<div class="detail" data-reason=${approvalReason.by}>${visibleText(approvalReasonText(approvalReason, outcome === 'blocked'))}</div>`}
    ${detail === undefined ? nothing : html`<div class="detail">${foreignText(detail)}</div>`}
    ${asked.map(({ question, answer }) => {
      // A denial with a message is an answer, which the reason above says.
      if (answer === undefined && approvalReason?.by === 'person') return nothing;
      return html`<div class="detail">${icon('person')} ${answered(question, answer)}</div>`;
    })}
    ${afterApproval === true ? html`<div class="detail after-approval">${icon('warning')} ${AFTER_APPROVAL()}</div>` : nothing}
    ${changes.map(({ member, diff }) => html`<div class="verdict-change"><span class="muted">${visibleText(member)}</span>${diffView(diff)}</div>`)}
  </li>`;
}
