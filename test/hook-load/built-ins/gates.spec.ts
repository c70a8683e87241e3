import assert from 'node:assert/strict';
import { RealHooks } from '../../support/real-hooks';
import { TempFiles } from '../support/temp-files';
import { CALL, GATE, takeChanged } from './gate-and-members';

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
        hooks = new RealHooks({
          'gate.ts': `import register from ${JSON.stringify(elsewhere.path('register.cjs'))};\n${body}`,
        });
        await hooks.host.reload();
        isClosed();
      } finally {
        elsewhere.remove();
      }
    });
  }
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
