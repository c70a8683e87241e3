import assert from 'node:assert/strict';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { diffReplacements, diffTexts } from '../../../../../src/agent/tools/files/editing/diff';
import { runs } from '../../../../support/long-run';

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

describe('diffTexts', () => {
  it('shows one changed line with four lines of context and line numbers', () => {
    const before = `${numbered(1, 20).join('\n')}\n`;
    const { diff, firstChangedLine } = diffTexts(before, before.replace('line 10\n', 'line ten\n'));
    assert.equal(firstChangedLine, 10);
    assert.deepEqual(diff.split('\n'), [
      '    ...',
      '  6 line 6',
      '  7 line 7',
      '  8 line 8',
      '  9 line 9',
      '-10 line 10',
      '+10 line ten',
      ' 11 line 11',
      ' 12 line 12',
      ' 13 line 13',
      ' 14 line 14',
      '    ...',
    ]);
  });

  it('shows all of a short text, without dots', () =>
    assert.equal(diffTexts('a\nb\nc\n', 'a\nB\nc\n').diff, ' 1 a\n-2 b\n+2 B\n 3 c'));

  it('leaves out what lies between two distant changes', () => {
    const before = numbered(1, 30).join('\n');
    const { diff } = diffTexts(before, before.replace('line 2\n', 'two\n').replace('line 25\n', 'x\n'));
    const shown = diff.split('\n').map(line => line.trim());
    assert.equal(shown.filter(line => line === '...').length, 2);
    assert.ok(shown.includes('6 line 6') && !shown.includes('7 line 7'));
    assert.ok(shown.includes('21 line 21') && !shown.includes('20 line 20'));
  });

  it('tells the number of the first added line, also at the ends', () => {
    assert.deepEqual(diffTexts('', 'a\n'), { diff: '+1 a', firstChangedLine: 1 });
    assert.deepEqual(diffTexts('a\n', ''), { diff: '-1 a', firstChangedLine: 1 });
    assert.equal(diffTexts('a\nb\n', 'a\nb\nc\n').firstChangedLine, 3);
    assert.deepEqual(diffTexts('a', 'a'), { diff: '', firstChangedLine: undefined });
  });

  it('shows a final newline that was added, and hides carriage returns', () => {
    assert.equal(diffTexts('a', 'a\n').diff, '-1 a\n+1 a');
    assert.equal(diffTexts('a\r\nb\r\n', 'a\r\nc\r\n').diff, ' 1 a\n-2 b\n+2 c');
  });

  it('rebuilds both texts from the lines it shows', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'dd'), { maxLength: 12 })
      .map(lines => lines.map(l => `${l}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const lines = diffTexts(before, after, 100).diff.split('\n');
        const pick = (signs: string): string =>
          lines
            .filter(line => signs.includes(line[0] ?? '?'))
            .map(line => `${/^.\s*\d+ (.*)$/.exec(line)?.[1] ?? '?'}\n`)
            .join('');
        assert.equal(pick(' -'), before);
        assert.equal(pick(' +'), after);
      }),
      runs(500, 5_000),
    );
  });

  it('takes a huge replaced region as removed and added', () => {
    const before = numbered(1, 3000).join('\n');
    const after = numbered(3001, 6000).join('\n');
    const lines = diffTexts(before, after).diff.split('\n');
    assert.equal(lines.filter(line => line.startsWith('-')).length, 3000);
    assert.equal(lines.filter(line => line.startsWith('+')).length, 3000);
  });

  it('shows replacements as it shows the two texts, and as a patch that makes one of the other', () => {
    // No two lines are alike, so that there is only one way to see the change.
    const text = fc.nat(30).map(count => Array.from({ length: count }, (_, i) => `<${i}>`).join('\n'));
    const piece = fc.array(fc.constantFrom('x', 'y', '\n'), { maxLength: 5 }).map(parts => parts.join(''));
    const countIn =
      (whole: string) =>
      (from: number, to: number): number =>
        whole.slice(from, to).split('\n').length - 1;
    const cuts = fc.uniqueArray(fc.nat(150), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(text, cuts, piece, (before, offsets, inserted) => {
        const borders = offsets.map(offset => Math.min(offset, before.length)).sort((a, b) => a - b);
        const replacements = borders.flatMap((start, at) => {
          const end = borders[at + 1];
          return at % 2 === 0 && end !== undefined ? [{ start, end, inserted: inserted + '.'.repeat(at) }] : [];
        });
        let after = before;
        for (const { start, end, inserted: put } of [...replacements].reverse()) {
          after = after.slice(0, start) + put + after.slice(end);
        }
        fc.pre(after !== before);
        const shown = diffReplacements(before, replacements, { path: 'f', countLines: countIn(before) });
        const whole = diffTexts(before, after);
        assert.equal(shown.firstChangedLine, whole.firstChangedLine);
        assert.equal(shown.diff, whole.diff);
        assert.equal(applyPatch(before, shown.patch), after);
      }),
      runs(2_000, 20_000),
    );
  });
});
