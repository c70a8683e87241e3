import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { InertScope } from '../../../src/hook-load/ownership/inert-scope';
import type { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { Loading } from '../../hook-load/support/loading';
import { TempFiles } from '../../hook-load/support/temp-files';

/** Ways to a real module or process that do not name it as hooks usually do; each gives `fs` or ends with its effect. */
const WAYS: Readonly<Record<string, string>> = {
  'globalThis.process': `globalThis.process.getBuiltinModule('fs')`,
  'global.process': `global.process.getBuiltinModule('fs')`,
  'a descriptor of the global object': `Object.getOwnPropertyDescriptor(globalThis, 'process').value.getBuiltinModule('fs')`,
  'globalThis of globalThis': `globalThis.globalThis.global.process.getBuiltinModule('fs')`,
  createRequire: `require('node:module').createRequire(__filename)('fs')`,
  'createRequire of the process': `process.getBuiltinModule('module').createRequire(__filename)('fs')`,
  'Module._load': `require('module')._load('fs')`,
  'Module.Module._load': `require('module').Module._load('fs')`,
  'a module of its own': `new (require('module'))('x').require('fs')`,
  'the class of its module': `module.constructor._load('fs')`,
  'the prototype of its module': `Object.getPrototypeOf(module).require.call(module, 'fs')`,
  'the main module': `(require.main ?? process.mainModule).require('fs')`,
  'a module in the cache': `Object.values(require.cache).find(each => each.require !== undefined).require('fs')`,
  'new Function': `new Function('return process')().getBuiltinModule('fs')`,
  'Function of globalThis': `globalThis.Function('return process')().getBuiltinModule('fs')`,
  vm: `require('node:vm').runInThisContext('process').getBuiltinModule('fs')`,
  'vm.Script': `new (require('vm').Script)('process').runInThisContext().getBuiltinModule('fs')`,
};

describe('a hook of a replay', () => {
  let loading: Sealed;
  afterEach(() => loading.end());

  class Sealed extends Loading {
    override scope(owner = 'h'): OwnershipScope {
      const scope = new InertScope({ owner, onDidThrow: error => assert.fail(String(error)) }, () => undefined);
      this.scopes.push(scope);
      return scope;
    }
  }

  for (const [name, way] of Object.entries(WAYS)) {
    it(`writes nothing by way of ${name}`, async () => {
      loading = new Sealed(
        new TempFiles({ 'h.ts': `export default path => { (${way}).writeFileSync(path, 'escaped'); };\n` }),
      );
      const path = loading.files.path('escaped');
      await assert.rejects(async () => loading.run('h.ts', path));
      assert.equal(existsSync(path), false);
    });
  }

  it('keeps what it writes into the global object to itself, and finds all that is there', async () => {
    loading = new Sealed(
      new TempFiles({
        'h.ts': `export default () => {
          globalThis.hooklineCount = (globalThis.hooklineCount ?? 0) + 1;
          Object.defineProperty(global, 'hooklineOther', { value: 2 });
          const both = [globalThis.hooklineCount, global.hooklineOther, 'hooklineCount' in globalThis];
          delete globalThis.hooklineCount;
          return [...both, globalThis === global, 'hooklineCount' in globalThis, typeof globalThis.crypto.randomUUID(),
            (() => {}) instanceof Function, globalThis.Array === Array, require('module').isBuiltin('fs')];
        };\n`,
      }),
    );
    assert.deepEqual(await loading.run('h.ts'), [1, 2, true, true, false, 'string', true, true, true]);
    assert.deepEqual(['hooklineCount' in globalThis, 'hooklineOther' in globalThis], [false, false]);
  });
});

describe('the global object of a hook at work', () => {
  let loading: Loading;
  afterEach(() => loading.end());

  it('shares what is written, opens what belongs to the load, and keeps what others put in its place', async () => {
    loading = new Loading(
      new TempFiles({
        'h.ts': `export default () => {
          globalThis.hooklineShared = 'seen';
          globalThis.setInterval(() => {}, 1_000);
          const real = globalThis.setImmediate;
          globalThis.setImmediate = () => 'mine';
          const replaced = globalThis.setImmediate();
          return [replaced, globalThis.hooklineShared, typeof Function('return 1')()];
        };\n`,
      }),
    );
    const before = globalThis.setImmediate;
    try {
      assert.deepEqual(await loading.run('h.ts'), ['mine', 'seen', 'number']);
      assert.equal(Reflect.get(globalThis, 'hooklineShared'), 'seen');
    } finally {
      globalThis.setImmediate = before;
      Reflect.deleteProperty(globalThis, 'hooklineShared');
    }
    assert.deepEqual(loading.scopes[0]?.size, 1, 'the interval');
  });
});
