import assert from 'node:assert/strict';
import { createGrepTool } from '../../src/agent/tools/search/grep';
import { RipgrepLocator } from '../../src/agent/tools/search/ripgrep';
import { call, inFolder, textOf } from '../agent/tools/fixture';

describe('grep without ripgrep in VS Code', () => {
  const none = new RipgrepLocator([], { platform: 'linux', env: {}, packaged: () => Promise.resolve(undefined) });

  it('finds lines, and leaves the extension host free while a pattern backtracks', () =>
    inFolder({ one: 'a\nb\n', hostile: `${'a'.repeat(40)}!` }, async folder => {
      const grep = createGrepTool(folder.path, { ripgrep: none });
      assert.match(textOf(await call(grep, { pattern: '^b$', path: 'one' })), /one:2: b/);
      const controller = new AbortController();
      const running = call(grep, { pattern: '(a+)+$', path: 'hostile' }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 20);
      await assert.rejects(running, { message: 'Operation aborted' });
    }));
});
