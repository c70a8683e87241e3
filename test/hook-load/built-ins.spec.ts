import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
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
