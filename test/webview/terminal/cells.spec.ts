import assert from 'node:assert/strict';
import { visibleWidth } from '@mariozechner/pi-tui';
import { cellsOf, isPicture, piecesOf } from '../../../webview/terminal/paint-line';

const segments = (text: string): string[] => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

describe('cells of characters', () => {
  for (const text of [
    'plain ascii ~',
    'äöüß ñ',
    '漢字かな',
    '한글',
    'ｆｕｌｌ',
    '😀👍🏽👨‍👩‍👧🇩🇪',
    '❤️ ☆ ♥ ▲ ◆',
    'e\u0301 a\u0308',
    '─│┌┐█▓░',
    '⠁⠃⠇',
    '「」。',
    '→ ✔ ✘ … ·',
    '⏳✅',
  ]) {
    it(`are those that pi-tui counts: ${text}`, () => {
      assert.equal(
        segments(text).reduce((sum, segment) => sum + cellsOf(segment), 0),
        visibleWidth(text),
      );
    });
  }

  it('wide characters and those the font draws otherwise get boxes of their own', () => {
    const fits = (grapheme: string): boolean => grapheme !== '☆';
    assert.deepEqual(piecesOf('a漢b', fits), [{ text: 'a' }, { text: '漢', cells: 2 }, { text: 'b' }]);
    assert.deepEqual(piecesOf('─☆─', fits), [{ text: '─' }, { text: '☆', cells: 1 }, { text: '─' }]);
    assert.deepEqual(piecesOf('e\u0301x', fits), [{ text: 'e\u0301x' }]);
    assert.deepEqual(piecesOf('a\tb', fits), [{ text: 'a   b' }]);
    assert.deepEqual(piecesOf('', fits), []);
  });

  it('tells pictures made of characters from words', () => {
    assert.deepEqual(['██▓▓', '─│ ', '⣿⣷'].map(isPicture), [true, true, true]);
    assert.deepEqual(['x█', 'word', '→'].map(isPicture), [false, false, false]);
  });
});
