import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { onToggle, type ItemContext } from './item-context';
import type { AssistantBlock, AssistantItem, ErrorHelp, UserItem } from '../../src/protocol/items/chat-item';
import type { WebviewToHost } from '../../src/protocol/messages';
import { duration } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { emit, emits } from '../controls/emit';
import { textHeight, type Card } from './card';
import { errorWords } from './error-words';
import { copyButton, foreignText, icon, iconButton, imageList } from '../controls/controls';
import { fileIcon } from '../controls/file-icon';

/** A message of the user: its Markdown is drawn, and copying gives what was typed. */
function userView(item: UserItem): TemplateResult {
  const source = { text: item.displayText ?? item.text, final: true, breaks: true };
  return html`<div class="bubble">
    <hookline-markdown .source=${source}></hookline-markdown>
    ${imageList(item.images, l10n.t('Attached image'))} ${attachedView(item.attached)} ${versionView(item)}
    <div class="message-actions">
      ${copyButton(l10n.t('Copy Message'), () => item.text)}
      ${action('edit', l10n.t('Edit and Send Again (F2)'), { type: 'editMessage', id: item.id })}
      ${action('git-branch', l10n.t('Branch into New Session'), { type: 'branchFrom', id: item.id })}
      ${action('discard', l10n.t('Revert Files to Before This Message'), { type: 'revertTo', id: item.id })}
    </div>
  </div>`;
}

/** Buttons that show the other versions of a message that was edited or sent again. */
function versionView({ id, version }: UserItem): TemplateResult | typeof nothing {
  if (version === undefined) return nothing;
  const { at, of } = version;
  const step = (by: 'previous' | 'next', glyph: string, label: string, isEnd: boolean): TemplateResult =>
    html`<button
      type="button"
      class="icon-button"
      aria-label=${label}
      title=${label}
      ?disabled=${isEnd}
      @click=${emits({ type: 'showVersion', id, by })}
    >
      ${icon(glyph)}
    </button>`;
  return html`<div class="versions" role="group" aria-label=${l10n.t('Versions of this message')}>
    ${step('previous', 'chevron-left', l10n.t('Previous version'), at <= 1)}
    <span aria-label=${l10n.t('Version {0} of {1}', at, of)}>${at}/${of}</span>
    ${step('next', 'chevron-right', l10n.t('Next version'), at >= of)}
  </div>`;
}

function action(name: string, label: string, message: WebviewToHost): TemplateResult {
  return html`<button
    type="button"
    class="icon-button branch"
    aria-label=${label}
    title=${label}
    @click=${emits(message)}
  >
    ${icon(name)}
  </button>`;
}

/** The files and texts that were sent with the message. A click opens a file, at the first line that was sent. */
function attachedView(attached: UserItem['attached'] = []): TemplateResult | typeof nothing {
  if (attached.length === 0) return nothing;
  return html`<ul class="sent-along" aria-label=${l10n.t('Attached')}>
    ${attached.map(each => html`<li>${attachedChip(each)}</li>`)}
  </ul>`;
}

function attachedChip({ name, path, line }: NonNullable<UserItem['attached']>[number]): TemplateResult {
  const shown = visibleText(name);
  const face = html`${icon(fileIcon(path ?? name))} <span class="clip-start"><bdi>${shown}</bdi></span>`;
  if (path === undefined) return html`<span class="chip" title=${shown}>${face}</span>`;
  return html`<button
    type="button"
    class="chip chip-button"
    aria-label=${l10n.t('Open {0}', shown)}
    title=${l10n.t('Open {0}', shown)}
    @click=${emits({ type: 'openFile', path, line })}
  >
    ${face}
  </button>`;
}

/** An answer of the model. With `named`, it shows the model's name; the first of several answers in a row has it. */
function assistantView(item: AssistantItem, context: ItemContext, named: boolean): TemplateResult {
  const last = item.blocks.length - 1;
  const streaming = item.state === 'streaming';
  return html`${named ? html`<p class="speaker">${visibleText(item.model)}</p>` : nothing}
  ${item.blocks.map((block, index) =>
    blockView(block, `${item.id}/thinking/${index}`, context, {
      id: item.id,
      final: !streaming || index < last,
    }),
  )}
  ${streaming && last < 0 ? html`<p class="pending" aria-hidden="true"><span></span><span></span><span></span></p>` : nothing}
  ${item.state === 'aborted' ? stoppedView(item) : nothing} ${answerActions(item)}
  ${
    item.state === 'error'
      ? html`<div class="problem">
          ${icon('error')}
          <div class="problem-body">
            ${foreignText(errorWords(item.error ?? l10n.t('The answer failed.')))} ${helpView(item)}
          </div>
        </div>`
      : nothing
  }`;
}

/** What can be done with an answer that has words and is complete. */
function answerActions({ id, state, blocks }: AssistantItem): TemplateResult | typeof nothing {
  const texts = blocks.flatMap(({ type, text, displayText }) => (type === 'text' ? [displayText ?? text] : []));
  if (state === 'streaming' || state === 'error' || texts.length === 0) return nothing;
  return html`<div class="answer-actions" role="group" aria-label=${l10n.t('Actions')}>
    ${copyButton(l10n.t('Copy Answer'), () => texts.join('\n\n'))}
    ${iconButton('refresh', l10n.t('Retry: Answer This Message Again'), event => answerAgain(event, id))}
  </div>`;
}

