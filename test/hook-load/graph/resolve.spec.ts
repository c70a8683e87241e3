import assert from 'node:assert/strict';
import { isOwnFile } from '../../../src/hook-load/graph/resolve';

describe('the files of a hook', () => {
  for (const folder of ['/w', '/w/first\nsecond', '/w/end\n', '/w/\u2028']) {
    it(`are those outside of packages, in the folder ${JSON.stringify(folder)}`, () => {
      const hook = `${folder}/.pi/hooks/h.ts`;
      assert.equal(isOwnFile(`${folder}/.pi/hooks/lib/x.ts`, hook), true);
      assert.equal(isOwnFile(`${folder}/node_modules/name/index.js`, hook), false);
      assert.equal(isOwnFile(`${folder}/node_modules/@scope/name/index.js`, hook), false);
      const ofPackage = `${folder}/node_modules/name/hooks/h.ts`;
      assert.equal(isOwnFile(`${folder}/node_modules/name/lib/x.ts`, ofPackage), true);
      assert.equal(isOwnFile(`${folder}/node_modules/name/node_modules/other/x.js`, ofPackage), false);
    });
  }
});
