import fc from 'fast-check';
import assert from 'node:assert/strict';
import { BlockStream, LARGEST_BLOCK, type MarkdownBlock } from '../../../webview/markdown/block-stream';
import { createMarkdown } from '../../../webview/markdown/markdown';
import { runs } from '../../support/long-run';

const markdown = createMarkdown();

function html(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(one).join('');
}

function one(block: MarkdownBlock): string {
  if (block.type === 'html') return block.html;
  const text = markdown.utils.escapeHtml(block.text);
  if (block.type === 'plain') return `<plain>${text}</plain>`;
  return `<pre><code${block.language ? ` class="language-${block.language}"` : ''}>${text}</code></pre>\n`;
}

function streamed(chunks: readonly string[]): BlockStream {
  const stream = new BlockStream(markdown);
  for (const chunk of chunks) {
    stream.append(chunk);
    stream.tail;
  }
  stream.finish();
  return stream;
}

/** Pieces that meet in bad places: openers, closers, half markers, indents, definitions. */
const PIECES = [
  ...['a', 'word ', '*em*', '**b', '`c`', '`', '~~s~~', '[x](src/a.ts)', '[ref]', '![i](b.png)', 'https://x.org/y '],
  ...[
    '\n',
    '\n',
    '\n\n',
    '\n\n',
    '\r\n',
    '\r',
    '  ',
    '    ',
    '\t',
    '# ',
    '- ',
    '* ',
    '1. ',
    '2) ',
    '> ',
    '- [ ] ',
    '- [x] t',
  ],
  ...[
    '```',
    '```ts\n',
    '~~~\n',
    '---',
    '===',
    '***',
    '|',
    'a | b',
    '\n--- | ---:\n',
    '[ref]: http://r.org "t"',
    '\n[ref]:',
  ],
  ...['$', '$$', '$x^2$', '$$\n', '\\(', '\\)', '\\[', '\\]', '\\[a\n+ b\\]\n'],
  ...['<b>', '<!-- ', '&amp;', '\\', '\u202e', '\0', 'é', '😀'],
];
const documents = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => pieces.join(''));