/** The button goes with the answer, so the conversation gets the focus. */
function answerAgain({ currentTarget }: Event, id: string): void {
  if (!(currentTarget instanceof HTMLElement)) return;
  emit(currentTarget, { type: 'answerAgain', id });
  currentTarget.closest<HTMLElement>('[role="log"]')?.focus({ preventScroll: true });
}

/** Marks an answer that the user stopped. It offers to continue as long as nothing followed. */
function stoppedView(item: AssistantItem): TemplateResult {
  return html`<p class="muted stopped">
    ${icon('circle-slash')} ${l10n.t('Stopped')}
    ${(item.help ?? []).map(help => helpButton(item.id, help, 'secondary'))}
  </p>`;
}

/** Buttons for what the user can do about a failure, and one that copies its text with all that the provider sent. */
function helpView({ id, help = [], error = '' }: AssistantItem): TemplateResult {
  return html`<div class="help" role="group" aria-label=${l10n.t('Actions')}>
    ${help.map((each, index) => helpButton(id, each, index === 0 ? 'primary' : 'secondary'))}
    <button type="button" class="button secondary" data-help="copy" @click=${emits({ type: 'copy', text: error })}>
      ${l10n.t('Copy Details')}
    </button>
  </div>`;
}

function helpButton(id: string, help: ErrorHelp, look: 'primary' | 'secondary'): TemplateResult {
  return html`<button
    type="button"
    class="button ${look}"
    data-help=${help}
    @click=${emits({ type: 'help', id, help })}
  >
    ${helpWords(help)}
  </button>`;
}

function helpWords(help: ErrorHelp): string {
  switch (help) {
    case 'continue':
      return l10n.t('Continue');
    case 'retry':
      return l10n.t('Retry');
    case 'editMessage':
      return l10n.t('Edit Message');
    case 'compact':
      return l10n.t('Compact');
    case 'setApiKey':
      return l10n.t('Set API Key');
    case 'logIn':
      return l10n.t('Log In');
    case 'pickModel':
      return l10n.t('Choose Model');
    case 'openSettings':
      return l10n.t('Open Settings');
  }
}

function blockView(
  block: AssistantBlock,
  key: string,
  context: ItemContext,
  { id, final }: { readonly id: string; readonly final: boolean },
): TemplateResult | typeof nothing {
  const text = block.displayText ?? block.text;
  if (block.type === 'text') return html`<hookline-markdown .source=${{ text, final }}></hookline-markdown>`;
  if (text.trim() === '') return nothing;
  const open = context.disclosure.isOpen(key, false);
  return html`<details class="thinking" ?open=${open} @toggle=${onToggle(context, { id, key, open })}>
    <summary>${thinkingWords(context.thinkingLabel, block, final)}</summary>
    ${open ? html`<hookline-markdown .source=${{ text, final }}></hookline-markdown>` : nothing}
  </details>`;
}

function thinkingWords(
  label: string | undefined,
  { startedAt, durationMs }: AssistantBlock,
  final: boolean,
): TemplateResult {
  const isOver = final || durationMs !== undefined;
  if (durationMs !== undefined && durationMs >= 1000) {
    const time = duration(durationMs);
    return html`${label === undefined ? l10n.t('Thought for {0}', time) : `${visibleText(label)} · ${time}`}`;
  }
  const words = label === undefined ? (isOver ? l10n.t('Thought') : l10n.t('Thinking…')) : visibleText(label);
  if (isOver || startedAt === undefined) return html`${words}`;
  return html`${words} <hookline-time .since=${startedAt}></hookline-time>`;
}

/** How many characters of an answer are read aloud. */
const SPOKEN = 400;

function spokenAnswer({ state, error, blocks }: AssistantItem): readonly string[] {
  if (state === 'error') return [l10n.t('The answer failed: {0}', errorWords(error ?? l10n.t('unknown reason')))];
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.displayText ?? block.text] : [])).join(' ');
  return state === 'done' && text !== '' ? [l10n.t('Answer: {0}', text.slice(0, SPOKEN))] : [];
}

/** A message that waits to be sent is shown at the composer instead. */
export const userCard: Card<UserItem> = {
  view: userView,
  attributes: item => ({ 'data-state': item.state, 'aria-label': l10n.t('You') }),
  height: item => 48 + textHeight(item.text.length),
  isShown: item => item.state === 'sent',
  isMessage: () => true,
  hasMenu: true,
};

/** An answer of the model. */
export const assistantCard: Card<AssistantItem> = {
  view: assistantView,
  attributes: item => ({ 'data-state': item.state, 'aria-label': item.model }),
  height: item =>
    16 + textHeight(item.blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 60), 0)),
  isMessage: () => true,
  hasMenu: true,
  spoken: (item, before) => (before?.state === item.state ? [] : spokenAnswer(item)),
};
