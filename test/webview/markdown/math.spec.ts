import assert from 'node:assert/strict';
import { createMarkdown } from '../../../webview/markdown/markdown';
import { formulaAt } from '../../../webview/markdown/math';

const markdown = createMarkdown();

/** The TeX of every formula in a text, display ones in brackets. */
function formulas(text: string): string[] {
  const found = markdown.render(text).matchAll(/class="math ([\w-]+)" data-tex="([^"]*)"/g);
  return [...found].map(([, kind, tex]) => (kind === 'math-display' ? `[${tex}]` : (tex ?? '')));
}

describe('formulas in markdown', () => {
  const cases: readonly (readonly [name: string, text: string, ...formulas: string[]])[] = [
    ['dollars in a line', 'so $x^2 + y$, and $z$.', 'x^2 + y', 'z'],
    ['parentheses in a line', 'so \\(a_b\\) holds', 'a_b'],
    ['two dollars in a line', 'so $$a+b$$ holds', '[a+b]'],
    ['brackets in a line', 'so \\[a+b\\] holds', '[a+b]'],
    ['two dollars as a block', '$$\na = b\n+ c\n$$\n\nend', '[a = b\n+ c]'],
    ['two dollars as a block of one line', '$$ a = b $$', '[a = b]'],
    ['brackets as a block', 'text\n\\[\n\\frac{a}{b}\n\\]\nmore', '[\\frac{a}{b}]'],
    ['a block in a list', '- one\n\n  $$\n  x\n  $$\n- two $y$', '[x]', 'y'],
    ['a dollar behind a backslash inside', '$a \\$ b$', 'a \\$ b'],
    ['prices', 'It costs $5 and $6, or $7-$8, US$9.'],
    ['prices with a closing dollar', 'between $5 and 6$ or 1,000$'],
    ['shell variables', 'echo $HOME/$USER and $PATH:$PWD'],
    ['spaces inside', 'a $ b $ c'],
    ['escaped dollars', 'a \\$x\\$ b'],
    ['dollars in code', '`$x$` and\n\n```\n$$\nx\n$$\n```'],
    ['one formula in words', 'costs $3.50 but $n$ is open', 'n'],
    ['a block that never closes', '$$\na = b\n\n# Title'],
    ['a bracket that is no formula', '\\[not a link\\](there) and on'],
  ];
  for (const [name, text, ...expected] of cases) {
    it(`finds ${name}`, () => {
      assert.deepEqual(formulas(text), expected);
    });
  }

  it('keeps the source as the text, escaped', () => {
    assert.equal(markdown.renderInline('$a<b$'), '<span class="math math-line" data-tex="a&lt;b">$a&lt;b$</span>');
  });

  it('ends a block that never closes at an empty line', () => {
    assert.match(markdown.render('$$\na = b\n\n# Title'), /<p>\$\$\na = b<\/p>\s*<h1>Title/);
  });

  it('leaves a formula that is too long as source', () => {
    assert.equal(formulaAt(`\\(${'x'.repeat(5000)}\\)`, 0), undefined);
    assert.deepEqual(formulas(`$$\n${'x'.repeat(5000)}\n$$`), []);
  });
});
