import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { deferred, type Deferred } from '../../src/base/async/wait';
import type { HookLoaderOptions } from '../../src/hook-load/hook-loader';
import { RealHooks } from '../support/real-hooks';
import { Loading } from './support/loading';
import { TempFiles } from './support/temp-files';

const CALL = { type: 'tool_call', toolCallId: 'c1', toolName: 'bash', input: { command: 'rm -rf /' } } as const;

/** Written as people write gates: each leans on the language in its own way. */
const GATE = `export default function (pi) {
  const words = new Set(['rm', 'sudo']);
  pi.on('tool_call', async event => {
    const { command } = JSON.parse(JSON.stringify(event.input));
    const parts = command.split(' ').filter(part => part.length > 0);
    if (parts.some(part => words.has(part)) && /\\brm\\b/.test(command) && command.includes('rm')) {
      return { block: true, reason: 'no' };
    }
  });
}
`;

/** Ways to disarm that gate; each is undone, named with \`name\`, and the gate holds. */
const PATCHES: Readonly<Record<string, string>> = {
  'String.prototype.includes': 'String.prototype.includes = () => false;',
  'String.prototype.split': "String.prototype.split = function () { return ['echo']; };",
  'Array.prototype.some': 'Array.prototype.some = () => false;',
  'Array.prototype.filter':
    "Object.defineProperty(Array.prototype, 'filter', { value: () => [], configurable: true });",
  'Set.prototype.has': 'Object.assign(Set.prototype, { has: () => false });',
  'RegExp.prototype.test': 'RegExp.prototype.test = Boolean;',
  'RegExp.prototype.exec': 'RegExp.prototype.exec = () => null;',
  'JSON.parse': "const { parse } = JSON; JSON.parse = text => ({ ...parse(text), command: 'ls' });",
  'Reflect.apply': 'Reflect.apply = () => undefined;',
  'Object.entries': 'globalThis.Object.entries = () => [];',
  'Map.prototype.get': 'Map.prototype.get = () => undefined;',
  'Function.prototype.call': 'Function.prototype.call = () => undefined;',
  'Array.prototype.map': "Array.prototype.map = () => { throw new Error('broken'); };",
  Promise: 'globalThis.Promise = class {};',
  Math: 'delete globalThis.Math;',
  URL: 'delete globalThis.URL;',
};

/** What the patches above replace, and every global that one of them deletes. */
const originals = [
  ...[Object, Array, Promise, JSON, Reflect].map(holder => [holder, Object.getOwnPropertyDescriptors(holder)] as const),
  ...[Object, Function, Array, String, RegExp, Map, Set].map(
    ({ prototype }) => [prototype as object, Object.getOwnPropertyDescriptors(prototype)] as const,
  ),
  [globalThis, Object.getOwnPropertyDescriptors({ Math, URL, Promise })] as const,
].map(([holder, members]) => ({ holder, members }));

/** The members that are not as before; puts them back, so that a patch that is missed spoils one test only. */
function takeChanged(): readonly string[] {
  const changed: string[] = [];
  for (const { holder, members } of originals) {
    for (const key of Reflect.ownKeys(members)) {
      const value: unknown = (Reflect.get(members, key) as PropertyDescriptor).value;
      if (value === undefined || Object.getOwnPropertyDescriptor(holder, key)?.value === value) continue;
      Object.defineProperty(holder, key, { value, writable: true, configurable: true });
      changed.push(String(key));
    }
  }
  for (const key in Object.prototype) {
    Reflect.deleteProperty(Object.prototype, key);
    changed.push(key);
  }
  return changed;
}

