import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { withSpeedPart } from '../../scripts/support/speed-page';

describe('the page about speed', () => {
  const page = readFileSync(join(ROOT, 'docs', 'speed.md'), 'utf8');

  it('has its tables from the bench', () => {
    for (const part of ['rows', 'programs'] as const) {
      const written = withSpeedPart(page, part, `Measured again.\n\n| ${part} |`);
      const [before = '', after] = written.split(`Measured again.\n\n| ${part} |`);
      assert.ok(page.startsWith(before), part);
      assert.ok(after !== undefined && page.endsWith(after), part);
      const replaced = page.slice(before.length, page.length - after.length);
      assert.match(replaced, /^Measured on \d{4}-\d\d-\d\d: \d+ processors .*\n\n\| (?:row|work) /, part);
      assert.ok(replaced.split('\n').length > 20, `${part}: a whole run has more than 20 lines`);
    }
  });

  it('is not written where it has no such part', () => {
    assert.throws(() => withSpeedPart('# Speed\n', 'rows', '| x |'), /has no part between "<!-- bench: rows -->"/);
  });
});
