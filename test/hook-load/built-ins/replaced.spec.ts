import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { RealHooks } from '../../support/real-hooks';
import { CALL, GATE, takeChanged } from './gate-and-members';

/** Ways to disarm {@link GATE}; each is undone, named with \`name\`, and the gate holds. */
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