describe('a hook that replaces functions of the language while it loads', () => {
  let hooks: RealHooks;
  const open = async (texts: Readonly<Record<string, string>>): Promise<void> => {
    hooks = new RealHooks(texts);
    await hooks.host.reload();
  };
  afterEach(async () => {
    const left = takeChanged();
    await hooks.end();
    assert.deepEqual(left, []);
  });
  const stateOf = (name: string) => hooks.host.infos().find(({ path }) => path === hooks.path(name))?.state;
  const problemOf = (name: string): string => {
    const state = stateOf(name);
    return state?.type === 'failed' || state?.type === 'stale' ? (state.problems[0]?.message ?? '') : '';
  };
  const isGuarded = async (): Promise<void> => {
    assert.equal(stateOf('gate.ts')?.type, 'live');
    assert.equal((await hooks.host.runner.emit(CALL, hooks.conversation)).block, true);
  };

  for (const [name, patch] of Object.entries(PATCHES)) {
    for (const [where, text] of [
      ['in its top-level code', `${patch}\nexport default () => {};\n`],
      ['in its top-level code after an await', `await null;\n${patch}\nexport default () => {};\n`],
      ['in its factory', `export default () => { ${patch} };\n`],
    ] as const) {
      it(`${name}, ${where}: does not run and is named, and the gate of another hook works`, async () => {
        await open({ 'a-patch.ts': text, 'gate.ts': GATE });
        assert.equal(stateOf('a-patch.ts')?.type, 'failed');
        assert.match(problemOf('a-patch.ts'), /^Failed to load hook: it replaces .*That was undone\.$/);
        assert.ok(problemOf('a-patch.ts').includes(name), problemOf('a-patch.ts'));
        await isGuarded();
      });
    }
  }

  for (const [where, text] of [
    ['its top-level code', 'Object.prototype.get = 1;\nexport default () => {};\n'],
    [
      'its top-level code, and a function',
      'Object.prototype.get = 1; Array.prototype.map = Boolean;\nexport default () => {};\n',
    ],
    ['its factory', 'export default () => { Object.prototype.get = 1; };\n'],
  ] as const) {
    it(`adds a member to all objects in ${where}: does not run and is named, and the gate of another hook works`, async () => {
      await open({ 'a-patch.ts': text, 'gate.ts': GATE });
      assert.match(
        problemOf('a-patch.ts'),
        /it .*adds Object\.prototype\.get, which every object then has\. That was undone\.$/,
      );
      assert.equal(problemOf('a-patch.ts').includes('Array.prototype.map'), text.includes('map'));
      await isGuarded();
    });
  }

  it('closes the gate that it would be', async () => {
    await open({ 'gate.ts': `Array.prototype.map = Boolean;\n${GATE}` });
    const state = stateOf('gate.ts');
    assert.ok(state?.type === 'failed' && state.gatesTools);
    assert.match(hooks.host.missingGate() ?? '', /gate\.ts/);
  });

  for (const [where, text] of [
    ['top-level code', `Array.prototype.map = Boolean;\n${GATE}`],
    ['factory', GATE.replace('{\n', '{\n  Array.prototype.map = Boolean;\n')],
  ] as const) {
    it(`in the ${where} of a saved version: the last good version goes on`, async () => {
      await open({ 'gate.ts': GATE });
      writeFileSync(hooks.path('gate.ts'), text);
      await hooks.host.reload();
      assert.equal(stateOf('gate.ts')?.type, 'stale');
      assert.match(problemOf('gate.ts'), /it replaces Array\.prototype\.map,/);
      assert.equal((await hooks.host.runner.emit(CALL, hooks.conversation)).block, true);
    });
  }

  it('is the one that is named while others wait in their top-level code', async () => {
    const waits = "await new Promise(resolve => setTimeout(resolve, 20));\nconst words = 'Array.prototype.map';\n";
    await open({
      'a-waits.ts': `${waits}${GATE}`,
      'b-patch.ts': `${waits}Array.prototype.map = Boolean;\nexport default () => {};\n`,
      'gate.ts': `${waits}${GATE}`,
    });
    assert.deepEqual(
      ['a-waits.ts', 'b-patch.ts'].map(name => stateOf(name)?.type),
      ['live', 'failed'],
    );
    await isGuarded();
  });

  it('by a package that it imports: is named', async () => {
    await open({
      'node_modules/patcher/package.json': '{ "name": "patcher", "main": "index.js" }',
      'node_modules/patcher/index.js': 'Array.prototype.map = () => [];\n',
      'a-patch.ts': "import 'patcher';\nexport default () => {};\n",
      'gate.ts': GATE,
    });
    assert.match(problemOf('a-patch.ts'), /it replaces Array\.prototype\.map,/);
    await isGuarded();
  });

  it('by a file that two hooks import: both are named', async () => {
    const text = "import './parts/patch';\nexport default () => {};\n";
    await open({
      'parts/patch.ts': 'Array.prototype.map = () => [];\n',
      'a-one.ts': text,
      'a-two.ts': text,
      'gate.ts': GATE,
    });
    for (const name of ['a-one.ts', 'a-two.ts']) assert.match(problemOf(name), /it replaces Array\.prototype\.map,/);
    await isGuarded();
  });

  it('is not named for new methods', async () => {
    await open({
      'polyfill.ts': `Object.defineProperty(String.prototype, 'shoutForTest', { value() { return this + '!'; }, configurable: true });
export default pi => { pi.on('agent_start', () => { globalThis.shouted = 'a'.shoutForTest(); }); };
`,
    });
    await hooks.host.runner.emit({ type: 'agent_start' }, hooks.conversation);
    assert.equal(Reflect.get(globalThis, 'shouted'), 'a!');
    Reflect.deleteProperty(globalThis, 'shouted');
    Reflect.deleteProperty(String.prototype, 'shoutForTest');
    assert.equal(stateOf('polyfill.ts')?.type, 'live');
    assert.deepEqual(hooks.errors, []);
  });

  it('is not named for a global that hooks may have of their own', async () => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'structuredClone') ?? {};
    const text = 'globalThis.structuredClone = value => value;\nexport default () => {};\n';
    try {
      await open({ 'clone.ts': text, 'gate.ts': GATE });
      assert.equal(stateOf('clone.ts')?.type, 'live');
      const value = {};
      assert.equal(structuredClone(value), value);
    } finally {
      Object.defineProperty(globalThis, 'structuredClone', original);
    }
  });

  it('leaves alone what other code replaced before, such as another extension', async () => {
    const original = Object.getOwnPropertyDescriptor(Array.prototype, 'toReversed') ?? {};
    const other = function (this: unknown[]): unknown[] {
      return [...this].reverse();
    };
    Object.defineProperty(Array.prototype, 'toReversed', { ...original, value: other });
    try {
      await open({ 'gate.ts': GATE });
      await isGuarded();
      assert.equal(Object.getOwnPropertyDescriptor(Array.prototype, 'toReversed')?.value, other);
      assert.deepEqual(hooks.errors, []);
    } finally {
      Object.defineProperty(Array.prototype, 'toReversed', original);
    }
  });
});

