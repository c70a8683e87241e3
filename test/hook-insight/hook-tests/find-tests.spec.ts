import assert from 'node:assert/strict';
import { findTests, type FoundTest } from '../../../src/hook-insight/hook-tests/find-tests';

const FILE = '/w/.pi/hooks-test/gate.test.mjs';

/** The tests as lines: level, title, first and last line. */
function outline(tests: readonly FoundTest[], level = 0): readonly string[] {
  return tests.flatMap(({ title, range, tests: inner }) => [
    `${'  '.repeat(level)}${title} ${range.start.line}-${range.end.line}${inner === undefined ? '' : ' suite'}`,
    ...outline(inner ?? [], level + 1),
  ]);
}

function found(text: string): readonly FoundTest[] {
  const result = findTests(FILE, text);
  assert.ok(result.ok);
  return result.value.tests;
}

describe('finding hook tests in a file', () => {
  it('finds suites and tests with their lines', () => {
    const text = [
      `describe('gate.ts', () => {`,
      `  it('blocks', async () => {`,
      `  });`,
      '  context(`when asked`, function () {',
      `    it.skip("waits", () => {});`,
      `    specify.only('goes on', () => {});`,
      `  });`,
      `});`,
      `it('stands alone', () => {});`,
    ].join('\n');
    assert.deepEqual(outline(found(text)), [
      'gate.ts 1-8 suite',
      '  blocks 2-3',
      '  when asked 4-7 suite',
      '    waits 5-5',
      '    goes on 6-6',
      'stands alone 9-9',
    ]);
  });

  it('finds no test in the body of a test, in a comment or in a text, and none with a computed title', () => {
    const text = `it('outer', () => { it('inner'); });
// it('comment', () => {});
const text = "it('text', () => {})";
for (const name of ['a']) it(\`computed \${name}\`, () => {});
describe(name, () => { it('within', () => {}); });
other.it('member', () => {});`;
    assert.deepEqual(outline(found(text)), ['outer 1-1', 'within 5-5']);
  });

  it('gives two tests with one title two ids, and the same test the same id', () => {
    const ids = (text: string): readonly string[] => found(text).map(({ id }) => id);
    const text = `it('same', () => {});\nit('same', () => {});`;
    assert.equal(new Set(ids(text)).size, 2);
    assert.deepEqual(ids(text), ids(`\n\n${text}`));
  });

  it('says where a syntax error is', () => {
    const result = findTests(FILE, `it('x', () => {});\nit('y', ( => {});\n`);
    assert.deepEqual(result, {
      ok: false,
      problems: [{ message: 'Unexpected token', file: FILE, line: 2, column: 11 }],
    });
  });

  it('says why a file is not listed that is nested too deeply or has too many tests', () => {
    const suites = (depth: number): string =>
      `${`describe('s', () => {`.repeat(depth)} it('x', () => {}); ${'});'.repeat(depth)}`;
    assert.equal(outline(found(suites(20))).length, 21);
    for (const [text, message] of [
      [`a${'.b'.repeat(100_000)}`, 'It is nested too deeply'],
      [suites(21), 'A test is in more than 20 suites'],
      [`it('x');`.repeat(5001), 'It has more than 5000 suites and tests'],
    ] as const) {
      assert.deepEqual(findTests(FILE, text), { ok: false, problems: [{ message, file: FILE }] });
    }
    assert.equal(found(`it('x');`.repeat(5000)).length, 5000);
  });

  it('cuts a title that is very long', () => {
    const [test] = found(`it('${'x'.repeat(10_000)}', () => {});`);
    assert.equal(test?.title, `${'x'.repeat(499)}…`);
    assert.ok(test.id.length < 1000);
  });
});
