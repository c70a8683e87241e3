import DOMPurify from 'dompurify';

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li'],
  ...['pre', 'code', 'em', 'strong', 's', 'a', 'span', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];
const ATTRIBUTES = ['class', 'title', 'role', 'tabindex', 'start'];

const MATH_TAGS = [
  ...['span', 'math', 'semantics', 'mrow', 'mi', 'mo', 'mn', 'mtext', 'ms', 'mspace', 'mfrac', 'msqrt', 'mroot'],
  ...['msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'mpadded'],
  ...['mtable', 'mtr', 'mtd', 'mlabeledtr', 'mphantom', 'mstyle', 'menclose'],
];
const MATH_ATTRIBUTES = [
  ...['class', 'display', 'mathvariant', 'mathcolor', 'mathbackground', 'mathsize', 'scriptlevel', 'displaystyle'],
  ...['stretchy', 'fence', 'separator', 'lspace', 'rspace', 'minsize', 'maxsize', 'symmetric', 'largeop', 'form'],
  ...['movablelimits', 'accent', 'accentunder', 'linethickness', 'width', 'height', 'depth', 'voffset', 'notation'],
  ...['columnalign', 'rowalign', 'columnspacing', 'rowspacing', 'columnlines', 'rowlines', 'frame', 'side'],
];

/** KaTeX adds the source as an annotation. It is removed, because a parser may not read its content as MathML. */
const ANNOTATION = /<annotation[\s>][\s\S]*?<\/annotation>/g;

/**
 * The only function that turns HTML text into elements of the page. The renderer outputs no foreign tags; this is a second
 * check: it allows only listed tags, and on them no `href`, `src`, `style`, `id` or event handler.
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

/** The same for a formula: it allows only MathML without annotations, links, styles and `data-` attributes. */
export function toMathFragment(mathMl: string): DocumentFragment {
  return DOMPurify.sanitize(mathMl.replace(ANNOTATION, ''), {
    ALLOWED_TAGS: MATH_TAGS,
    ALLOWED_ATTR: MATH_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
