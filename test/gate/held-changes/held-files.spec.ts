import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { TrustFile } from '../../../src/agent/settings/trust-file';
import { writeSetting } from '../../../src/agent/settings/write-setting';
import { readModelsFile } from '../../../src/agent/models/files/models-file';
import { silentLog } from '../../../src/base/log';
import { RuleStore } from '../../../src/gate/rules/rule-store';
import { addServer } from '../../../src/mcp/config/write-config';
import { readMcpConfig } from '../../../src/mcp/config/read-config';
import { ALLOW_ALL, counted, HeldRig, NO_RULES, put } from './held-rig';
import { itWith } from '../../support/platform';

describe('files of settings that change', () => {
  let rig: HeldRig;
  beforeEach(() => {
    rig = new HeldRig();
  });
  afterEach(() => rig.end());

  const servers = async (): Promise<readonly string[]> =>
    (await readMcpConfig({ agentDir: rig.agentDir, cwd: rig.cwd, includeProject: true })).entries.map(
      ({ name }) => name,
    );

  interface Kind {
    readonly name: string;
    readonly before?: string;
    readonly after: string;
    readonly counts: () => Promise<boolean>;
  }
  const usesShell = async (): Promise<boolean> => (await rig.settings()).shellPath === '/tmp/evil';
  const hasServer = async (): Promise<boolean> => (await servers()).includes('evil');
  const provider = '{"baseUrl":"http://127.0.0.1:1","apiKey":"!evil","api":"openai-completions","models":[{"id":"m"}]}';
  const kinds: Readonly<Record<string, Kind>> = {
    rules: { name: 'agent/hookline-approvals.json', after: ALLOW_ALL, counts: async () => (await rig.allowed()) > 0 },
    trust: {
      name: 'agent/trust.json',
      after: JSON.stringify({ [parse(tmpdir()).root]: true }),
      counts: async () => (await new TrustFile(rig.agentDir).nearest(rig.cwd))?.trusted === true,
    },
    'the user’s settings': {
      ...{ name: 'agent/settings.json', before: '{"shellPath":"/bin/sh"}', after: '{"shellPath":"/tmp/evil"}' },
      counts: usesShell,
    },
    'the folder’s settings': {
      ...{ name: 'work/.pi/settings.json', after: '{"shellPath":"/tmp/evil"}' },
      counts: usesShell,
    },
    'the user’s servers': {
      ...{ name: 'agent/mcp.json', before: '{"mcpServers":{}}' },
      ...{ after: '{"mcpServers":{"evil":{"command":"evil"}}}', counts: hasServer },
    },
    'the folder’s servers': {
      ...{ name: 'work/.pi/mcp.json', after: '{"mcpServers":{"evil":{"command":"evil"}}}' },
      counts: hasServer,
    },
    models: {
      ...{ name: 'agent/models.json', before: '{"providers":{}}', after: `{"providers":{"evil":${provider}}}` },
      counts: async () => (await readModelsFile(join(rig.agentDir, 'models.json'))).providers.has('evil'),
    },
  };

  it('count at once while no agent acts', async () => {
    put(rig.rules, ALLOW_ALL);
    assert.equal(await rig.allowed(), 1);
    put(rig.rules, NO_RULES);
    assert.equal(await rig.allowed(), 0);
    assert.deepEqual(rig.files.held, []);
  });

  for (const [what, { name, before, after, counts }] of Object.entries(kinds)) {
    it(`do not count if an agent’s call changed them: ${what}, in this process, after a kill, and until accepted`, async () => {
      const path = join(rig.root, name);
      if (before !== undefined) put(path, before);
      rig.duringCall(() => put(path, after));
      assert.equal(await counts(), false, 'during the call');
      for (const round of [1, 2]) {
        rig.start();
        assert.equal(await counts(), false, `start ${round} after a kill`);
      }
      rig.endCall();
      rig.start();
      assert.equal(await counts(), false, 'after the round');
      assert.deepEqual(
        rig.files.held.map(({ place: _, ...held }) => held),
        [{ path, approved: before, held: after }],
      );
      assert.equal(readFileSync(path, 'utf8'), after, 'the file stays as it is');
      const [held] = rig.files.held;
      assert.ok(held);
      assert.equal(rig.files.approve(held), true);
      assert.equal(await counts(), true, 'accepted');
      rig.start();
      assert.equal(await counts(), true, 'accepted, after a start');
      assert.deepEqual(rig.files.held, []);
    });

    it(`are put back when the change is rejected: ${what}`, async () => {
      const path = join(rig.root, name);
      if (before !== undefined) put(path, before);
      rig.duringCall(() => put(path, after));
      rig.endCall();
      const [held] = rig.files.held;
      assert.ok(held);
      await rig.files.reject(held);
      assert.equal(await counted(path), before);
      assert.equal(await counts(), false);
      assert.deepEqual(rig.files.held, []);
    });
  }

  for (const [how, leave] of [
    ['removed', () => undefined],
    ['replaced by a folder', (path: string) => mkdirSync(path)],
    ['replaced by a link', (path: string) => symlinkSync(join(rig.root, 'elsewhere'), path)],
    ['emptied', (path: string) => writeFileSync(path, '')],
  ] as const) {
    it(`keep counting as they were when an agent’s call left them ${how}`, async () => {
      put(rig.rules, ALLOW_ALL);
      put(join(rig.root, 'elsewhere'), NO_RULES);
      rig.duringCall(() => {
        rmSync(rig.rules);
        leave(rig.rules);
      });
      assert.equal(await rig.allowed(), 1);
      rig.endCall();
      rig.start();
      assert.equal(await rig.allowed(), 1);
      assert.equal(rig.files.held.length, 1);
    });
  }

  it('count if Hookline wrote them for the user during a call', async () => {
    rig.duringCall(() => undefined);
    const store = await RuleStore.open(rig.rules, silentLog);
    await store.add({ tool: 'bash', match: { type: 'exact', command: 'make' } });
    await writeSetting(join(rig.agentDir, 'settings.json'), 'defaultModel', 'one');
    assert.deepEqual(rig.files.held, []);
    rig.endCall();
    rig.start();
    assert.equal(await rig.allowed(), 1);
    assert.equal((await rig.settings()).defaultModel, 'one');
  });

  it('do not count if a program that a call started had Hookline write them', async () => {
    put(join(rig.agentDir, 'settings.json'), '{"defaultModel":"one"}');
    rig.duringCall(() => undefined);
    rig.start(true, false);
    await writeSetting(join(rig.agentDir, 'settings.json'), 'shellPath', '/tmp/evil');
    assert.deepEqual(await rig.settings().then(each => [each.shellPath, each.defaultModel]), [undefined, 'one']);
    rig.endCall();
    rig.start();
    assert.equal((await rig.settings()).shellPath, undefined);
    assert.equal(rig.files.held.length, 1);
  });

  it('are not written over while a change waits, which would be lost', async () => {
    const path = join(rig.agentDir, 'settings.json');
    const planted = '{"shellPath":"/tmp/evil"}';
    rig.duringCall(() => {
      put(rig.rules, ALLOW_ALL);
      put(path, planted);
      put(join(rig.agentDir, 'trust.json'), '{"/":true}');
      put(join(rig.agentDir, 'mcp.json'), '{"mcpServers":{"evil":{"command":"evil"}}}');
    });
    rig.endCall();
    const waits = /has a change that waits for you/;
    const store = await RuleStore.open(rig.rules, silentLog);
    await store.add({ tool: 'bash', match: { type: 'exact', command: 'make' } });
    assert.equal(store.current.length, 1, 'this process has the rule');
    await assert.rejects(store.choosePlainReading({ enabled: false, asks: [] }), waits);
    assert.equal(readFileSync(rig.rules, 'utf8'), ALLOW_ALL);
    await assert.rejects(writeSetting(path, 'defaultModel', 'one'), waits);
    await assert.rejects(new TrustFile(rig.agentDir).save(rig.cwd, true), waits);
    await assert.rejects(addServer(join(rig.agentDir, 'mcp.json'), 'mine', { command: 'true' }), waits);
    assert.equal(readFileSync(path, 'utf8'), planted);
    assert.equal(rig.files.held.length, 4);
  });

  for (const [how, work] of [
    [
      'a link to a new folder',
      () => {
        put(join(rig.cwd, 'pi2', 'settings.json'), '{"shellPath":"/tmp/evil"}');
        rmSync(join(rig.cwd, '.pi'), { recursive: true });
        symlinkSync('pi2', join(rig.cwd, '.pi'));
      },
    ],
    [
      'a folder beside it',
      () => {
        renameSync(rig.agentDir, `${rig.agentDir}2`);
        symlinkSync(`${rig.agentDir}2`, rig.agentDir);
        put(join(`${rig.agentDir}2`, 'settings.json'), '{"shellPath":"/tmp/evil"}');
      },
    ],
  ] as const) {
    itWith('links', `do not count if a call put ${how} in the place of theirs`, async () => {
      rig.duringCall(work);
      const counted = async (): Promise<unknown> => (await rig.settings()).shellPath;
      assert.equal(await counted(), undefined);
      rig.endCall();
      assert.equal(await counted(), undefined, 'after the call');
      rig.start();
      assert.equal(await counted(), undefined, 'after a start');
      assert.equal(rig.files.held.length, 1);
    });
  }

  it('are not held because they could not be read before a call', async () => {
    const path = join(rig.agentDir, 'settings.json');
    mkdirSync(path);
    rig.duringCall(() => undefined);
    rig.endCall();
    assert.deepEqual(rig.files.held, []);
    rmSync(path, { recursive: true });
    put(path, '{"shellPath":"/bin/sh"}');
    assert.equal((await rig.settings()).shellPath, '/bin/sh');
    assert.deepEqual(rig.files.held, []);
  });

  it('stay held when they change again, and are free when the change is undone', async () => {
    put(rig.rules, NO_RULES);
    rig.duringCall(() => put(rig.rules, ALLOW_ALL));
    rig.endCall();
    const [shown] = rig.files.held;
    assert.ok(shown);
    put(rig.rules, `${ALLOW_ALL}\n`);
    assert.equal(rig.files.approve(shown), false, 'what is on disk is not what was shown');
    assert.equal(await rig.allowed(), 0);
    put(rig.rules, NO_RULES);
    rig.files.check();
    assert.deepEqual(rig.files.held, []);
  });

  it('are held by a process that must not write', async () => {
    put(rig.rules, NO_RULES);
    rig.duringCall(() => put(rig.rules, ALLOW_ALL));
    rig.start(false);
    assert.equal(await rig.allowed(), 0);
    assert.equal(rig.files.held.length, 1);
  });

  it('hold of logins only those that name a program, and copy no key', async () => {
    const path = join(rig.agentDir, 'auth.json');
    const login = (key: string) => ({ type: 'api_key', key });
    put(path, JSON.stringify({ one: login('old') }));
    rig.duringCall(() => put(path, JSON.stringify({ one: login('new'), two: login('!evil') })));
    assert.deepEqual(JSON.parse((await counted(path)) ?? ''), { one: login('new') });
    rig.endCall();
    rig.start();
    assert.deepEqual(JSON.parse((await counted(path)) ?? ''), { one: login('new') });
    const [held] = rig.files.held;
    assert.ok(held);
    assert.ok(held.held?.includes('!evil') && !held.held.includes('new'));
    assert.equal(rig.files.approve(held), true);
    assert.equal(await counted(path), readFileSync(path, 'utf8'));
  });

  it('are told once when they begin to wait, and when they do no longer', () => {
    const told: number[] = [];
    rig.files.onDidChange(() => told.push(rig.files.held.length));
    rig.duringCall(() => put(rig.rules, ALLOW_ALL));
    rig.files.check();
    rig.files.check();
    const [held] = rig.files.held;
    assert.ok(held);
    rig.files.approve(held);
    assert.deepEqual(told, [1, 0]);
  });
});
