import { highlighter } from './highlighter.js';
import type { ShippedTheme } from '../themes';

/** What the highlighter calls a part of code, and the colour that it gets. */
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
 * Lines of code with terminal colours of the theme. Code of a language that is not known, or of none, is all in the
 * colour of code blocks.
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
      // Colours do not reach over the end of a line: each is drawn by itself.
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) lines.push('');
        const drawn = part === '' || color === undefined ? part : theme().fg(color, part);
        lines.push((lines.pop() ?? '') + drawn);
      }
    }
  }
  return lines;
}

/** `hljs-title function_` is `title.function_`, else `title`. */
function colorOf(classes: string): string | undefined {
  const [first = '', ...more] = classes.split(' ');
  const scope = first.replace(/^hljs-/, '');
  return COLORS[[scope, ...more].join('.')] ?? COLORS[scope];
}
