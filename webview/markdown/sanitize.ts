import DOMPurify from 'dompurify';

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li'],
  ...['pre', 'code', 'em', 'strong', 's', 'a', 'span', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];
const ATTRIBUTES = ['class', 'title', 'role', 'tabindex', 'start'];

/**
 * The only door from HTML text to the page. The renderer lets no foreign tag through; this is the second lock: a
 * closed list of tags, no `href`, `src`, `style`, `id` or handler on any of them.
 */
export function toFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: true,
    ALLOW_ARIA_ATTR: true,
    RETURN_DOM_FRAGMENT: true,
  });
}
