import { visibleText, withLineFeeds } from '../base/text/visible-text';
import MarkdownIt, { type MarkdownIt as Markdown } from 'markdown-it';

/** Longer texts are shown without formatting, because formatting them would take too long. */
const MARKDOWN_CHARS = 200_000;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Foreign text as content or attribute of HTML; hidden characters are marked. */
export function escapeHtml(text: string): string {
  return visibleText(withLineFeeds(text)).replace(/[&<>"']/g, special => ENTITIES[special] ?? '');
}

let markdown: Markdown | undefined;

/** What a model wrote, drawn: no HTML of its own passes, links lead to the web or nowhere, images are named only. */
export function markdownHtml(text: string): string {
  if (text.length > MARKDOWN_CHARS) return `<pre>${escapeHtml(text)}</pre>`;
  markdown ??= createMarkdown();
  return markdown.render(text);
}

function createMarkdown(): Markdown {
  const made = new MarkdownIt({ html: false, linkify: true, maxNesting: 50 });
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  made.validateLink = isWebLink;
  const { rules } = made.renderer;
  rules['text'] = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');
  rules['code_inline'] = (tokens, index) => `<code>${escapeHtml(tokens[index]?.content ?? '')}</code>`;
  rules['fence'] = rules['code_block'] = (tokens, index) =>
    `<pre><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`;
  rules['link_open'] = (tokens, index) => {
    const href = String(tokens[index]?.attrGet('href') ?? '');
    return linkStart(href);
  };
  rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const href = String(token?.attrGet('src') ?? '');
    const name = token?.content === undefined || token.content === '' ? href : token.content;
    return `${linkStart(href)}${escapeHtml(name)}</a>`;
  };
  // Alignment arrives as a style attribute, which the file's policy refuses.
  for (const tag of ['th', 'td']) rules[`${tag}_open`] = () => `<${tag}>`;
  return made;
}

/** The start tag of a link. */
export function linkStart(href: string): string {
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">`;
}

/** Whether a link leads to the web or writes a mail; all others lead nowhere. */
export function isWebLink(href: string): boolean {
  if (!/^(https?|mailto):/i.test(href.trim())) return false;
  return URL.canParse(href.trim());
}
