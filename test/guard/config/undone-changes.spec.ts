import assert from 'node:assert/strict';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { ApprovalStore } from '../../../src/gate/approval-store/approval-store';
import type { HeldFiles } from '../../../src/gate/held-changes/held-files';
import { agentsWatchedFiles } from '../../../src/guard/config/agents-watched-files';
import { readGuarded, writeGuarded } from '../../../src/guard/config/guarded-agents';
import { writeProgram } from '../../../src/guard/protocol/program';
import { watchFiles } from '../../../src/startup/watched-files';
import { until } from '../../modes/support/cli';
import { GuardRig } from './guard-rig';

const OFF = '{ "disableAllHooks": true }\n';
const OTHERS =
  '{\n  "model": "opus",\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n';

describe('a change by an agent of the files that guard it', () => {
  let rig: GuardRig;
  let cwd: string;
  let files: HeldFiles;
  /** Of the process whose call is open. */
  let caller: ApprovalStore;
  let told: string[];

  const paths = (): { stateDir: string; agentDir: string; cwd: string } => {
    return { stateDir: dirname(rig.place.folder), agentDir: join(rig.root, 'agent'), cwd };
  };
  const open = (mayDecide = true): HeldFiles => {
    const ofAgents = agentsWatchedFiles({ ...paths(), machine: rig.machine });
    const opened = watchFiles(paths(), { writes: true, mayDecide: () => mayDecide, ofAgents, log: silentLog });
    opened.onDidPutBack(path => told.push(path));
    return opened;
  };
  const inHome = (name: string): string => join(rig.root, name);
  const read = (path: string): string => readFileSync(path, 'utf8');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  /** A call of an agent runs to its end. */
  const duringCall = async (change: () => void): Promise<void> => {
    files.beginCalls();
    caller.beginCalls('MARK');
    change();
    await files.putBack();
    caller.endCalls();
    caller.removeOwnRun();
    files.endCalls();
  };

  beforeEach(async () => {
    rig = await GuardRig.make();
    cwd = join(rig.root, 'work');
    told = [];
    mkdirSync(cwd);
    for (const agent of ['claude', 'copilot', 'codex'] as const) {
      if (agent !== 'copilot') await rig.file(`.${agent}/${agent === 'claude' ? 'settings' : 'hooks'}.json`, OTHERS);
      await rig.change('add', agent);
      await writeGuarded(rig.place, agent, { scope: 'user', gate: 'ask' });
    }
    put(rig.place.client, 'exec true\n');
    await writeProgram(rig.place, { node: '/usr/bin/node', cli: '/opt/cli.js', variables: {} });
    caller = new ApprovalStore(paths());
    files = open();
  });
  afterEach(async () => {
    files.dispose();
    await rig.dispose();
  });

  for (const name of ['.claude/settings.json', '.copilot/hooks/hookline.json', '.codex/hooks.json']) {
    describe(`in ${name}`, () => {
      const changes = {
        'takes our entries out': path => writeFileSync(path, '{}\n'),
        'deletes it': path => rmSync(path),
        'deletes its folder': path => rmSync(dirname(path), { recursive: true }),
        'breaks it': path => writeFileSync(path, '{'),
        'puts a folder in its place': path => {
          rmSync(path);
          mkdirSync(path);
        },
        'takes our entries out and makes it read-only': path => {
          writeFileSync(path, '{}\n');
          chmodSync(path, 0o444);
        },
        'lets our entries call something else': path =>
          writeFileSync(path, read(path).replaceAll(/\/bin\/bash -p '[^"]*' (?=\w)/g, 'true ')),
      } satisfies Record<string, (path: string) => void>;
      for (const [title, change] of Object.entries(changes)) {
        it(`is undone when it ${title}, and the person is told`, async () => {
          const path = inHome(name);
          const before = await entriesIn(path);
          await duringCall(() => change(path));
          assert.deepEqual(await entriesIn(path), before);
          assert.equal(statSync(path).mode & 0o600, 0o600, 'the person may change it');
          assert.deepEqual(told, [path]);
          assert.deepEqual(files.held, []);
        });
      }

      it('keeps an entry of another program that it added beside', async () => {
        const path = inHome(name);
        const before = await entriesIn(path);
        await duringCall(() => {
          const value = JSON.parse(read(path)) as { hooks: Record<string, unknown[]> };
          value.hooks['PreToolUse']?.push({ hooks: [{ type: 'command', command: 'echo added' }] });
          value.hooks['Stop']?.pop();
          writeFileSync(path, JSON.stringify(value));
        });
        assert.ok(read(path).includes('echo added'), read(path));
        assert.deepEqual(await entriesIn(path), before);
        assert.deepEqual(told, [path]);
      });
    });
  }

  /** What `guard add` would still have to write, and the entries. */
  async function entriesIn(path: string): Promise<unknown> {
    const plans = await Promise.all((['claude', 'copilot', 'codex'] as const).map(agent => rig.plan('add', agent)));
    const missing = plans.flatMap(({ changes }) => changes.map(({ file }) => file));
    const ours = [...read(path).matchAll(/"\/bin\/bash -p '[^"]*"/g)].map(([command]) => command).sort();
    assert.ok(ours.length > 0, path);
    return { missing, ours };
  }

  it('is left alone where it does not touch our entries', async () => {
    const path = inHome('.claude/settings.json');
    const text = read(path).replace('opus', 'haiku');
    await duringCall(() => writeFileSync(path, text));
    assert.equal(read(path), text);
    assert.deepEqual(told, []);
  });

  describe('that turns hooks off', () => {
    it('is undone in the settings of the user, and the rest of the change stays', async () => {
      const path = inHome('.claude/settings.json');
      const before = read(path);
      await duringCall(() =>
        writeFileSync(path, before.replace('{', '{ "disableAllHooks": true,').replace('opus', 'haiku')),
      );
      assert.ok(!read(path).includes('disableAllHooks'));
      assert.ok(read(path).includes('haiku'));
      assert.deepEqual(told, [path]);
    });

    it('is undone in the settings of the project, also in a file that was not there', async () => {
      const settings = join(cwd, '.claude', 'settings.local.json');
      const codex = join(cwd, '.codex', 'config.toml');
      await duringCall(() => {
        put(settings, OFF);
        put(codex, '[features]\nhooks = false\n');
      });
      assert.deepEqual(JSON.parse(read(settings)), {});
      assert.ok(!existsSync(codex));
      assert.deepEqual(told.sort(), [settings, codex].sort());
    });

    it('is undone in the variables for Qwen Code, and the others stay', async () => {
      await writeGuarded(rig.place, 'qwen', { scope: 'user', gate: 'off' });
      const variables = join(cwd, '.qwen', '.env');
      put(variables, 'A=1\n');
      await duringCall(() => writeFileSync(variables, 'A=2\nQWEN_CODE_SAFE_MODE=1\nB=key-of-mine\n'));
      assert.equal(read(variables), 'A=2\nB=key-of-mine\n');
      await duringCall(() => writeFileSync(variables, 'A=4\n'));
      assert.equal(read(variables), 'A=4\n');
      assert.deepEqual(told, [variables]);
      const kept = globSync('**/*', { cwd: rig.root, withFileTypes: true, exclude: ['work/**'] });
      const texts = kept.filter(each => each.isFile()).map(({ parentPath, name }) => read(join(parentPath, name)));
      assert.ok(texts.length > 3);
      assert.ok(texts.every(text => !text.includes('key-of-mine')));
    });

    it('stays in the project where it was before the call', async () => {
      const settings = join(cwd, '.claude', 'settings.json');
      put(settings, OFF);
      await duringCall(() => writeFileSync(settings, OFF.replace('true', 'true, "model": "haiku"')));
      assert.equal(read(settings), OFF.replace('true', 'true, "model": "haiku"'));
      assert.deepEqual(told, []);
    });
  });

  describe('is left alone where the agent is not guarded', () => {
    beforeEach(() => writeGuarded(rig.place, 'claude', undefined));

    it('in the settings of the user and the project', async () => {
      const settings = [inHome('.claude/settings.json'), join(cwd, '.claude', 'settings.json')];
      await duringCall(() => settings.forEach(path => put(path, OFF)));
      assert.deepEqual(settings.map(read), [OFF, OFF]);
      assert.deepEqual(told, []);
    });

    it('also where the agent breaks the list of guarded agents, or adds it there', async () => {
      const settings = inHome('.claude/settings.json');
      writeFileSync(settings, OFF);
      const before = read(rig.place.guarded);
      for (const text of ['{', before.replace('{', '{ "claude": { "scope": "user", "gate": "off" },')]) {
        await duringCall(() => writeFileSync(rig.place.guarded, text));
        assert.deepEqual([settings, rig.place.guarded].map(read), [OFF, before]);
      }
      assert.deepEqual(told, [rig.place.guarded, rig.place.guarded]);
    });

    it('until a person guards it', async () => {
      await writeGuarded(rig.place, 'claude', { scope: 'user', gate: 'off' });
      const settings = join(cwd, '.claude', 'settings.json');
      await duringCall(() => put(settings, OFF));
      assert.ok(!existsSync(settings) || !read(settings).includes('disableAllHooks'));
      assert.deepEqual(told, [settings]);
    });
  });

  it('is undone in the configuration of an agent that was taken from the list of guarded agents, too', async () => {
    const settings = inHome('.claude/settings.json');
    const copilot = inHome('.copilot/hooks/hookline.json');
    const before = await entriesIn(settings);
    const kept = read(copilot);
    await duringCall(() => {
      rmSync(rig.place.guarded);
      writeFileSync(settings, '{}\n');
    });
    assert.deepEqual(await entriesIn(settings), before);
    assert.equal(read(copilot), kept);
    assert.deepEqual((await readGuarded(rig.place)).claude, { scope: 'user', gate: 'ask' });
    assert.deepEqual(told.sort(), [rig.place.guarded, settings].sort());
  });

  it('is undone in what Codex trusts of our entries', async () => {
    const config = inHome('.codex/config.toml');
    const text = `model = "gpt"\n\n[hooks.state."${inHome('.codex/hooks.json')}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n`;
    put(config, text);
    await duringCall(() => writeFileSync(config, 'model = "gpt"\n'));
    assert.equal(read(config), text);
    assert.deepEqual(told, [config]);
  });

  it('is undone in the client, its program and the list of guarded agents', async () => {
    const { client, program, guarded } = rig.place;
    const before = [client, program, guarded].map(read);
    await duringCall(() => {
      writeFileSync(client, 'exit 0\n');
      chmodSync(client, 0o600);
      rmSync(program);
      writeFileSync(guarded, '{}\n');
    });
    assert.deepEqual([client, program, guarded].map(read), before);
    assert.deepEqual(told.sort(), [client, program, guarded].sort());
  });

  it('never counts in the list of guarded agents, not even before it is undone', async () => {
    files.beginCalls();
    caller.beginCalls('MARK');
    writeFileSync(rig.place.guarded, '{}\n');
    assert.deepEqual((await readGuarded(rig.place)).claude, { scope: 'user', gate: 'ask' });
  });

  it('is undone while its call still runs', async () => {
    files.beginCalls();
    caller.beginCalls('MARK');
    writeFileSync(rig.place.client, 'exit 0\n');
    await until(() => read(rig.place.client) === 'exec true\n', 'the client to be put back');
    assert.deepEqual(told, [rig.place.client]);
  });

  it('is undone by the next process when the one that watched was killed', async () => {
    files.beginCalls();
    caller.beginCalls('MARK');
    files.dispose();
    writeFileSync(inHome('.claude/settings.json'), '{}\n');
    files = open();
    await files.putBack();
    assert.deepEqual(told, [inHome('.claude/settings.json')]);
    assert.ok(read(inHome('.claude/settings.json')).includes('client.sh'));
  });

  it('stays when it is the person’s: between calls, or by a command or the editor during one', async () => {
    const settings = inHome('.claude/settings.json');
    writeFileSync(settings, '{}\n');
    await duringCall(() => undefined);
    assert.equal(read(settings), '{}\n');
    files.beginCalls();
    caller.beginCalls('MARK');
    await rig.change('remove', 'copilot');
    await writeGuarded(rig.place, 'copilot', undefined);
    writeFileSync(rig.place.client, 'exec false\n');
    files.wrote(rig.place.client, 'exec false\n');
    await files.putBack();
    assert.ok(!existsSync(inHome('.copilot/hooks/hookline.json')));
    assert.equal((await readGuarded(rig.place)).copilot, undefined);
    assert.equal(read(rig.place.client), 'exec false\n');
    assert.deepEqual(told, []);
  });

  it('is undone, too, where an agent runs the command', async () => {
    files.dispose();
    files = open(false);
    files.beginCalls();
    caller.beginCalls('MARK');
    await rig.change('remove', 'copilot');
    await files.putBack();
    assert.ok(read(inHome('.copilot/hooks/hookline.json')).includes('client.sh'));
  });

  it('is not seen in the files of another home folder, whose record stays', async () => {
    const other = await GuardRig.make();
    const ofAgents = agentsWatchedFiles({ ...paths(), machine: other.machine });
    const beside = watchFiles(paths(), { writes: true, ofAgents, log: silentLog });
    beside.check();
    beside.dispose();
    await duringCall(() => writeFileSync(inHome('.claude/settings.json'), '{}\n'));
    assert.deepEqual(told, [inHome('.claude/settings.json')]);
    await other.dispose();
  });
});