describe('markdown in pieces', function () {
  this.timeout(10 * 60_000);

  it('ends with what one parse of the whole gives, however it was cut', () => {
    const cuts = fc.array(fc.nat(12), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(documents, cuts, (text, sizes) => {
        const chunks: string[] = [];
        for (let at = 0, index = 0; at < text.length; index++) {
          const size = (sizes[index % sizes.length] ?? 0) + 1;
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        assert.equal(html(streamed(chunks).blocks), markdown.render(text));
      }),
      runs(1_000, 100_000),
    );
  });

  it('shows at every moment what one parse of the text so far gives, while no link is defined', () => {
    fc.assert(
      fc.property(documents, text => {
        fc.pre(!text.includes(']:') && !text.includes('\r'));
        const stream = new BlockStream(markdown);
        for (let at = 0; at < text.length; at++) {
          stream.append(text.charAt(at));
          const now = html([...stream.blocks, ...stream.tail]);
          assert.equal(now, markdown.render(text.slice(0, at + 1)));
        }
      }),
      runs(100, 3_000),
    );
  });

  it('never changes a final block within one generation', () => {
    const stream = new BlockStream(markdown);
    stream.append('# One\n\ntwo\nthree\n\n');
    assert.equal(stream.blocks.length, 1);
    const [first] = stream.blocks;
    stream.append('- a\n- b\n\ndone');
    assert.equal(stream.blocks[0], first);
    assert.equal(stream.blocks.length, 2);
    stream.append('\n');
    assert.equal(stream.blocks.length, 3);
    stream.finish();
    assert.deepEqual([stream.generation, stream.blocks.length, stream.tail.length], [0, 4, 0]);
  });

  it('draws everything again at the end when a definition came after its use', () => {
    const stream = streamed(['see [docs]\n\nmore\n', '\n[docs]: https://d.org\n\nend\n']);
    assert.equal(stream.generation, 1);
    assert.match(html(stream.blocks), /data-href="https:\/\/d\.org"/);
  });

  it('keeps an unclosed fence as code, growing', () => {
    const stream = new BlockStream(markdown);
    stream.append('```ts\nlet a');
    assert.deepEqual(stream.tail, [{ type: 'code', language: 'ts', text: 'let a' }]);
    stream.append(' = 1;\nlet b');
    assert.deepEqual(stream.tail, [{ type: 'code', language: 'ts', text: 'let a = 1;\nlet b' }]);
    stream.finish();
    assert.equal(stream.blocks.length, 1);
  });

  it('takes 5 MB in one line, in small pieces, as plain text', () => {
    const line = '**x** [a](b) '.repeat(400_000);
    const pieces = Array.from({ length: 100 }, (_, index) => line.slice(index * 52_000, (index + 1) * 52_000));
    const { blocks } = streamed(pieces);
    assert.deepEqual(
      blocks.map(block => block.type === 'plain' && block.text.trim().length),
      [line.trim().length],
    );
  });

  const giants: [string, string][] = [
    ['a table of 50,000 rows', `a|b\n-|-\n${'x|y\n'.repeat(50_000)}`],
    ['a list of 50,000 items', '- x\n'.repeat(50_000)],
    ['deep quotes', `${'>'.repeat(50_000)} x`],
    ['deep lists', Array.from({ length: 800 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')],
    ['brackets', '['.repeat(29_000)],
    ['backticks', Array.from({ length: 240 }, (_, n) => '`'.repeat(n)).join(' x ')],
    ['stars', '*a **b '.repeat(4_000)],
    ['link openers', '[a]('.repeat(7_000)],
    ['images', '![['.repeat(9_000)],
    ['angle brackets', '<http:'.repeat(4_900)],
    ['entities', '&'.repeat(29_000)],
    ['colons and slashes', 'http://'.repeat(4_200)],
    ['an unclosed fence of 2 MB', `\`\`\`\n${'code line\n'.repeat(200_000)}`],
  ];
  for (const [name, text] of giants) {
    it(`gets through ${name}`, () => {
      const half = text.length >> 1;
      assert.ok(streamed([text.slice(0, half), text.slice(half)]).blocks.length > 0);
    });
  }

  it('parses no inline markup in a block above its limit', () => {
    const { blocks } = streamed([`*a* ${'b'.repeat(LARGEST_BLOCK)}`]);
    assert.equal(blocks[0]?.type, 'plain');
  });
});

describe('markdown as HTML', () => {
  const rendered = (text: string): string => html(streamed([text]).blocks);

  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt&colon;alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](command:workbench.action.quit)',
    '![x](data:image/svg+xml,<svg/onload=alert(1)>)',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    '[x](https://a.org "\\"><script>alert(1)</script>")',
    'a | b\n:-: | -:\n<svg onload=alert(1)> | [y](vbscript:x)',
  ];
  for (const text of hostile) {
    it(`leaves nothing live of ${JSON.stringify(text)}`, () => {
      const markup = rendered(text).replace(/>[^<]*</g, '><');
      assert.doesNotMatch(markup, /<(script|img|svg|iframe|input|style|form)|\son\w+=|\s(href|src|style)=/i);
      assert.doesNotMatch(markup, /data-href="(javascript|data|command|vbscript)/i);
    });
  }

  it('gives links and images a judged data-href and no href or src', () => {
    assert.match(rendered('[a](src/x.ts#L3)'), /<a class="link" role="link" tabindex="0" data-href="src\/x\.ts#L3"/);
    const image = rendered('![logo](https://x.org/logo.png)');
    assert.match(image, /data-href="https:\/\/x\.org\/logo\.png"/);
    assert.doesNotMatch(image, /\ssrc=|<img/);
  });

  it('links plain addresses, and no file name that looks like a domain', () => {
    assert.match(rendered('see https://x.org/y.'), /data-href="https:\/\/x\.org\/y"/);
    assert.doesNotMatch(rendered('see README.md and main.rs and x.com'), /<a/);
  });

  it('says column alignment by class', () => {
    const table = rendered('a | b | c\n:- | :-: | -:\n1 | 2 | 3');
    for (const align of ['left', 'center', 'right']) assert.match(table, new RegExp(`<td class="align-${align}">`));
    assert.doesNotMatch(table, /style/);
  });

  it('draws task items as labelled boxes', () => {
    const list = rendered('- [x] one\n- [ ] two\n- [z] three');
    assert.match(list, /class="task task-done" role="img" aria-label="done"><\/span>one/);
    assert.match(list, /class="task" role="img" aria-label="to do"><\/span>two/);
    assert.match(list, /\[z\] three/);
  });

  it('shows bidirectional controls in text and inline code', () => {
    assert.match(
      rendered('a\u202eb `c\u2066d`'),
      /a<span class="hidden-character">⟦U\+202E⟧<\/span>b <code>c<span class="hidden-character">⟦U\+2066⟧/,
    );
  });

  it('links inline code that names a file and a line', () => {
    assert.match(rendered('in `src/a.ts:3`'), /<code class="link" role="link" tabindex="0" data-href="src\/a\.ts:3"/);
    assert.match(rendered('call `a.b()`'), /<code>a\.b\(\)<\/code>/);
  });
});
