import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  countNewlines,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from '../../../src/agent/tools/truncate';
import { runs } from '../../support/long-run';

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

describe('truncate', () => {
  it('has the limits of the reference', () => assert.deepEqual([DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES], [51200, 2000]));

  it('prints sizes as NB, N.NKB, N.NMB', () =>
    assert.deepEqual([0, 1023, 1024, 51200, 1024 * 1024 - 1, 1024 * 1024, 1572864].map(formatSize), [
      '0B',
      '1023B',
      '1.0KB',
      '50.0KB',
      '1024.0KB',
      '1.0MB',
      '1.5MB',
    ]));

  for (const truncate of [truncateHead, truncateTail]) {
    describe(truncate.name, () => {
      it('leaves 2000 lines alone, with and without a final newline', () => {
        for (const text of [lines(2000), `${lines(2000)}\n`, '', '\n', 'x']) {
          const result = truncate(text);
          assert.equal(result.content, text);
          assert.equal(result.truncated, false);
          assert.equal(result.truncatedBy, null);
          assert.equal(result.outputBytes, Buffer.byteLength(text));
        }
        assert.equal(truncate(`${lines(2000)}\n`).totalLines, 2000);
        assert.equal(truncate('').totalLines, 0);
      });

      it('cuts 2001 lines to 2000', () => {
        const result = truncate(lines(2001));
        assert.deepEqual(
          [result.truncated, result.truncatedBy, result.totalLines, result.outputLines],
          [true, 'lines', 2001, 2000],
        );
      });

      it('keeps 51200 bytes and cuts 51201', () => {
        const exact = `${'a'.repeat(25_599)}\n${'b'.repeat(25_600)}`;
        assert.equal(truncate(exact).truncated, false);
        const over = truncate(`${exact}b`);
        assert.deepEqual(
          [over.truncated, over.truncatedBy, over.outputLines, over.totalBytes],
          [true, 'bytes', 1, 51201],
        );
      });

      it('does not call it truncated when only the final newline is too much', () => {
        const exact = `${'a'.repeat(25_599)}\n${'b'.repeat(25_600)}`;
        const result = truncate(`${exact}\n`);
        assert.equal(result.content, exact);
        assert.equal(result.truncated, false);
      });

      it('never passes the limits and always returns whole lines of the text', () => {
        const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', '\n'), maxLength: 12 }), {
          maxLength: 30,
        });
        fc.assert(
          fc.property(
            text,
            fc.integer({ min: 1, max: 8 }),
            fc.integer({ min: 1, max: 40 }),
            (parts, maxLines, maxBytes) => {
              const whole = parts.join('');
              const result = truncate(whole, { maxLines, maxBytes });
              const content = Buffer.from(result.content);
              assert.equal(content.length, result.outputBytes);
              if (!result.truncated) {
                assert.ok(whole === result.content || whole === `${result.content}\n`);
                return;
              }
              assert.ok(content.length <= maxBytes);
              assert.ok(result.outputLines <= maxLines);
              const unended = Buffer.from(result.content.replace(/\n$/, ''));
              if (result.outputLines > 0) assert.ok(countNewlines(unended) <= result.outputLines - 1);
              const from =
                truncate === truncateHead ? whole.startsWith(result.content) : whole.includes(result.content);
              assert.ok(from);
            },
          ),
          runs(100, 5_000),
        );
      });
    });
  }

  it('counts line ends in any part of a buffer', () =>
    fc.assert(
      fc.property(fc.uint8Array({ min: 8, max: 11, maxLength: 60 }), fc.nat(20), fc.nat(60), (bytes, from, to) => {
        const part = bytes.subarray(from, to);
        assert.equal(countNewlines(part), [...part].filter(byte => byte === 10).length);
      }),
      runs(2_000, 20_000),
    ));

  it('head: gives nothing when the first line is over the byte limit', () => {
    const result = truncateHead(`${'x'.repeat(51_201)}\nb`);
    assert.deepEqual(
      [result.content, result.firstLineExceedsLimit, result.outputLines, result.totalLines],
      ['', true, 0, 2],
    );
  });

  it('head: takes totals of a larger whole', () => {
    const result = truncateHead('a\nb\nc', { maxLines: 2, total: { lines: 900, bytes: 9000 } });
    assert.deepEqual([result.content, result.totalLines, result.totalBytes], ['a\nb', 900, 9000]);
  });

  it('tail: keeps the last lines and their final newline', () => {
    assert.equal(truncateTail('a\nb\nc\n', { maxLines: 2 }).content, 'b\nc\n');
    assert.equal(truncateTail('a\n\n\n', { maxLines: 2 }).content, '\n\n');
  });

  it('tail: keeps the end of a last line over the byte limit, at a character', () => {
    const result = truncateTail(`start\n${'€'.repeat(30)}`, { maxBytes: 10 });
    assert.equal(result.content, '€€€');
    assert.deepEqual([result.lastLinePartial, result.outputLines, result.outputBytes], [true, 1, 9]);
    assert.equal(truncateTail('a\nb\n', { maxBytes: 1 }).content, 'b');
  });

  it('line: cuts at 500 characters and not inside a character', () => {
    assert.deepEqual(truncateLine('x'.repeat(500)), { text: 'x'.repeat(500), wasTruncated: false });
    assert.deepEqual(truncateLine('x'.repeat(501)), { text: `${'x'.repeat(500)}... [truncated]`, wasTruncated: true });
    assert.equal(truncateLine(`${'x'.repeat(499)}😀y`).text, `${'x'.repeat(499)}... [truncated]`);
  });
});
