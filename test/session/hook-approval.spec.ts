import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { defineTool } from '../../src/agent/tools/tool';
import { Rig, until } from '../support/conversation-rig';

const GATE = `export default function (pi) {
  pi.on("tool_call", async e => (e.toolName === "bash" && e.input.command === "touch ran" ? { block: true, reason: "no" } : undefined));
}\n`;
const OPEN = 'export default () => {};\n';
const FORBIDDEN = { calls: [{ id: 'forbidden', name: 'bash', args: { command: 'touch ran' } }] };
const bash = (command: string) => ({ calls: [{ id: 'tampers', name: 'bash', args: { command } }] });
const write = (path: string, content: string) => ({
  calls: [{ id: 'tampers', name: 'write', args: { path, content } }],
});

describe('what the agent does to hooks', () => {
  let rig: Rig;
  const gate = (): string => join(rig.cwd, '.pi', 'hooks', 'gate.ts');
  const states = (): string[] =>
    rig.host.infos().map(({ state }) => (state.type === 'waiting' ? `${state.type} ${state.change}` : state.type));
  const ran = (): boolean => existsSync(join(rig.cwd, 'ran'));
  afterEach(() => rig.close());

  for (const [how, step, state] of [
    ['writes over its gate', write('.pi/hooks/gate.ts', OPEN), 'waiting changed'],
    ['overwrites its gate in a shell', bash(`echo 'export default () => {}' > .pi/hooks/gate.ts`), 'waiting changed'],
    ['removes its gate', bash('rm .pi/hooks/gate.ts'), 'waiting vanished'],
    ['renames the folder of its gate', bash('mv .pi/hooks .pi/other'), 'waiting vanished'],
  ] as const) {
    it(`does not count when it ${how}, in this run and the next, until a person approves`, async () => {
      rig = await Rig.open([step, FORBIDDEN, { text: 'done' }, FORBIDDEN, { text: 'done' }], {
        hooks: { 'gate.ts': GATE },
      });
      await rig.chat.submit('go');
      assert.equal(ran(), false);
      await rig.host.reload();
      assert.deepEqual(states(), [state]);
      await rig.chat.submit('again');
      await rig.host.reload();
      assert.deepEqual([ran(), ...states()], [false, state]);
      await rig.host.approve();
      assert.deepEqual(states(), state === 'waiting changed' ? ['live'] : []);
      assert.equal(rig.host.runner.hasHandlers('tool_call'), false);
    });
  }

  for (const [how, steps, state] of [
    ['writes over it', [write('.pi/hooks/gate.ts', OPEN)], 'waiting changed'],
    [
      'removes it and writes another',
      [bash('rm .pi/hooks/gate.ts'), { text: 'done' }, write('.pi/hooks/gate.ts', OPEN)],
      'waiting appeared',
    ],
  ] as const) {
    it(`does not count when it ${how} while the hook is off: it waits when the person turns it on`, async () => {
      const off = new Set<string>();
      rig = await Rig.open([...steps, { text: 'done' }], { hooks: { 'gate.ts': GATE }, off });
      off.add(gate());
      await rig.host.reload();
      assert.deepEqual(states(), ['off']);
      for (const step of [...steps, { text: 'done' }]) {
        if ('calls' in step) continue;
        await rig.chat.submit('go');
        await until(() => !rig.host.isGuarding || undefined, 'the call is over');
      }
      await rig.host.approve();
      assert.deepEqual(states(), ['off'], 'what is off does not show what waits, so nobody approved it');
      const { root } = rig;
      for (const start of ['same process', 'restart']) {
        if (start === 'restart') {
          off.add(gate());
          await rig.close(true);
          rig = await Rig.open([], { root, off });
          assert.deepEqual(states(), ['off']);
        }
        off.clear();
        await rig.host.reload();
        assert.deepEqual(states(), [state], start);
      }
      await rig.host.approve();
      assert.deepEqual(states(), ['live']);
    });
  }

  it('is not known of a hook that is off when the record is damaged: the hook waits when the person turns it on', async () => {
    const off = new Set<string>();
    rig = await Rig.open([], { hooks: { 'gate.ts': GATE }, off });
    off.add(gate());
    await rig.host.reload();
    const { root } = rig;
    await rig.close(true);
    const dir = join(root, 'state', 'approved-hooks');
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    for (const name of names) if (/record-\d+\.json$/.test(name)) writeFileSync(join(dir, name), '{');
    writeFileSync(gate(), OPEN);
    for (const start of ['first', 'second']) {
      rig = await Rig.open([], { root, off });
      assert.deepEqual(states(), ['off'], `${start} start`);
      if (start === 'first') await rig.close(true);
    }
    off.clear();
    await rig.host.reload();
    assert.deepEqual(states(), ['waiting unknown']);
  });

  it('does not count when it writes over a hook that was off from the beginning', async () => {
    const off = new Set<string>();
    rig = await Rig.open([write('.pi/hooks/gate.ts', OPEN), { text: 'done' }], { off });
    off.add(gate());
    mkdirSync(dirname(gate()), { recursive: true });
    writeFileSync(gate(), GATE);
    await rig.host.reload();
    assert.deepEqual(states(), ['off']);
    await rig.chat.submit('go');
    await until(() => !rig.host.isGuarding || undefined, 'the call is over');
    off.clear();
    await rig.host.reload();
    assert.deepEqual(states(), ['waiting appeared']);
    await rig.host.approve();
    assert.deepEqual(states(), ['live']);
  });

  it('does not count when it does so by way of what the gate imports', async () => {
    rig = await Rig.open([write('.pi/hooks/lib/rule.ts', 'export const rule = () => undefined;'), { text: 'done' }], {
      hooks: {
        'gate.ts': 'import { rule } from "./lib/rule.ts";\nexport default pi => { pi.on("tool_call", rule); };\n',
        'lib/rule.ts': 'export const rule = e => (e.toolName === "bash" ? { block: true } : undefined);\n',
      },
    });
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual(states(), ['waiting changed']);
  });

  it('runs no hook that it planted, and runs it when it is approved', async () => {
    rig = await Rig.open([write('.pi/hooks/gate.ts', GATE), { text: 'done' }]);
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual([states(), rig.host.runner.loaded.length], [['waiting appeared'], 0]);
    await rig.host.approve(gate());
    assert.deepEqual(states(), ['live']);
  });

  it('waits as a guard of tools where what it planted listens to tool_call in a file that it imports', async () => {
    const helper = 'export const guard = pi => pi.on("tool_call", () => ({ block: true }));\n';
    const planted = 'import { guard } from "./lib/guard.ts";\nexport default pi => guard(pi);\n';
    rig = await Rig.open([
      write('.pi/hooks/lib/guard.ts', helper),
      write('.pi/hooks/gate.ts', planted),
      { text: 'done' },
    ]);
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual(
      rig.host.infos().map(({ state }) => state),
      [{ type: 'waiting', change: 'appeared', gatesTools: true }],
    );
  });

  it('needs no approval when the person saved that text, and does when the tool wrote after that', async () => {
    rig = await Rig.open([bash('true'), { text: 'done' }], { hooks: { 'gate.ts': GATE } });
    await rig.chat.submit('go');
    writeFileSync(gate(), OPEN);
    rig.host.savedInEditor(gate());
    writeFileSync(gate(), `${OPEN}// more\n`);
    await rig.host.reload();
    assert.deepEqual(states(), ['waiting changed']);
    rig.host.savedInEditor(gate());
    await rig.host.reload();
    assert.deepEqual([...states(), rig.host.runner.hasHandlers('tool_call')], ['live', false]);
  });

  it('does not count when it writes back what the person once saved, after a newer version came by other ways', async () => {
    rig = await Rig.open([write('.pi/hooks/gate.ts', OPEN), FORBIDDEN, { text: 'done' }], {
      hooks: { 'gate.ts': OPEN },
    });
    rig.host.savedInEditor(gate());
    writeFileSync(gate(), GATE);
    await rig.host.reload();
    assert.deepEqual([...states(), rig.host.runner.hasHandlers('tool_call')], ['live', true]);
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual([ran(), ...states()], [false, 'waiting changed']);
  });

  it('is forgotten when it is undone, and leaves a broken hook as it is', async () => {
    rig = await Rig.open([bash('mv .pi/hooks/gate.ts kept'), { text: 'done' }], {
      hooks: { 'gate.ts': GATE, 'later.ts': 'export default () => {' },
    });
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual(states(), ['waiting vanished', 'failed']);
    renameSync(join(rig.cwd, 'kept'), gate());
    await rig.host.reload();
    assert.deepEqual(states(), ['live', 'failed']);
  });

  it('is all that waits: what a person does on disk before any tool ran counts at once', async () => {
    rig = await Rig.open([], { hooks: { 'gate.ts': GATE } });
    rmSync(gate());
    await rig.host.reload();
    assert.deepEqual(states(), []);
  });

  it('does not count either when a tool of the editor saves it there, as the person would', async () => {
    const parameters = Type.Object({});
    const tool = defineTool({
      name: 'edit_and_save',
      label: '',
      description: 'd',
      parameters,
      actsInEditor: true,
      execute() {
        writeFileSync(gate(), OPEN);
        rig.host.savedInEditor(gate());
        return Promise.resolve({ content: [], details: undefined });
      },
    });
    rig = await Rig.open([{ calls: [{ id: 'tampers', name: tool.name, args: {} }] }, FORBIDDEN, { text: 'done' }], {
      hooks: { 'gate.ts': GATE },
      optionalTools: () => [{ tool, byDefault: true }],
    });
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual([ran(), ...states()], [false, 'waiting changed']);
    rig.host.savedInEditor(gate());
    await rig.host.reload();
    assert.deepEqual(states(), ['live']);
  });

  const inSession = process.platform === 'linux' ? 'setsid ' : '';
  for (const [how, prefix] of [
    ['in the background', ''],
    ['in a session of its own', inSession],
    ['without the environment that it got', 'env -i PATH="$PATH" '],
  ] as const) {
    it(`does not count either when what it left running does it later, ${how}`, async function () {
      if (process.platform === 'win32') this.skip();
      const line = `until [ -e over ]; do sleep 0.05; done; echo 'export default () => {}' > .pi/hooks/gate.ts`;
      const script = [bash(`${prefix}sh -c "${line}" > /dev/null 2>&1 &`), { text: 'done' }];
      rig = await Rig.open([...script, FORBIDDEN, { text: 'done' }], { hooks: { 'gate.ts': GATE } });
      await rig.chat.submit('go');
      const { leftRunning } = await until(() => (rig.host.leftRunning === undefined ? undefined : rig.host), 'a look');
      assert.match(String(leftRunning), /^(?:\w+ \()?\d+/);
      writeFileSync(join(rig.cwd, 'over'), '');
      await until(() => readFileSync(gate(), 'utf8') !== GATE || undefined, 'it is done');
      await rig.host.reload();
      assert.deepEqual(states(), ['waiting changed']);
      await until(() => !rig.host.isGuarding || undefined, 'nothing runs any more');
      await rig.chat.submit('again');
      assert.deepEqual([ran(), ...states()], [false, 'waiting changed']);
    });
  }
});
