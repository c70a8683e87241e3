import assert from 'node:assert/strict';
import { ANSI_START, paletteColor, tokenizeAnsi, type AnsiSpan, type AnsiStyle } from '../../../webview/output/ansi';

const span = (text: string, style: AnsiStyle = {}): AnsiSpan => ({ text, style });

const VECTORS: [string, string, AnsiSpan[]][] = [
  ['plain text', 'hello\n', [span('hello\n')]],
  ['a colour and its end', '\x1b[31mred\x1b[0m.', [span('red', { foreground: 1 }), span('.')]],
  ['an empty reset', '\x1b[1mb\x1b[mn', [span('b', { bold: true }), span('n')]],
  ['bright colours', '\x1b[91;102mx', [span('x', { foreground: 9, background: 10 })]],
  ['background', '\x1b[44mx\x1b[49my', [span('x', { background: 4 }), span('y')]],
  ['default foreground', '\x1b[32mx\x1b[39my', [span('x', { foreground: 2 }), span('y')]],
  ['256 colours', '\x1b[38;5;208mx', [span('x', { foreground: 208 })]],
  ['24-bit colours', '\x1b[48;2;1;2;255mx', [span('x', { background: '#0102ff' })]],
  ['24-bit colours in colon form with a colour space', '\x1b[38:2::10:20:30mx', [span('x', { foreground: '#0a141e' })]],
  ['24-bit colours in colon form without one', '\x1b[38:2:10:20:30mx', [span('x', { foreground: '#0a141e' })]],
  ['256 colours in colon form', '\x1b[38:5:9;1mx', [span('x', { foreground: 9, bold: true })]],
  ['what follows an extended colour', '\x1b[38;5;1;4mx', [span('x', { foreground: 1, underline: true })]],
  ['an extended colour out of range', '\x1b[38;5;999;1mx', [span('x', { bold: true })]],
  ['bold and dim ended by 22', '\x1b[1;2mx\x1b[22my', [span('x', { bold: true, dim: true }), span('y')]],
  ['italic off', '\x1b[3mx\x1b[23my', [span('x', { italic: true }), span('y')]],
  ['underline off', '\x1b[4mx\x1b[24my', [span('x', { underline: true }), span('y')]],
  ['curly underline and its end in colon form', '\x1b[4:3mx\x1b[4:0my', [span('x', { underline: true }), span('y')]],
  [
    'inverse and its end',
    '\x1b[7;31mx\x1b[27my',
    [span('x', { inverse: true, foreground: 1 }), span('y', { foreground: 1 })],
  ],
  ['strike', '\x1b[9mx\x1b[29my', [span('x', { strike: true }), span('y')]],
  ['hidden', '\x1b[8mx\x1b[28my', [span('x', { hidden: true }), span('y')]],
  [
    'a hyperlink ended by ST',
    '\x1b]8;;https://x.org\x1b\\link\x1b]8;;\x1b\\.',
    [span('link', { link: 'https://x.org' }), span('.')],
  ],
  [
    'a hyperlink with an id, ended by BEL',
    '\x1b]8;id=1;file:///a\x07l\x1b]8;;\x07',
    [span('l', { link: 'file:///a' })],
  ],
  [
    'a reset inside a hyperlink',
    '\x1b]8;;https://x.org\x07\x1b[1ma\x1b[0mb',
    [span('a', { link: 'https://x.org', bold: true }), span('b', { link: 'https://x.org' })],
  ],
  ['a title', '\x1b]0;title\x07x', [span('x')]],
  ['cursor moves and clears', 'a\x1b[2K\x1b[1Gb\x1b[?25lc', [span('a'), span('b'), span('c')]],
  ['charset and keypad escapes', '\x1b(Bx\x1b=y\x1b>z', [span('x'), span('y'), span('z')]],
  ['device strings', 'a\x1bPq#0;2\x1b\\b', [span('a'), span('b')]],
  ['a title without an end', 'a\x1b]0;title\r\nb\n', [span('a'), span('\r\nb\n')]],
  ['a title that a color cuts', '\x1b]0;title\x1b[31mx', [span('x', { foreground: 1 })]],
  [
    'other strings without an end',
    'a\x1bPq#0\nb\x1b_x\nc\x1b^y\nd\x1bXz\ne',
    ['a', '\nb', '\nc', '\nd', '\ne'].map(text => span(text)),
  ],
  ['other strings ended by BEL', 'a\x1b_pi:c\x07b', [span('a'), span('b')]],
  ['unknown codes', '\x1b[77;1mx', [span('x', { bold: true })]],
  ['control characters', 'a\x07b\x08c\td', [span('abc\td')]],
  ['a broken sequence', 'a\x1b[12\nb', [span('a[12\nb')]],
];

describe('ANSI tokenizer', () => {
  for (const [name, input, expected] of VECTORS) {
    it(`reads ${name}`, () => {
      assert.deepEqual(tokenizeAnsi(input).spans, expected);
    });

    it(`reads ${name} one character at a time`, () => {
      let state = ANSI_START;
      const spans: AnsiSpan[] = [];
      for (const character of input) {
        const step = tokenizeAnsi(character, state);
        state = step.state;
        spans.push(...step.spans);
      }
      assert.deepEqual(joined(spans), joined(expected));
    });
  }

  it('does not wait for ever for the end of a sequence', () => {
    const { spans, state } = tokenizeAnsi(`a\x1b]8;;${'x'.repeat(10_000)}`);
    assert.equal(state.pending, '');
    assert.deepEqual(spans, [span('a')]);
    assert.deepEqual(tokenizeAnsi('\nnext', state).spans, [span('\nnext')]);
  });

  it('knows the cube and the greys of the palette', () => {
    assert.deepEqual([16, 208, 231, 232, 255].map(paletteColor), [
      'rgb(0, 0, 0)',
      'rgb(255, 135, 0)',
      'rgb(255, 255, 255)',
      'rgb(8, 8, 8)',
      'rgb(238, 238, 238)',
    ]);
  });
});

function joined(spans: readonly AnsiSpan[]): AnsiSpan[] {
  return spans.reduce<AnsiSpan[]>((runs, next) => {
    const last = runs.at(-1);
    if (!last || JSON.stringify(last.style) !== JSON.stringify(next.style)) return [...runs, next];
    return [...runs.slice(0, -1), { text: last.text + next.text, style: last.style }];
  }, []);
}
