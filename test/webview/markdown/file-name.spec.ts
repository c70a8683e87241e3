import assert from 'node:assert/strict';
import { pathOfInfo } from '../../../webview/markdown/file-name';

describe('the file that a fence names', () => {
  for (const [info, path] of [
    ['ts src/a.ts', 'src/a.ts'],
    ['ts title="src/a.ts"', 'src/a.ts'],
    ['js {file=lib/x.js}', 'lib/x.js'],
    ['src/a.ts', 'src/a.ts'],
    ['ts', undefined],
    ['', undefined],
    ['sh npm test', undefined],
  ] as const) {
    it(`is ${path ?? 'none'} for ${JSON.stringify(info)}`, () => {
      assert.equal(pathOfInfo(info), path);
    });
  }
});
