import assert from 'node:assert/strict';
import { exportsOf, fastCode } from './both-compilers';

const WIDE = /[^\0-\xff]/;

/** For a template in a template. */
const TICK = '`';
const HOLE = '${';

describe('compiled code', () => {
  const MODULE = String.raw`
    // A dash — and 😀 in a comment; /* → */
    /** ‘Quoted’ */
    export const strings = ['—', "→ \→ \\→ \\\→", 'é\n😀\😀', '\u2014', 'line\
continued'];
    export const object = { '→': 1, [${TICK}—${TICK}]: 2 };
    export const template = ${TICK}— ${HOLE}strings[0]} → \→ ${HOLE}${TICK}😀${TICK}}${TICK};
    export const plain = 'ÿ~';`;

  it('has one byte per character where strings, templates and comments have others, and does the same', async () => {
    assert.match(MODULE, WIDE);
    assert.doesNotMatch(fastCode(MODULE), WIDE);
    const { strings, object, template, plain } = await exportsOf(MODULE);
    assert.deepEqual(strings, ['—', '→ → \\→ \\→', 'é\n😀😀', '—', 'linecontinued']);
    assert.deepEqual(object, { '→': 1, '—': 2 });
    assert.equal(template, '— — → → 😀');
    assert.equal(plain, 'ÿ~');
  });

  it('keeps regular expressions, names and the raw texts of tagged templates', async () => {
    const exports = await exportsOf(`
      const größe = /[→—]+😀/u;
      const 名 = (text) => größe.source + größe.test(text);
      export const found = 名('→😀');
      export const raw = String.raw\`→\\n—\`;
      export const inner = String.raw\`\${'→'}\`;`);
    assert.deepEqual([exports['found'], exports['raw'], exports['inner']], ['[→—]+😀true', '→\\n—', '→']);
  });

  it('still names what it imports, and breaks a line as the text does', async () => {
    const exports = await exportsOf(`
      import { one } from './more'; // —
      export { two } from /* → */ './more';
      export const lines = 'a\\\u2028b\u2028c'.length;
      export const thrown = one;`);
    assert.deepEqual([exports['two'], exports['lines'], exports['thrown']], [2, 4, 1]);
  });
});
