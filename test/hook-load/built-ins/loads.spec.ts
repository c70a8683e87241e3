import assert from 'node:assert/strict';
import { deferred, type Deferred } from '../../../src/base/async/wait';
import type { HookLoaderOptions } from '../../../src/hook-load/hook-loader';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { takeChanged } from './gate-and-members';

describe('loads whose waits overlap', () => {
  let loading: Loading;
  /** Of another session, such as one that a hook began. */
  let other: Loading;
  let turns: { readonly patched: Deferred<void>; readonly goOn: Deferred<void>; readonly end: Deferred<void> };
  const open = (texts: Readonly<Record<string, string>>, options: Partial<HookLoaderOptions> = {}): void => {
    turns = { patched: deferred(), goOn: deferred(), end: deferred() };
    loading = new Loading(new TempFiles(texts), options);
    other = new Loading(new TempFiles(texts), options);
    Reflect.set(globalThis, 'turns', { begun: 0, ...turns });
  };
  afterEach(async () => {
    const left = takeChanged();
    Reflect.deleteProperty(globalThis, 'turns');
    await loading.end();
    await other.end();
    assert.deepEqual(left, []);
  });
  const load = async (by: Loading, name: string): Promise<string> => {
    const loaded = await by.loader.load({ path: by.files.path(name), group: 'hooks' }, by.scope());
    return loaded.ok ? 'live' : (loaded.problems[0]?.message ?? '');
  };
  const PAUSE = 'await new Promise(resolve => setTimeout(resolve, 5));\n';
  /** Replaces a function after it waited, by one that works, because other code uses it meanwhile; and waits again. */
  const PATCHES_BETWEEN = `${PAUSE}await turns.goOn.promise;
const { map } = Array.prototype;
Array.prototype.map = function (...all) { return map.apply(this, all); };
setTimeout(() => turns.patched.resolve(), 0);
await turns.end.promise;
export default () => {};
`;

  it('each waits until the others have begun: all run', async () => {
    const text =
      'turns.begun++;\nif (turns.begun === 3) turns.goOn.resolve();\nawait turns.goOn.promise;\nexport default () => {};\n';
    open({ 'a.ts': text, 'b.ts': text, 'c.ts': text }, { loadTimeoutMs: 5000 });
    const states = await Promise.all(['a.ts', 'b.ts', 'c.ts'].map(name => load(loading, name)));
    assert.deepEqual(states, ['live', 'live', 'live']);
  });

  it('two never end, and a third begins after them: it runs at once', async () => {
    const hangs = 'turns.begun++;\nawait new Promise(() => {});\n';
    open({ 'a.ts': hangs, 'b.ts': hangs, 'c.ts': 'export default () => {};\n' }, { loadTimeoutMs: 1000 });
    const ended: string[] = [];
    const states = ['a.ts', 'b.ts', 'c.ts'].map(async name => {
      const state = await load(loading, name);
      ended.push(name);
      return state;
    });
    assert.equal(await states[2], 'live');
    assert.deepEqual(ended, ['c.ts']);
    assert.equal(Reflect.get(Reflect.get(globalThis, 'turns') as object, 'begun'), 2);
    for (const state of await Promise.all(states.slice(0, 2))) assert.match(state, /did not finish within 1000 ms/);
  });

  it('a load of another session begins after one replaced a function: that one is named, and the function is put back', async () => {
    open({ 'patch.ts': PATCHES_BETWEEN, 'good.ts': 'export default () => {};\n' });
    turns.goOn.resolve();
    const patching = load(loading, 'patch.ts');
    await turns.patched.promise;
    assert.equal(await load(other, 'good.ts'), 'live');
    assert.deepEqual(takeChanged(), []);
    turns.end.resolve();
    assert.match(await patching, /^Failed to load hook: it replaces Array\.prototype\.map, .*That was undone\.$/);
  });

  it('one ends after another replaced a function: the message names both, and the function is put back', async () => {
    open({
      'patch.ts': PATCHES_BETWEEN,
      'good.ts': `turns.goOn.resolve();\nawait turns.patched.promise;\nexport default () => {};\n`,
    });
    const patching = load(loading, 'patch.ts');
    const message = await load(other, 'good.ts');
    assert.ok(
      message.startsWith(
        `Failed to load hook: it, or ${loading.files.path('patch.ts')}, which loaded at the same time, replaces Array.prototype.map,`,
      ),
      message,
    );
    assert.deepEqual(takeChanged(), []);
    turns.end.resolve();
    assert.equal(await patching, 'live');
  });
});