describe('a gate that registers its handler elsewhere, and replaces a function of the language', () => {
  const helper = "module.exports = pi => { pi.on('tool_call', () => ({ block: true })); };\n";
  let hooks: RealHooks;
  afterEach(async () => {
    const left = takeChanged();
    await hooks.end();
    assert.deepEqual(left, []);
  });
  const isClosed = (): void => {
    const state = hooks.host.infos()[0]?.state;
    assert.ok(state?.type === 'failed' && state.gatesTools, JSON.stringify(state));
    assert.match(state.problems[0]?.message ?? '', /it replaces Array\.prototype\.map,/);
    assert.match(hooks.host.missingGate() ?? '', /gate\.ts/);
  };

  for (const [where, body] of [
    [
      'top-level code',
      "Array.prototype.map = Boolean;\nexport default pi => { register(pi); pi.on('agent_start', () => {}); };\n",
    ],
    [
      'factory',
      "export default pi => { register(pi); pi.on('agent_start', () => {}); Array.prototype.map = Boolean; };\n",
    ],
  ] as const) {
    it(`in its ${where}, with the handler in a package: closes the tools`, async () => {
      hooks = new RealHooks({
        'node_modules/guards/package.json': '{ "name": "guards", "main": "index.js" }',
        'node_modules/guards/index.js': helper,
        'gate.ts': `import register from 'guards';\n${body}`,
      });
      await hooks.host.reload();
      isClosed();
    });

    it(`in its ${where}, with the handler in a file that it imports by an absolute path: closes the tools`, async () => {
      const elsewhere = new TempFiles({ 'register.cjs': helper });
      try {
        hooks = new RealHooks({ 'gate.ts': `import register from '${elsewhere.path('register.cjs')}';\n${body}` });
        await hooks.host.reload();
        isClosed();
      } finally {
        elsewhere.remove();
      }
    });
  }
});

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

describe('a hook that deletes a global', () => {
  let hooks: RealHooks;
  afterEach(() => hooks.end());
  const names = ['Math', 'URL'];
  const deletes = (event: string): string =>
    `export default pi => { pi.on('${event}', () => { delete globalThis.Math; delete globalThis.URL; }); };\n`;
  const isNamed = (): void =>
    assert.deepEqual(
      hooks.errors.filter(({ event }) => event === 'built-ins').map(({ hookPath, message }) => [hookPath, message]),
      names.map(name => [
        hooks.path('a-deletes.ts'),
        `replaces ${name}, which other hooks and their verdicts rely on. That was undone.`,
      ]),
    );

  it('in a handler before a call: the global is restored, the hook is named, and the gate of another hook works', async () => {
    hooks = new RealHooks({ 'a-deletes.ts': deletes('agent_start'), 'gate.ts': GATE });
    await hooks.host.reload();
    await hooks.host.runner.emit({ type: 'agent_start' }, hooks.conversation);
    assert.equal((await hooks.host.runner.emit(CALL, hooks.conversation)).block, true);
    isNamed();
  });

  it('in a gate: the call is blocked, and the hook is named', async () => {
    hooks = new RealHooks({ 'a-deletes.ts': deletes('tool_call') });
    await hooks.host.reload();
    const answer = await hooks.host.runner.emit(CALL, hooks.conversation);
    assert.match(answer.block ? answer.reason : '', /replaces Math,/);
    isNamed();
  });
});
