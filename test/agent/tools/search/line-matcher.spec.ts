import assert from 'node:assert/strict';
import { createGrepTool } from '../../../../src/agent/tools/search/grep';
import { LineMatcher } from '../../../../src/agent/tools/search/line-matcher';
import { RipgrepLocator } from '../../../../src/agent/tools/search/ripgrep';
import { call, inFolder } from '../fixture';

const none = new RipgrepLocator([], { platform: 'linux', env: {}, packaged: () => Promise.resolve(undefined) });

describe('a pattern that backtracks, without ripgrep', () => {
  const hostile = '(a+)+$';
  const line = `${'a'.repeat(25)}!`;

  it('leaves the calling thread free, and ends with the search', () =>
    inFolder({ f: line }, async folder => {
      const operations = { isDirectory: () => false, readFile: () => line };
      for (const grep of [
        createGrepTool(folder.path, { ripgrep: none }),
        createGrepTool(folder.path, { ripgrep: none, operations }),
      ]) {
        const controller = new AbortController();
        const running = call(grep, { pattern: hostile, path: 'f' }, { signal: controller.signal });
        setTimeout(() => controller.abort(), 20);
        await assert.rejects(running, { message: 'Operation aborted' });
      }
    }));

  it('is named when it takes longer than its limit', async () => {
    const matcher = new LineMatcher({ pattern: hostile, literal: false, ignoreCase: false }, 50);
    try {
      await assert.rejects(matcher.test(['a'.repeat(60) + '!'], undefined), {
        message: "The regular expression '(a+)+$' takes too long: it backtracks too much. Use a simpler one.",
      });
    } finally {
      matcher.dispose();
    }
  });
});
