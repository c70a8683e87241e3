import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { readExampleHooks } from '../../src/hook-authoring/example-hooks';

const EXAMPLES = join(ROOT, 'examples', 'pi');

describe('the examples that can be added', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'examples '));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('are all of today’s dialect, each with its text and one plain sentence', async () => {
    const examples = await readExampleHooks(EXAMPLES);
    assert.deepEqual(
      examples.map(({ fileName }) => fileName),
      readdirSync(EXAMPLES).sort(),
    );
    for (const { fileName, summary, text } of examples) {
      assert.equal(text, readFileSync(join(EXAMPLES, fileName), 'utf8'));
      assert.match(summary, /^[/A-Z][^`*]{15,160}\.$/, fileName);
    }
  });

  it('are described by the comment of the hook, not of a constant above it, also with Windows’ line ends', async () => {
    const lines = ['/** Of a constant. */', 'const A = 1;', '', '/**', ' * Uses `a.b` and', ' * ends. More.', ' */'];
    writeFileSync(join(dir, 'one.ts'), [...lines, 'export default function one() {}', ''].join('\r\n'));
    writeFileSync(join(dir, 'notes.md'), 'not a hook');
    const examples = await readExampleHooks(dir);
    assert.deepEqual(
      examples.map(({ fileName, summary }) => [fileName, summary]),
      [['one.ts', 'Uses a.b and ends.']],
    );
  });

  it('name the file that says nothing at its head', async () => {
    writeFileSync(join(dir, 'silent.ts'), '/** Of a constant. */\nconst A = 1;\nexport default function silent() {}\n');
    await assert.rejects(readExampleHooks(dir), /silent\.ts has no comment/);
  });
});
