import * as assert from 'node:assert';
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { applyPlan, ChangedSinceError } from '../../../src/guard/config/apply-plan';
import { guardPlace } from '../../../src/guard/protocol/place';
import { EVENTS, GuardRig } from './guard-rig';

const SETTINGS = '.claude/settings.json';
const OTHERS = '{"hooks":[{"type":"command","command":"echo mine"}]}';

const TEXTS = {
  'an empty object': '{}\n',
  'an object in one line': `{"model":"opus","hooks":{"PreToolUse":[${OTHERS}]}}`,
  'hooks of others in lines of their own': `{\n  "hooks": {\n    "PreToolUse": [\n      ${OTHERS}\n    ]\n  },\n  "model": "opus"\n}\n`,
  'comments, tabs and a trailing comma': `{\n\t// mine\n\t"model": "opus", // best\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t${OTHERS}, // last\n\t\t], /* end */\n\t}, // all\n}\n`,
  'carriage returns': '{\r\n  "model": "opus"\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  'no line end at its end': '{\n    "model": "opus"\n}',
};

describe('guard of an agent', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const commandOf = (agent: string, event: string): string =>
    `/bin/bash -p '${rig.place.client.replaceAll("'", String.raw`'\''`)}' ${agent} ${event}`;

  it('is not added without bash, which agents start the client with, but is taken out', async () => {
    const machine = { ...rig.machine, exists: () => false };
    await assert.rejects(rig.change('add', 'codex', { machine }), /^Error: bash was not found, .* Install bash\.$/);
    assert.deepEqual(await readdir(rig.root), []);
    await rig.change('add', 'codex');
    assert.equal(await rig.change('remove', 'codex', { machine }), 1);
  });

  it('is written to new files of Claude Code, Copilot and Codex, which go again with it', async () => {
    for (const agent of ['claude', 'copilot', 'codex'] as const) await rig.change('add', agent);
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(rig.root, name), 'utf8'));
    const handler = (agent: string, event: string): object => ({
      type: 'command',
      command: commandOf(agent, event),
      timeout: 3600,
    });
    assert.deepEqual(await read(SETTINGS), {
      hooks: {
        PreToolUse: [{ hooks: [{ ...handler('claude', 'PreToolUse'), onFailure: 'block' }] }],
        Stop: [{ hooks: [handler('claude', 'Stop')] }],
      },
    });
    const copilot = (event: string): object => ({
      type: 'command',
      bash: commandOf('copilot', event),
      timeoutSec: 3600,
    });
    assert.deepEqual(await read('.copilot/hooks/hookline.json'), {
      version: 1,
      hooks: { PreToolUse: [copilot('PreToolUse')], Stop: [copilot('Stop')] },
    });
    assert.deepEqual(await read('.codex/hooks.json'), {
      hooks: {
        PreToolUse: [{ hooks: [handler('codex', 'PreToolUse')] }],
        Stop: [{ hooks: [handler('codex', 'Stop')] }],
      },
    });
    for (const agent of ['claude', 'copilot', 'codex'] as const) await rig.change('remove', agent);
    const left = ['.claude', '.copilot/hooks', '.codex'].map(folder => readdir(join(rig.root, folder)));
    assert.deepEqual((await Promise.all(left)).flat(), []);
  });

  it('of Gemini CLI gives its hour in milliseconds, and a folder for its home has its settings below', async () => {
    const home = join(rig.root, 'other');
    const machine = { ...rig.machine, env: { GEMINI_CLI_HOME: home } };
    const { changes } = await rig.plan('add', 'gemini', {
      machine,
      contract: { id: 'gemini', events: EVENTS.slice(0, 1) },
    });
    assert.deepEqual(
      changes.map(({ file, after }) => [file, JSON.parse(after ?? '') as unknown]),
      [
        [
          join(home, '.gemini', 'settings.json'),
          {
            hooks: {
              PreToolUse: [
                {
                  hooks: [
                    {
                      type: 'command',
                      name: 'hookline',
                      command: commandOf('gemini', 'PreToolUse'),
                      timeout: 3_600_000,
                    },
                  ],
                },
              ],
            },
          },
        ],
      ],
    );
    await assert.rejects(
      rig.plan('add', 'gemini', { scope: 'system' }),
      /Gemini CLI has no configuration of the system/,
    );
  });

  it('asks Qwen Code for the minute that it gives', async () => {
    const { changes } = await rig.plan('add', 'qwen');
    assert.match(changes[0]?.after ?? '', /"timeout": 60\b/);
    assert.doesNotMatch(changes[0]?.after ?? '', /"timeout": (?!60\b)/);
  });

  it('asks an agent for an hour, and Codex for no more than it gives', async () => {
    const ends = [...EVENTS, { name: 'SessionEnd', gates: false }];
    for (const agent of ['claude', 'copilot', 'codex'] as const) {
      const { changes } = await rig.plan('add', agent, { contract: { id: agent, events: ends } });
      const times = [...(changes[0]?.after ?? '').matchAll(/"timeout(?:Sec)?": (\d+)/g)].map(([, time]) =>
        Number(time),
      );
      assert.deepEqual(times, [3600, 3600, agent === 'codex' ? 3 : 3600]);
    }
  });

  it('changes nothing when it is there already, or not there', async () => {
    assert.equal(await rig.change('remove', 'claude'), 0);
    await rig.change('add', 'claude');
    assert.equal(await rig.change('add', 'claude'), 0);
  });

  for (const [what, text] of Object.entries(TEXTS)) {
    it(`leaves a file with ${what} byte for byte as it was, with its backup and without`, async () => {
      const file = await rig.file(SETTINGS, text);
      for (const withBackup of [true, false]) {
        await rig.change('add', 'claude');
        const added = await readFile(file, 'utf8');
        assert.equal(added.split(rig.place.client.replaceAll("'", String.raw`'\\''`)).length, 3);
        if (!withBackup) {
          // Something else changed since, so that the backup does not say what the file has to hold.
          await writeFile(`${file}.before-hookline`, '{"other":true}');
        }
        await rig.change('remove', 'claude');
        assert.equal(await readFile(file, 'utf8'), text);
      }
    });
  }

  it('keeps what a person changed since, and the hooks of others', async () => {
    const file = await rig.file(SETTINGS, TEXTS['hooks of others in lines of their own']);
    await rig.change('add', 'claude');
    await writeFile(file, (await readFile(file, 'utf8')).replace('opus', 'sonnet'));
    await rig.change('remove', 'claude');
    assert.equal(
      await readFile(file, 'utf8'),
      TEXTS['hooks of others in lines of their own'].replace('opus', 'sonnet'),
    );
  });

  it('takes our handler out of a group that was given one of others', async () => {
    const file = await rig.file(SETTINGS, '{}');
    await rig.change('add', 'claude');
    const settings = JSON.parse(await readFile(file, 'utf8')) as { hooks: { Stop: { hooks: object[] }[] } };
    settings.hooks.Stop[0]?.hooks.unshift({ type: 'command', command: 'true' });
    await writeFile(file, JSON.stringify(settings));
    await rig.change('remove', 'claude');
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    });
  });

  it('replaces entries that call the client of another folder', async () => {
    await rig.change('add', 'claude', { place: guardPlace('/older') });
    await rig.change('add', 'claude');
    const text = await readFile(join(rig.root, SETTINGS), 'utf8');
    assert.ok(!text.includes('/older'));
    assert.equal((JSON.parse(text) as { hooks: { Stop: unknown[] } }).hooks.Stop.length, 1);
  });

  it('does not take a command that only looks alike', async () => {
    const other = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bash '/x/guard/client.sh' claude Stop; rm x"}]}]}}`;
    const file = await rig.file(SETTINGS, other);
    assert.equal(await rig.change('remove', 'claude'), 0);
    assert.equal(await readFile(file, 'utf8'), other);
  });

  it('keeps the mode of the file, and a backup for its owner alone', async () => {
    const file = await rig.file(SETTINGS, '{}');
    await chmod(file, 0o640);
    await rig.change('add', 'claude');
    assert.equal((await stat(file)).mode & 0o777, 0o640);
    const backup = `${file}.before-hookline`;
    assert.equal((await stat(backup)).mode & 0o777, 0o600);
    assert.equal(await readFile(backup, 'utf8'), '{}');
    await rig.change('remove', 'claude');
    assert.deepEqual(await readdir(join(rig.root, '.claude')), ['settings.json']);
  });

  it('is written to the target of a link, which stays a link', async () => {
    const target = await rig.file('dotfiles/claude.json', '{}');
    const link = join(rig.root, SETTINGS);
    await mkdir(join(rig.root, '.claude'));
    await symlink(target, link);
    await rig.change('add', 'claude');
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.ok((await readFile(target, 'utf8')).includes('PreToolUse'));
  });

  it('refuses a broken file with its name and line, and leaves it', async () => {
    const file = await rig.file(SETTINGS, '{\n  "model": \n}');
    await assert.rejects(rig.plan('add', 'claude'), {
      message: `${file} cannot be changed: Value expected at line 3, column 1`,
    });
    await assert.rejects(rig.plan('remove', 'claude'), { message: /line 3/ });
    assert.equal(await readFile(file, 'utf8'), '{\n  "model": \n}');
    assert.deepEqual(await readdir(join(rig.root, '.claude')), ['settings.json']);
  });

  it('refuses hooks that are no object', async () => {
    const file = await rig.file(SETTINGS, '{"hooks":[]}');
    await assert.rejects(rig.plan('add', 'claude'), { message: `${file} cannot be changed: "hooks" is not an object` });
    await writeFile(file, '{"hooks":{"Stop":{}}}');
    await assert.rejects(rig.plan('add', 'claude'), {
      message: `${file} cannot be changed: "hooks.Stop" is not a list`,
    });
  });

  it('refuses a folder in place of the file, and bytes that are no UTF-8', async () => {
    await mkdir(join(rig.root, SETTINGS), { recursive: true });
    await assert.rejects(rig.plan('add', 'claude'), { message: /settings\.json cannot be read: EISDIR/ });
    await rm(join(rig.root, SETTINGS), { recursive: true });
    await writeFile(join(rig.root, SETTINGS), Buffer.from([0x7b, 0xff, 0x7d]));
    await assert.rejects(rig.plan('add', 'claude'), { message: /settings\.json cannot be read: it is not UTF-8/ });
  });

  it('refuses a plan whose file changed since, and writes none of its files', async () => {
    const file = await rig.file(SETTINGS, '{}');
    const plan = await rig.plan('add', 'claude');
    await writeFile(file, '{"model":"opus"}');
    await assert.rejects(applyPlan(plan), ChangedSinceError);
    assert.equal(await readFile(file, 'utf8'), '{"model":"opus"}');
    assert.deepEqual(await readdir(join(rig.root, '.claude')), ['settings.json']);
  });

  it('is written once when two write it at the same time', async () => {
    const file = await rig.file(SETTINGS, '{}');
    const plans = await Promise.all([rig.plan('add', 'claude'), rig.plan('add', 'claude')]);
    const ends = await Promise.allSettled(plans.map(applyPlan));
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(await readFile(file, 'utf8'), plans[0].changes[0]?.after);
  });

  it('is written for the system below its root, and nowhere else', async () => {
    for (const agent of ['claude', 'copilot', 'codex', 'droid'] as const) {
      await rig.change('add', agent, { scope: 'system' });
    }
    const files = (await readdir(rig.root, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile());
    assert.deepEqual(files.map(({ parentPath, name }) => join(parentPath, name).slice(rig.root.length)).sort(), [
      '/system/etc/claude-code/managed-settings.json',
      '/system/etc/codex/requirements.toml',
      '/system/etc/factory/settings.json',
      '/system/etc/github-copilot/policy.d/hookline.json',
    ]);
  });

  it('is a plugin of our own in the folder of opencode, which goes again', async () => {
    const file = join(rig.root, '.config', 'opencode', 'plugin', 'hookline.js');
    assert.equal(await rig.change('add', 'opencode'), 1);
    const text = await readFile(file, 'utf8');
    assert.ok(text.includes(JSON.stringify(commandOf('opencode', 'PreToolUse'))), text);
    assert.equal(await rig.change('add', 'opencode'), 0);
    await writeFile(file, text.replace('throw error', ''));
    assert.equal(await rig.change('add', 'opencode'), 1);
    assert.equal(await readFile(file, 'utf8'), text);
    await rig.change('remove', 'opencode');
    assert.deepEqual(await readdir(dirname(file)), []);
  });

  it('is never written over a plugin of somebody else', async () => {
    const file = await rig.file('.config/opencode/plugin/hookline.js', 'export const Mine = async () => ({});\n');
    await assert.rejects(
      rig.change('add', 'opencode'),
      new RegExp(`^Error: ${file} cannot be changed: it is not a file of Hookline$`),
    );
    await rig.change('remove', 'opencode');
    assert.equal(await readFile(file, 'utf8'), 'export const Mine = async () => ({});\n');
  });

  it('is where XDG_CONFIG_HOME says that configurations are, and opencode has none of the system', async () => {
    const machine = { ...rig.machine, env: { XDG_CONFIG_HOME: join(rig.root, 'xdg') } };
    const { changes } = await rig.plan('add', 'opencode', { machine });
    assert.deepEqual(
      changes.map(({ file }) => file),
      [join(rig.root, 'xdg', 'opencode', 'plugin', 'hookline.js')],
    );
    await assert.rejects(rig.plan('add', 'opencode', { scope: 'system' }), /has no configuration of the system/);
  });
});
