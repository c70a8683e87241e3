import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { GateCall, GateItem } from '../../../src/protocol/items/chat-item';
import { visibleText } from '../../../src/base/text/visible-text';
import { foreignText, hookLink, icon, iconButton } from '../../controls/controls';
import { emits } from '../../controls/emit';
import { fillPlaceholders } from '../../format';
import { diffView } from '../../output/diff-view';
import { partsOf, type QuestionPart } from './named-command';

/** What is asked: who asks about what, the call itself, and what to know about it. */
export function questionView(item: GateItem): TemplateResult {
  const { subject } = item;
  return subject?.type === 'call' ? gateQuestionView(item, subject) : hookQuestionView(item);
}

/** A text for screen readers, without a difference, which the card has. */
export function spokenQuestion({ title, message, subject }: GateItem): string {
  if (subject?.type !== 'call') return `${title} ${message}`.trim();
  const { command, path, remarks } = subject;
  return [title, command ?? path ?? '', ...remarks].filter(part => part !== '').join(' ');
}

/** A question of the built-in gate about a call. */
function gateQuestionView(item: GateItem, call: GateCall): TemplateResult {
  const { title, hook } = item;
  return html`<div class="gate-head">
      ${diffButton(item)}
      <p class="gate-title">
        ${icon('question')} ${foreignText(title)} <span class="gate-asker">${hookLink(hook)}</span>
      </p>
    </div>
    ${placeView(call)} ${callView(item, call)} ${remarksView(call.remarks)}`;
}

/** A question of a hook. Its texts have an unknown form, so they are shown as they are. */
function hookQuestionView(item: GateItem): TemplateResult {
  const { title, message, about } = item;
  const parts = partsOf(title, message, about?.isCommand === true ? about.summary : undefined);
  const [first] = parts;
  const hasTitle = first?.type === 'title';
  return html`<div class="gate-head">
      ${diffButton(item)} ${askerView(item)} ${hasTitle ? titleView(first.text) : nothing}
    </div>
    ${parts.slice(hasTitle ? 1 : 0).map(partView)}`;
}

/** The button for VS Code's diff of the write. It has its place before it is known that there is one, so that nothing moves then. */
function diffButton({ id, opensDiff }: GateItem): TemplateResult | typeof nothing {
  if (opensDiff === undefined) return nothing;
  const button = iconButton('diff', l10n.t('Open the Diff in an Editor'), emits({ type: 'showWriteDiff', id }));
  return html`<span class="gate-diff-button">${opensDiff ? button : nothing}</span>`;
}

/** Who asks. What it asks about stands in the card of the call, or in the question, if it is not a call within that one. */
function askerView({ hook, about, isNested }: GateItem): TemplateResult {
  const asks = fillPlaceholders(about === undefined ? l10n.t('{0} asks') : l10n.t('{0} asks about'), hookLink(hook));
  const what = about && [about.tool, ...(isNested === true ? [about.summary] : [])].join(' ');
  return html`<p class="gate-asker">
    ${icon('question')} <span>${asks}</span> ${what === undefined ? nothing : html`<code>${visibleText(what)}</code>`}
  </p>`;
}

function titleView(text: string): TemplateResult {
  return html`<p class="gate-title">${foreignText(text)}</p>
    ${tailView(text, 'prose')}`;
}

function partView(part: QuestionPart): TemplateResult {
  switch (part.type) {
    case 'title':
      return titleView(part.text);
    case 'message':
      return boxView('prose', part.text);
    case 'command':
      return boxView('code', part.command);
  }
}

/** Where a call takes place, unless that is said elsewhere in the question. */
function placeView({ cwd, path, remarks }: GateCall): TemplateResult | typeof nothing {
  if (cwd !== undefined) return pathView('folder', cwd);
  const isSaid = path?.includes('/') !== true || remarks.some(remark => remark.includes(path));
  return isSaid ? nothing : pathView('file', path);
}

/** A path in full. It wraps between its folders, and within a name only where the name is wider than the card. */
function pathView(glyph: 'file' | 'folder', path: string): TemplateResult {
  const names = visibleText(path).split(/(?<=[/\\])/);
  return html`<p class="gate-place">${icon(glyph)} <code>${names.map(name => html`<wbr />${name}`)}</code></p>`;
}

function callView(
  { id, opensDiff }: GateItem,
  { command, diff, args = [] }: GateCall,
): TemplateResult | typeof nothing {
  if (command !== undefined) return boxView('code', command);
  if (diff !== undefined) {
    return boxView('diff', diff, diffView(diff, opensDiff === true ? { type: 'showWriteDiff', id } : undefined));
  }
  if (args.length === 0) return nothing;
  const text = args.map(({ name, value }) => `${name}: ${value}`).join('\n');
  const list = html`<dl class="gate-args">
    ${args.map(
      ({ name, value }) =>
        html`<dt>${visibleText(name)}</dt>
          <dd>${foreignText(value)}</dd>`,
    )}
  </dl>`;
  return boxView('code', text, list);
}

function remarksView(remarks: readonly string[]): TemplateResult | typeof nothing {
  if (remarks.length === 0) return nothing;
  return html`<ul class="gate-remarks">
    ${remarks.map(remark => html`<li>${icon('warning')} <span>${foreignText(remark)}</span></li>`)}
  </ul>`;
}

/** Lines, and characters, of a text whose end needs no place of its own. */
const SHORT = { lines: 10, characters: 600 } as const;
/** What is kept in sight of the end of a longer text. */
const TAIL = { lines: 2, characters: 60 } as const;

type BoxKind = 'prose' | 'code' | 'diff';

/** A text as high as it is, or in a scroller, with its end below it; `shown` is how the text is drawn. */
function boxView(kind: BoxKind, text: string, shown = foreignText(text)): TemplateResult {
  const label = kind === 'prose' ? l10n.t('Full text of the question') : l10n.t('What the question is about');
  return html`<div class="gate-box gate-${kind}" tabindex="0" role="region" aria-label=${label}>${shown}</div>
    ${tailView(text, kind)}`;
}

/** The end of a long text again, which stays in sight below it, whatever comes before. */
function tailView(text: string, kind: BoxKind): TemplateResult | typeof nothing {
  const whole = text.trimEnd();
  const cut = cutOf(whole);
  if (cut === undefined) return nothing;
  return html`<div class="gate-tail gate-${kind}" aria-hidden="true" title=${l10n.t('The end of the text above')}>
    ${foreignText(`… ${whole.slice(cut).trimStart()}`)}
  </div>`;
}

/** Where the end of a long text begins; undefined for a short one. */
function cutOf(text: string): number | undefined {
  const lines = text.split('\n');
  if (lines.length <= SHORT.lines && text.length <= SHORT.characters) return undefined;
  const last = lines.slice(-TAIL.lines).join('\n').length;
  return text.length - Math.min(last, TAIL.characters);
}
