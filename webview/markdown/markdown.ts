import * as l10n from '@vscode/l10n';
import MarkdownIt, { type MarkdownIt as Markdown, type RendererRule, type StateCore, type Token } from 'markdown-it';
import { markedHtml } from '../marked-text';
import { isImageData } from './image-data';
import { linkTarget, looksLikePath } from './links';
import { useMath } from './math';

/**
 * Makes the markdown parser of the page. It allows no HTML. `linkTarget` decides which links work, and they have no `href`.
 * Images with data become placeholders for `showImages`; other images become links, so that nothing is loaded. `breaks`:
 * whether a line break in a paragraph is shown as one.
 */
export function createMarkdown({ breaks = false }: { readonly breaks?: boolean } = {}): Markdown {
  const markdown = new MarkdownIt({ html: false, linkify: true, maxNesting: 50, breaks });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // Accepts image data, because an image may show it; `linkTarget` refuses it as the target of a link.
  markdown.validateLink = href => linkTarget(href) !== undefined || isImageData(href);
  useMath(markdown);
  markdown.core.ruler.push('task_items', markTasks);
  const { escapeHtml } = markdown.utils;
  const { rules } = markdown.renderer;
  const shown = (text: string): string => markedHtml(escapeHtml(text));

  rules['text'] = (tokens, index) => shown(tokens[index]?.content ?? '');
  rules['code_inline'] = (tokens, index) => {
    const { content } = tokens[index] ?? { content: '' };
    const link = looksLikePath(content) && linkTarget(content) ? linkAttributes(content, escapeHtml) : '';
    return `<code${link}>${shown(content)}</code>`;
  };
  rules['fence'] = (tokens, index) =>
    codeHtml(languageOf(tokens[index]?.info), tokens[index]?.content ?? '', escapeHtml);
  rules['code_block'] = (tokens, index) => codeHtml('', tokens[index]?.content ?? '', escapeHtml);
  rules['link_open'] = (tokens, index) => {
    const href = attribute(tokens[index], 'href');
    return linkTarget(href) ? `<a${linkAttributes(href, escapeHtml)}>` : '<a>';
  };
  rules['image'] = (tokens, index) => imageHtml(tokens[index], escapeHtml);
  rules['table_open'] = () =>
    `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(l10n.t('Table'))}"><table>\n`;
  rules['table_close'] = () => '</table></div>\n';
  rules['th_open'] = cellRule('th');
  rules['td_open'] = cellRule('td');
  return markdown;
}

/** The language in the info string of a fence, in lower case; empty when there is none. */
export function languageOf(info: string | undefined): string {
  return /^\s*([\w+#.-]{1,40})/.exec(info ?? '')?.[1]?.toLowerCase() ?? '';
}

function codeHtml(language: string, text: string, escape: (text: string) => string): string {
  return `<pre><code${language ? ` class="language-${language}"` : ''}>${escape(text)}</code></pre>\n`;
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}

/** The attributes of a link. VS Code opens any `href`, so it is in `data-href`, which only our click handler reads. */
function linkAttributes(href: string, escape: (text: string) => string): string {
  const value = escape(href);
  return ` class="link" role="link" tabindex="0" data-href="${value}" title="${value}"`;
}

function imageHtml(token: Token | undefined, escape: (text: string) => string): string {
  const label = markedHtml(escape(token?.content === '' ? 'image' : (token?.content ?? 'image')));
  const source = attribute(token, 'src');
  if (isImageData(source)) return `<span class="image-data" data-image="${escape(source)}">${label}</span>`;
  return `<a${linkAttributes(attribute(token, 'src'), escape)}><span class="image-label">${escape(l10n.t('Image:'))}</span> ${label}</a>`;
}

/** Replaces the style attribute for column alignment by a class, because the page's security policy forbids it. */
function cellRule(tag: 'th' | 'td'): RendererRule {
  return (tokens, index) => {
    const align = /text-align:\s*(left|center|right)/.exec(attribute(tokens[index], 'style'))?.[1];
    return align === undefined ? `<${tag}>` : `<${tag} class="align-${align}">`;
  };
}

const TASK = /^\[([ xX])\][ \t]+/;

/** Replaces `[ ]` and `[x]` at the start of a list item by a box that the style sheet draws. */
function markTasks(state: StateCore): void {
  state.tokens.forEach((token, index) => {
    const item = state.tokens[index - 2];
    if (token.type !== 'inline' || item?.type !== 'list_item_open') return;
    const [first] = token.children ?? [];
    const mark = first?.type === 'text' ? TASK.exec(first.content) : null;
    if (!first || !mark) return;
    first.content = first.content.slice(mark[0].length);
    token.children?.unshift(...taskBox(state, mark[1] !== ' '));
    item.attrJoin('class', 'task-item');
  });
}

function taskBox(state: StateCore, done: boolean): Token[] {
  const box = new state.Token('task_box', 'span', 1);
  box.attrs = [
    ['class', done ? 'task task-done' : 'task'],
    ['role', 'img'],
    ['aria-label', done ? l10n.t('done') : l10n.t('to do')],
  ];
  return [box, new state.Token('task_box_close', 'span', -1)];
}
