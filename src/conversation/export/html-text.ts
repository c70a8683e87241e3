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
/**
 * What does not stay as it is: markup, controls, which have no place in HTML, and characters that reorder what is shown
 * (the Unicode bidirectional controls and marks).
 */
// eslint-disable-next-line no-control-regex -- it names what must go
const SPECIAL = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Foreign text as content or attribute of HTML; hidden controls become visible. */
export function escapeHtml(text: string): string {
  return text.replace(SPECIAL, shownAs);
}

function shownAs(special: string): string {
  const entity = ENTITIES[special];
  if (entity !== undefined) return entity;
  if (special < ' ') return '\uFFFD';
  return `⟦U+${special.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
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
