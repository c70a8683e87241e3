import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractOf } from '../../../src/guard/agents';
import { filesOfGuard } from '../../../src/guard/config/agent-files';
import { guardEntries } from '../../../src/guard/config/guard-entries';
import { guardStatus } from '../../../src/guard/config/guard-status';
import { GuardRig } from './guard-rig';

const contract = contractOf('cline');

describe('the guard of Cline', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const hooks = (): string => join(rig.root, '.cline', 'hooks');
  const configured = async (): Promise<string> => {
    const { machine, place } = rig;
    return (await guardStatus({ contract, machine, place })).configured.type;
  };

  it('is a script for each event, which the agent can start, and goes again', async () => {
    await rig.change('add', 'cline', { contract });
    assert.deepEqual(readdirSync(hooks()).sort(), contract.events.map(({ name }) => `${name}.bash`).sort());
    const text = await readFile(join(hooks(), 'PreToolUse.bash'), 'utf8');
    const client = rig.place.client.replaceAll("'", String.raw`'\''`);
    assert.match(text, /^#!\/bin\/bash -p\n# Written by "hookline guard add"/);
    assert.ok(text.endsWith(`\nexec /bin/bash -p '${client}' cline PreToolUse\n`), text);
    if (process.platform !== 'win32') assert.equal(statSync(join(hooks(), 'PreToolUse.bash')).mode & 0o777, 0o700);
    assert.equal(await configured(), 'yes');
    assert.equal(await rig.change('add', 'cline', { contract }), 0);
    await rig.change('remove', 'cline', { contract });
    assert.deepEqual(readdirSync(hooks()), []);
    assert.equal(await configured(), 'no');
  });

  it('is not all there without one of its scripts, or where one cannot be started', async () => {
    await rig.change('add', 'cline', { contract });
    const file = await rig.file('.cline/hooks/PostToolUse.bash', `# Written by "hookline guard add"\nexit\n`);
    assert.equal(await configured(), 'older');
    await rig.change('add', 'cline', { contract });
    assert.equal(await configured(), 'yes');
    await chmod(file, 0o600);
    if (process.platform !== 'win32') assert.equal(await configured(), 'older');
  });

  it('never replaces or removes a script of somebody else, and names it', async () => {
    const mine = await rig.file('.cline/hooks/PreToolUse.bash', 'echo mine\n');
    await assert.rejects(
      rig.plan('add', 'cline', { contract }),
      /PreToolUse\.bash cannot be changed: it is not a file of Hookline/,
    );
    await rig.change('remove', 'cline', { contract });
    assert.equal(await readFile(mine, 'utf8'), 'echo mine\n');
  });

  it('has no scope of the system', async () => {
    await assert.rejects(
      rig.plan('add', 'cline', { contract, scope: 'system' }),
      /Cline has no configuration of the system/,
    );
    assert.ok(!existsSync(rig.machine.root));
  });

  it('is a module on Windows, which loads the client into the process that Cline starts', () => {
    const machine = { ...rig.machine, platform: 'win32' } as const;
    const place = { client: 'c.sh', nodeClient: String.raw`C:\Users\A B\guard\client.mjs` };
    const entries = guardEntries(contract, place, machine);
    const [first] = filesOfGuard('cline', 'user', machine);
    assert.match(first?.file ?? '', /TaskStart\.mjs$/);
    assert.deepEqual(first?.format.add('', entries.slice(0, 1)).split('\n').slice(1), [
      'process.argv.splice(2, Infinity, "cline", "TaskStart");',
      'await import("file:///C:/Users/A%20B/guard/client.mjs");',
      '',
    ]);
  });
});
