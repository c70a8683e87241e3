import { highlighter } from './highlighter.js';
import type { ShippedTheme } from '../../themes';

/** The theme color for each name that the highlighter gives a part of code. */
const COLORS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    syntaxKeyword: 'keyword selector-tag template-tag meta-keyword section',
    syntaxType: 'built_in type class title.class_ tag selector-class',
    syntaxFunction: 'title title.function_ title.function function name',
    syntaxVariable: 'attr attribute variable template-variable params property symbol',
    syntaxString: 'string regexp link code addition quote',
    syntaxNumber: 'number literal',
    syntaxComment: 'comment doctag meta',
    syntaxOperator: 'operator',
    syntaxPunctuation: 'punctuation',
  }).flatMap(([color, scopes]) => scopes.split(' ').map(scope => [scope, color])),
);

const TOKEN = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/**
 * The lines of the code with terminal colors of the theme. If the language is unknown or not given, all code has the
 * color of code blocks.
 */
export function highlightCodeWith(theme: () => ShippedTheme, code: string, language?: string): string[] {
  if (language === undefined || highlighter.getLanguage(language) === undefined) {
    return code.split('\n').map(line => theme().fg('mdCodeBlock', line));
  }
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  const lines: string[] = [''];
  const open: (string | undefined)[] = [];
  for (const [token, scope, entity] of value.matchAll(TOKEN)) {
    if (scope !== undefined) open.push(colorOf(scope));
    else if (token === '</span>') open.pop();
    else {
      const text = entity === undefined ? token : (ENTITIES[entity] ?? token);
      const color = open.findLast(candidate => candidate !== undefined);
      // Each line is colored separately, because callers draw single lines.
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) lines.push('');
        const drawn = part === '' || color === undefined ? part : theme().fg(color, part);
        lines.push((lines.pop() ?? '') + drawn);
      }
    }
  }
  return lines;
}

/**
 * The color for the classes of a part: `hljs-title function_` has that of `title.function_`, or else that of `title`.
 */
function colorOf(classes: string): string | undefined {
  const [first = '', ...more] = classes.split(' ');
  const scope = first.replace(/^hljs-/, '');
  return COLORS[[scope, ...more].join('.')] ?? COLORS[scope];
}
