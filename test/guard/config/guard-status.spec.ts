import * as assert from 'node:assert';
import { statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findAgents } from '../../../src/guard/config/find-agents';
import { readGuarded, writeGuarded } from '../../../src/guard/config/guarded-agents';
import { guardStatus, type GuardStatus } from '../../../src/guard/config/guard-status';
import { versionTested } from '../../../src/guard/config/tested-version';
import { guardPlace } from '../../../src/guard/protocol/place';
import { EVENTS, GuardRig } from './guard-rig';

describe('state of a guard', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const status = (id: 'claude' | 'codex' | 'qwen' | 'opencode'): Promise<GuardStatus> => {
    const { machine, place } = rig;
    return guardStatus({ contract: { id, events: EVENTS }, place, machine, project: join(rig.root, 'repo') });
  };

  it('says whether the user or the system has our entries', async () => {
    assert.deepEqual((await status('claude')).configured, { type: 'no' });
    await rig.change('add', 'claude');
    const user = { type: 'yes', scope: 'user', file: join(rig.root, '.claude/settings.json') };
    assert.deepEqual((await status('claude')).configured, user);
    await rig.change('add', 'claude', { scope: 'system' });
    const file = join(rig.root, 'system/etc/claude-code/managed-settings.json');
    assert.deepEqual((await status('claude')).configured, { type: 'yes', scope: 'system', file });
  });

  it('says when the plugin of an agent was written, where it loads one', async () => {
    assert.equal((await status('opencode')).pluginSince, undefined);
    for (const id of ['opencode', 'claude'] as const) await rig.change('add', id);
    const { mtimeMs } = statSync(join(rig.root, '.config/opencode/plugin/hookline.js'));
    assert.equal((await status('opencode')).pluginSince, mtimeMs);
    assert.equal((await status('claude')).pluginSince, undefined);
  });

  it('says that entries call another client, or that one is missing', async () => {
    await rig.change('add', 'codex', { place: guardPlace('/older') });
    assert.equal((await status('codex')).configured.type, 'older');
    await rig.change('add', 'codex', { contract: { id: 'codex', events: EVENTS.slice(0, 1) } });
    assert.equal((await status('codex')).configured.type, 'older');
  });

  it('names a broken file and says what is wrong with it', async () => {
    const file = await rig.file('.codex/hooks.json', '{');
    const { configured } = await status('codex');
    assert.deepEqual(configured, {
      type: 'broken',
      scope: 'user',
      file,
      problem: `${file} cannot be read: Close brace expected at line 1, column 2`,
    });
  });

  it('says which files of the user and the project turn the hooks off, unless the system has them', async () => {
    await rig.change('add', 'codex');
    const files = await Promise.all(
      ['.codex/config.toml', 'repo/.codex/config.toml'].map(name => rig.file(name, '[features]\nhooks = false\n')),
    );
    assert.deepEqual(
      (await status('codex')).switchedOff.map(({ file, line }) => [file, line]),
      files.map(file => [file, 1]),
    );
    await rig.change('add', 'codex', { scope: 'system' });
    assert.deepEqual((await status('codex')).switchedOff, []);
  });

  it('says what turns off the hooks of the system, too', async () => {
    await rig.change('add', 'qwen', { scope: 'system' });
    await rig.file('repo/.qwen/settings.json', '{"disableAllHooks":true}');
    const file = await rig.file('repo/.qwen/.env', 'QWEN_CODE_SAFE_MODE=1\n');
    const atRoot = await rig.file('repo/.env', 'A=1\nQWEN_CODE_SIMPLE=1\n');
    assert.deepEqual(
      (await status('qwen')).switchedOff.map(each => [each.file, each.setting]),
      [
        [file, 'QWEN_CODE_SAFE_MODE'],
        [atRoot, 'QWEN_CODE_SIMPLE'],
      ],
    );
  });
});

