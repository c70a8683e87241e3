import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractOf } from '../../../src/guard/agents';
import { filesOfGuard } from '../../../src/guard/config/agent-files';
import { agentsWatchedFiles } from '../../../src/guard/config/agents-watched-files';
import { guardStatus } from '../../../src/guard/config/guard-status';
import { isAgentConfig } from '../../../src/guard/config/is-agent-config';
import { GuardRig } from './guard-rig';
import { itOnPosix } from '../../support/platform';

const HOOKS = '.cursor/hooks.json';

describe('the guard of Cursor', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const configured = async (): Promise<unknown> => {
    const { machine, place } = rig;
    return (await guardStatus({ contract: contractOf('cursor'), place, machine })).configured;
  };
  const read = async (): Promise<unknown> => JSON.parse(await readFile(join(rig.root, HOOKS), 'utf8'));
  const request = { contract: contractOf('cursor') };

  it('is one entry for each event, which closes where an event gates, and goes again', async () => {
    await rig.change('add', 'cursor');
    const command = (event: string): string =>
      `/bin/bash -p '${rig.place.client.replaceAll("'", String.raw`'\''`)}' cursor ${event}`;
    assert.deepEqual(await read(), {
      version: 1,
      hooks: {
        PreToolUse: [{ command: command('PreToolUse'), timeout: 3600, failClosed: true }],
        Stop: [{ command: command('Stop'), timeout: 3600 }],
      },
    });
    await rig.change('remove', 'cursor');
    assert.deepEqual(await readdir(join(rig.root, '.cursor')), []);
  });

  it('gates calls, prompts and results, and tells of a call by one event', async () => {
    await rig.change('add', 'cursor', request);
    const { hooks } = (await read()) as { readonly hooks: Readonly<Record<string, readonly object[]>> };
    const closed = Object.keys(hooks).filter(event => hooks[event]?.some(entry => 'failClosed' in entry));
    assert.deepEqual(closed, ['beforeSubmitPrompt', 'preToolUse', 'postToolUse']);
    for (const event of ['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'afterFileEdit']) {
      assert.ok(!(event in hooks), `${event} would tell of a call again`);
    }
    assert.deepEqual(await configured(), { type: 'yes', scope: 'user', file: join(rig.root, HOOKS) });
  });

  it('leaves the hooks of others as they are', async () => {
    const text = '{\n  // mine\n  "version": 1,\n  "hooks": {"preToolUse": [{"command": "./audit.sh"}]}\n}\n';
    const file = await rig.file(HOOKS, text);
    assert.deepEqual(await configured(), { type: 'no' });
    await rig.change('add', 'cursor', request);
    assert.ok((await readFile(file, 'utf8')).includes('./audit.sh'));
    await rig.change('remove', 'cursor', request);
    assert.equal(await readFile(file, 'utf8'), text);
  });

  itOnPosix('can be written for the whole machine, in the place of each system', async () => {
    await rig.change('add', 'cursor', { ...request, scope: 'system' });
    const file = join(rig.root, 'system/etc/cursor/hooks.json');
    assert.deepEqual(await configured(), { type: 'yes', scope: 'system', file });
    const on = (platform: NodeJS.Platform): readonly string[] =>
      filesOfGuard('cursor', 'system', { ...rig.machine, platform, root: '/' }).map(each => each.file);
    assert.deepEqual(on('darwin'), ['/Library/Application Support/Cursor/hooks.json']);
    assert.deepEqual(on('win32'), ['/ProgramData/Cursor/hooks.json']);
  });

  itOnPosix('is kept by the files that a guarded agent must not change', () => {
    const { machine, place } = rig;
    const watched = agentsWatchedFiles({ stateDir: join(rig.root, 'state'), cwd: '/work', machine });
    assert.ok(watched.some(({ path }) => path === join(rig.root, HOOKS)));
    const places = { machine: { ...machine, root: '/' }, place };
    for (const path of [join(rig.root, HOOKS), '/work/.cursor/hooks.json', '/etc/cursor/hooks.json']) {
      assert.equal(isAgentConfig(path, places), true, path);
    }
    assert.equal(isAgentConfig('/work/.cursor/rules/a.mdc', places), false);
  });

  it('is said to be untried wherever it is added', async () => {
    const { cannotGuard } = await rig.plan('add', 'cursor');
    assert.match(cannotGuard.join('\n'), /not tried/);
  });
});
