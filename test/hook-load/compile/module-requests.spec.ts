import assert from 'node:assert/strict';
import { areModuleRequests, moduleRequestsIn } from '../../../src/hook-load/compile/module-requests';

describe('what a compiled module asks for', () => {
  it('is told by name and kind, with required names that are computed', () => {
    const code =
      'require("./a"); await jitiImport(\'b\'); _interopRequireWildcard(require(`c`)); require(name); load(x);';
    assert.deepEqual(moduleRequestsIn(code), [
      { async: false, specifier: './a' },
      { async: true, specifier: 'b' },
      { async: false, specifier: 'c' },
      { async: false },
    ]);
  });

  it('is not taken from a file that holds something else', () => {
    assert.equal(areModuleRequests(JSON.parse(JSON.stringify(moduleRequestsIn('require("a"); require(b)')))), true);
    for (const other of [{}, [1], [{ specifier: 'a' }], [{ async: true, specifier: 1 }]]) {
      assert.equal(areModuleRequests(other), false, JSON.stringify(other));
    }
  });
});