describe('agents of the machine', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const find = (path: string): ReturnType<typeof findAgents> => {
    const contract = (id: 'claude' | 'copilot' | 'codex') => ({ id, package: `@x/${id}`, testedVersion: '1.2.3' });
    const machine = { ...rig.machine, env: { PATH: path } };
    return findAgents([contract('claude'), contract('copilot'), contract('codex')], machine);
  };

  it('are found by program and folder, with the version of the package or what the program says', async () => {
    const claude = await rig.file('lib/bin/claude', '#!/bin/sh\nexit 1\n');
    await rig.file('lib/package.json', '{"name":"@x/claude","version":"1.10.0"}');
    const codex = await rig.file(
      'lib/bin/codex',
      '#!/bin/sh\n[ "$HTTPS_PROXY" = http://127.0.0.1:9 ] && echo "codex 1.2.3"\n',
    );
    await Promise.all([claude, codex].map(file => chmod(file, 0o755)));
    await rig.file('.copilot/config.json', '{}');
    const folder = (id: string): string => join(rig.root, `.${id}`);
    assert.deepEqual(await find(`/none:${join(rig.root, 'lib/bin')}`), [
      { id: 'claude', program: claude, version: '1.10.0', tested: 'newer', folder: folder('claude'), hasFolder: false },
      { id: 'copilot', tested: 'unknown', folder: folder('copilot'), hasFolder: true },
      { id: 'codex', program: codex, version: '1.2.3', tested: 'tested', folder: folder('codex'), hasFolder: false },
    ]);
  });

  it('are none where there is neither', async () => {
    assert.deepEqual(await find(''), []);
  });

  it('may say the version of a pre-release, or none', async () => {
    const says = async (words: string): Promise<readonly unknown[]> => {
      const program = await rig.file('bin/codex', `#!/bin/sh\n${words}\n`);
      await chmod(program, 0o755);
      const [found] = await find(join(rig.root, 'bin'));
      return [found?.version, found?.tested];
    };
    assert.deepEqual(await says('echo "codex-cli 1.3.0-alpha.3 (linux)."'), ['1.3.0-alpha.3', 'newer']);
    assert.deepEqual(await says('echo "codex"'), [undefined, 'unknown']);
    assert.deepEqual(await says('echo "codex 1.2.3"; exit 3'), ['1.2.3', 'tested']);
  });

  it('are not looked for in folders of PATH that are relative to a project', async () => {
    await chmod(await rig.file('codex', '#!/bin/sh\ntouch ran\n'), 0o755);
    assert.deepEqual(await find('.:node_modules/.bin'), []);
  });

  it('have versions that are compared with the tested one as semantic versions', () => {
    const told = (tested: string | undefined, ...versions: readonly (string | undefined)[]): readonly string[] =>
      versions.map(version => versionTested(version, tested));
    assert.deepEqual(told('1.2.3', '1.2.4', '1.10.0', '1.2.4-beta.1', '2.0.0-rc'), Array(4).fill('newer'));
    assert.deepEqual(told('1.2.3', '1.2.3', 'v1.2.3', '1.2.3+build.7'), Array(3).fill('tested'));
    assert.deepEqual(told('1.2.3', '1.2.3-beta.2', '0.9.9', '1.2', 'nightly'), Array(4).fill('other'));
    assert.deepEqual(told('1.2.3-rc.2', '1.2.3-rc.1', '1.2.3-rc.2', '1.2.3-rc.10', '1.2.3'), [
      'other',
      'tested',
      'newer',
      'newer',
    ]);
    assert.deepEqual(told('1.2.3', undefined), ['unknown']);
    assert.deepEqual(told(undefined, undefined, '1.2.3'), ['untried', 'untried']);
  });
});

describe('guarded.json', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  it('keeps which agents are guarded, and members that it does not know', async () => {
    assert.deepEqual(await readGuarded(rig.place), {});
    await writeGuarded(rig.place, 'codex', { scope: 'user', gate: 'off' });
    await writeFile(rig.place.guarded, '{"tomorrow":{"a":1},"codex":{"scope":"user","gate":"ask","b":2}}');
    await writeGuarded(rig.place, 'claude', { scope: 'system', gate: 'edits' });
    assert.deepEqual(await readGuarded(rig.place), {
      claude: { scope: 'system', gate: 'edits' },
      codex: { scope: 'user', gate: 'ask', b: 2 },
    });
    await writeGuarded(rig.place, 'codex', undefined);
    assert.deepEqual(Object.keys(await readGuarded(rig.place)), ['claude']);
  });

  it('is refused with its name and the member that is wrong', async () => {
    await writeGuarded(rig.place, 'codex', { scope: 'user', gate: 'off' });
    await writeFile(rig.place.guarded, '{"codex":{"scope":"user","gate":"maybe"}}');
    await assert.rejects(readGuarded(rig.place), { message: /guarded\.json: codex: gate: / });
  });
});