describe('a hook that loads', () => {
  let loading: Loading;
  const load = async (text: string): Promise<string> => {
    loading = new Loading(new TempFiles({ 'hook.ts': text }));
    const path = loading.files.path('hook.ts');
    const loaded = await loading.loader.load({ path, group: 'hooks' }, loading.scope());
    return loaded.ok ? 'live' : (loaded.problems[0]?.message ?? '');
  };
  const GOOD = 'await null;\nexport default () => {};\n';
  /** Other code replaces a member, or deletes it if there is none in its place; `then` follows before it is as before. */
  const without = async (
    holder: object,
    key: string,
    inPlace: PropertyDescriptor | undefined,
    then: () => Promise<void>,
  ) => {
    const original = Object.getOwnPropertyDescriptor(holder, key);
    Reflect.deleteProperty(holder, key);
    if (inPlace !== undefined) Object.defineProperty(holder, key, inPlace);
    try {
      await then();
    } finally {
      Reflect.deleteProperty(holder, key);
      if (original !== undefined) Object.defineProperty(holder, key, original);
    }
  };
  afterEach(async () => {
    const left = takeChanged();
    await loading.end();
    assert.deepEqual(left, []);
  });

  for (const [name, holder, key] of [
    ['a method', String.prototype, 'at'],
    ['a global that it may replace', globalThis, 'fetch'],
    ['another global', globalThis, 'WeakSet'],
  ] as const) {
    it(`is not named for ${name} that a handler deleted before`, async () => {
      await load(GOOD); // The members are known.
      await loading.end();
      await without(holder, key, undefined, async () => {
        assert.equal(await load(GOOD), 'live');
      });
      await loading.end();
      assert.match(
        await load(`delete ${key === 'at' ? 'String.prototype' : 'globalThis'}.${key};\n${GOOD}`),
        /it replaces /,
      );
    });
  }

  it('runs after a handler gave all objects a member that cannot be read', async () => {
    const get = (): never => {
      throw new Error('not readable');
    };
    await without(Object.prototype, 'unreadable', { get, enumerable: true, configurable: true }, async () => {
      assert.equal(await load(GOOD), 'live');
    });
  });

  it('is named for a function in whose place it puts a getter that throws', async () => {
    const text =
      "Object.defineProperty(Array.prototype, 'map', { get() { throw new Error('no'); }, configurable: true });\n";
    assert.match(await load(text + GOOD), /it replaces Array\.prototype\.map, .*That was undone\.$/);
  });

  it('is named once for what cannot be undone', async () => {
    const original = WeakSet;
    const text =
      "Object.defineProperty(globalThis, 'WeakSet', { value: class {}, writable: true, configurable: false });\n";
    const message = await load(text + GOOD);
    assert.notEqual(WeakSet, original);
    Reflect.set(globalThis, 'WeakSet', original);
    assert.match(message, /it replaces WeakSet, which .*That cannot be undone: restart without it\.$/);
  });
});

describe('code that replaces a function of the language and does not finish in time', () => {
  it('is named for the function, which is put back', async () => {
    const text = 'await null;\nArray.prototype.map = Boolean;\nawait new Promise(() => {});\n';
    const loading = new Loading(new TempFiles({ 'slow.ts': text }), { loadTimeoutMs: 20 });
    const path = loading.files.path('slow.ts');
    const loaded = await loading.loader.load({ path, group: 'hooks' }, loading.scope());
    const left = takeChanged();
    assert.match(loaded.ok ? '' : (loaded.problems[0]?.message ?? ''), /it replaces Array\.prototype\.map,/);
    await loading.end();
    assert.deepEqual(left, []);
  });
});
