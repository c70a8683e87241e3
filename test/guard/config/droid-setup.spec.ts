import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolder } from '../../../src/guard/config/agent-files';
import { guardStatus } from '../../../src/guard/config/guard-status';
import { EVENTS, GuardRig } from './guard-rig';

const MINE = '{ "matcher": "Edit", "hooks": [{ "type": "command", "command": "echo mine" }] }';

describe('the guard of Factory Droid', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const system = (): string => join(rig.root, 'system', 'etc', 'factory', 'settings.json');
  const read = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;

  it('is a list for each event in hooks.json, beside the hooks of others, and goes again', async () => {
    const text = `{\n  "PreToolUse": [\n    ${MINE}\n  ],\n  "showHookOutput": false\n}\n`;
    const file = await rig.file('.factory/hooks.json', text);
    await rig.change('add', 'droid');
    const { PreToolUse, Stop, hooks } = await read(file);
    assert.deepEqual(
      [PreToolUse, Stop].map(groups => (groups as readonly unknown[]).length),
      [2, 1],
    );
    assert.equal(hooks, undefined);
    assert.equal(await rig.change('add', 'droid'), 0);
    await rig.change('remove', 'droid');
    assert.equal(await readFile(file, 'utf8'), text);
  });

  it('is refused by a hooks.json whose event is no list, which then stays as it is', async () => {
    const file = await rig.file('.factory/hooks.json', '{"Stop":1}');
    await assert.rejects(rig.plan('add', 'droid'), /hooks\.json cannot be changed: "Stop" is not a list/);
    assert.equal(await readFile(file, 'utf8'), '{"Stop":1}');
  });

  it('says in the file of the system that hooks are on, since a repository could turn them off', async () => {
    await rig.file('system/etc/factory/settings.json', '{"model":"x","hooks":{"showHookOutput":true}}');
    await rig.change('add', 'droid', { scope: 'system' });
    const { model, hooks } = await read(system());
    const { hooksDisabled, showHookOutput, PreToolUse } = hooks as Record<string, unknown>;
    assert.deepEqual([model, hooksDisabled, showHookOutput], ['x', false, true]);
    assert.ok(Array.isArray(PreToolUse));
  });

  it('leaves no file of the system that it made', async () => {
    await rig.change('add', 'droid', { scope: 'system' });
    await rig.change('remove', 'droid', { scope: 'system' });
    assert.ok(!existsSync(system()));
  });

  it('is refused, and not said to be there, where the file of the system turns hooks off', async () => {
    await rig.change('add', 'droid', { scope: 'system' });
    const off = (await readFile(system(), 'utf8')).replace('"hooksDisabled": false', '"hooksDisabled": true');
    await rig.file('system/etc/factory/settings.json', off);
    await assert.rejects(rig.plan('add', 'droid', { scope: 'system' }), /"hooks\.hooksDisabled" is true/);
    const { machine, place } = rig;
    const { configured } = await guardStatus({ contract: { id: 'droid', events: EVENTS }, machine, place });
    assert.equal(configured.type, 'broken');
  });

  it('is in the folder of another home where the variable names one', () => {
    const machine = { ...rig.machine, env: { FACTORY_HOME_OVERRIDE: '/other' } };
    assert.equal(agentFolder('droid', machine), join('/other', '.factory'));
    assert.equal(agentFolder('droid', rig.machine), join(rig.root, '.factory'));
  });
});
