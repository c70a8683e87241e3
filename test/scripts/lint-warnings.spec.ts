import assert from 'node:assert/strict';
import { ESLint } from 'eslint';
import { join } from 'node:path';
import { warningLines } from '../../scripts/support/lint-warnings.ts';

/** `count` statements, each in a line of its own. */
const long = (count: number): string => Array.from({ length: count }, (_, at) => `  f(${at});`).join('\n');

describe('the warnings that "npm run check" sums up', () => {
  const root = import.meta.dirname;

  async function lint(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const eslint = new ESLint({
      cwd: root,
      overrideConfigFile: true,
      overrideConfig: {
        rules: {
          'max-lines': ['warn', 10],
          'max-lines-per-function': ['warn', 10],
          'max-params': ['warn', 2],
          'max-depth': ['warn', 1],
          complexity: ['warn', 2],
          'no-console': 'warn',
          'no-debugger': 'error',
        },
      },
    });
    const results = await Promise.all(
      Object.entries(files).map(([name, text]) => eslint.lintText(text, { filePath: join(root, name) })),
    );
    return warningLines(results.flat(), root);
  }

  it('are counted, and those that exceed the most come first with file, rule and value', async () => {
    const lines = await lint({
      'lines.js': long(30),
      'function.js': `function f() {\n${long(8)}\n  console.log();\n  debugger;\n}`,
      'params.js': '((a, b, c, d, e) => a)();',
      'depth.js': 'if (a) { if (b) { b(); } }',
      'complex.js': 'const f = a => a && b && c && d && e && g && h;',
    });
    assert.deepEqual(lines, [
      '7 warnings, the worst 5:',
      '  complex.js:1  complexity  7 of 2',
      '  lines.js:11  max-lines  30 of 10',
      '  params.js:1  max-params  5 of 2',
      '  depth.js:1  max-depth  2 of 1',
      '  function.js:1  max-lines-per-function  12 of 10',
    ]);
  });

  it('are all named if they are few, also those without a value', async () => {
    assert.deepEqual(await lint({ 'log.js': 'console.log();' }), ['1 warning:', '  log.js:1  no-console']);
  });

  it('are not mentioned if there are none, even beside errors', async () => {
    assert.deepEqual(await lint({ 'error.js': 'debugger;' }), []);
  });
});
