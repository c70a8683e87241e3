import assert from 'node:assert/strict';
import { areAsks, asksIn } from '../../../src/hooks/load/asks';

describe('what a compiled module asks for', () => {
  it('is told by name and kind, with required names that are computed', () => {
    const code =
      'require("./a"); await jitiImport(\'b\'); _interopRequireWildcard(require(`c`)); require(name); load(x);';
    assert.deepEqual(asksIn(code), [
      { async: false, specifier: './a' },
      { async: true, specifier: 'b' },
      { async: false, specifier: 'c' },
      { async: false },
    ]);
  });

  it('is not taken from a file that holds something else', () => {
    assert.equal(areAsks(JSON.parse(JSON.stringify(asksIn('require("a"); require(b)')))), true);
    for (const other of [{}, [1], [{ specifier: 'a' }], [{ async: true, specifier: 1 }]]) {
      assert.equal(areAsks(other), false, JSON.stringify(other));
    }
  });
});
