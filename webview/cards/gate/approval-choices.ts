import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { GateItem, ChoiceMeaning } from '../../../src/protocol/items/chat-item';
import { icon } from '../../controls/controls';
import { choiceButton, moreButton, walkChoices, type AnswerFrom } from './choices';

/** The answers of a question that allows or denies a call. */
export interface ApprovalOptions {
  readonly once: string;
  readonly deny: string;
  /** Further ways to allow the call. */
  readonly more: readonly { readonly option: string; readonly meaning: ChoiceMeaning }[];
}

/** The answers of a question about a call, as far as their meanings are known; undefined for other questions. */
export function approvalOptions({ subject, dialog }: GateItem): ApprovalOptions | undefined {
  if (subject?.type !== 'call' || dialog.type !== 'select') return undefined;
  const { options, meanings = [] } = dialog;
  const all = options.flatMap((option, index) => {
    const meaning = meanings[index];
    return meaning === undefined ? [] : [{ option, meaning }];
  });
  const [once, deny] = (['allowOnce', 'refuse'] as const).map(wanted =>
    all.filter(({ meaning }) => meaning === wanted),
  );
  const [onlyOnce, onlyDeny] = [once?.[0], deny?.[0]];
  if (onlyOnce === undefined || onlyDeny === undefined || once?.length !== 1 || deny?.length !== 1) return undefined;
  const more = all.filter(each => each !== onlyOnce && each !== onlyDeny);
  return all.length === options.length ? { once: onlyOnce.option, deny: onlyDeny.option, more } : undefined;
}

const ICONS: Readonly<Record<ChoiceMeaning, string>> = {
  allowOnce: 'check',
  allowInSession: 'comment-discussion',
  allowAlways: 'pinned',
  goesOn: 'pinned',
  refuse: 'circle-slash',
};

/**
 * Allowing and denying as two split buttons: `Allow once` with a menu of the other ways to allow, and `Deny` with the button that
 * opens the form for a message, if there is one.
 */
export function approvalChoices(
  { once, deny, more }: ApprovalOptions,
  answer: AnswerFrom,
  withMessage: ((event: Event) => void) | undefined,
): TemplateResult {
  return html`<div class="choices approval" @keydown=${walkChoices}>
    <span class="split"
      >${choiceButton(once, once, answer, 'byArrow', 'primary')}${
        more.length === 0
          ? nothing
          : moreButton(
              l10n.t('More Ways to Allow'),
              more.map(({ option, meaning }) => ({ option, icon: ICONS[meaning] })),
              answer,
            )
      }</span
    >
    <span class="split"
      >${choiceButton(deny, deny, answer, 'first')}${withMessage === undefined ? nothing : messageButton(withMessage)}</span
    >
  </div>`;
}

function messageButton(opened: (event: Event) => void): TemplateResult {
  const label = l10n.t('Deny with message…');
  return html`<button
    type="button"
    class="button secondary split-more deny"
    aria-label=${label}
    title=${label}
    @click=${opened}
  >
    ${icon('comment')}
  </button>`;
}
