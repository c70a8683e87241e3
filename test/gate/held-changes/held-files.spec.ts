import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/agent/settings/load-settings';
import { TrustFile } from '../../../src/agent/settings/trust-file';
import { writeSetting } from '../../../src/agent/settings/write-setting';
import { readModelsFile } from '../../../src/agent/models/files/models-file';
import { readCountedText } from '../../../src/base/files/counted-text';
import { silentLog } from '../../../src/base/log';
import { RuleStore } from '../../../src/gate/rules/rule-store';
import { ApprovalStore } from '../../../src/gate/approval-store/approval-store';
import type { HeldFiles } from '../../../src/gate/held-changes/held-files';
import { addServer } from '../../../src/mcp/config/write-config';
import { sessionDirFor } from '../../../src/agent/session/library/session-list';
import { readMcpConfig } from '../../../src/mcp/config/read-config';
import { watchFiles } from '../../../src/startup/watched-files';

const ALLOW_ALL = JSON.stringify({ rules: [{ tool: 'bash', match: { type: 'any' } }] });
const NO_RULES = JSON.stringify({ rules: [] });

describe('files of settings that change', () => {
  let root: string;
  let agentDir: string;
  let cwd: string;
  let stateDir: string;
  let files: HeldFiles;
  let others: ApprovalStore;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'held files ')));
    [agentDir, cwd, stateDir] = [join(root, 'agent'), join(root, 'work'), join(root, 'state')];
    for (const dir of [agentDir, join(cwd, '.pi')]) mkdirSync(dir, { recursive: true });
    others = new ApprovalStore({ stateDir, agentDir, cwd });
    start();
  });
  afterEach(() => {
    files.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** As the next process does; the one before it ends. */
  function start(writes = true, mayDecide = true): void {
    (files as HeldFiles | undefined)?.dispose();
    files = watchFiles({ stateDir, agentDir, cwd }, { writes, mayDecide: () => mayDecide, log: silentLog });
  }

  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const rules = (): string => join(agentDir, 'hookline-approvals.json');
  const counted = (path: string): Promise<string | undefined> => readCountedText(path).catch(() => undefined);
  const allowed = async (): Promise<number> => (await RuleStore.open(rules(), silentLog)).current.length;

  /** A call of an agent, in this process or in another one, that ends as the process is killed. */
  function duringCall(change: () => void): void {
    files.check();
    others.beginCalls('MARK');
    change();
  }

  /** The round of calls ends, in order. */
  function endCall(): void {
    files.check();
    others.endCalls();
    others.removeOwnRun();
  }

  it('count at once while no agent acts', async () => {
    put(rules(), ALLOW_ALL);
    assert.equal(await allowed(), 1);
    put(rules(), NO_RULES);
    assert.equal(await allowed(), 0);
    assert.deepEqual(files.held, []);
  });

  interface Kind {
    readonly name: string;
    readonly before?: string;
    readonly after: string;
    readonly counts: () => Promise<boolean>;
  }
  const usesShell = async (): Promise<boolean> => (await settings()).shellPath === '/tmp/evil';
  const hasServer = async (): Promise<boolean> => (await servers()).includes('evil');
  const provider = '{"baseUrl":"http://127.0.0.1:1","apiKey":"!evil","api":"openai-completions","models":[{"id":"m"}]}';
  const kinds: Readonly<Record<string, Kind>> = {
    rules: { name: 'agent/hookline-approvals.json', after: ALLOW_ALL, counts: async () => (await allowed()) > 0 },
    trust: {
      name: 'agent/trust.json',
      after: '{"/":true}',
      counts: async () => (await new TrustFile(agentDir).nearest(cwd))?.trusted === true,
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
      counts: async () => (await readModelsFile(join(agentDir, 'models.json'))).providers.has('evil'),
    },
  };

  for (const [what, { name, before, after, counts }] of Object.entries(kinds)) {
    it(`do not count if an agent’s call changed them: ${what}, in this process, after a kill, and until accepted`, async () => {
      const path = join(root, name);
      if (before !== undefined) put(path, before);
      duringCall(() => put(path, after));
      assert.equal(await counts(), false, 'during the call');
      for (const round of [1, 2]) {
        start();
        assert.equal(await counts(), false, `start ${round} after a kill`);
      }
      endCall();
      start();
      assert.equal(await counts(), false, 'after the round');
      assert.deepEqual(
        files.held.map(({ place: _, ...held }) => held),
        [{ path, approved: before, held: after }],
      );
      assert.equal(readFileSync(path, 'utf8'), after, 'the file stays as it is');
      const [held] = files.held;
      assert.ok(held);
      assert.equal(files.approve(held), true);
      assert.equal(await counts(), true, 'accepted');
      start();
      assert.equal(await counts(), true, 'accepted, after a start');
      assert.deepEqual(files.held, []);
    });

    it(`are put back when the change is rejected: ${what}`, async () => {
      const path = join(root, name);
      if (before !== undefined) put(path, before);
      duringCall(() => put(path, after));
      endCall();
      const [held] = files.held;
      assert.ok(held);
      await files.reject(held);
      assert.equal(await counted(path), before);
      assert.equal(await counts(), false);
      assert.deepEqual(files.held, []);
    });
  }

  async function settings() {
    return (await loadSettings({ agentDir, cwd, includeProject: true })).settings;
  }

  async function servers(): Promise<readonly string[]> {
    return (await readMcpConfig({ agentDir, cwd, includeProject: true })).entries.map(({ name }) => name);
  }

  for (const [how, leave] of [
    ['removed', () => undefined],
    ['replaced by a folder', (path: string) => mkdirSync(path)],
    ['replaced by a link', (path: string) => symlinkSync(join(root, 'elsewhere'), path)],
    ['emptied', (path: string) => writeFileSync(path, '')],
  ] as const) {
    it(`keep counting as they were when an agent’s call left them ${how}`, async () => {
      put(rules(), ALLOW_ALL);
      put(join(root, 'elsewhere'), NO_RULES);
      duringCall(() => {
        rmSync(rules());
        leave(rules());
      });
      assert.equal(await allowed(), 1);
      endCall();
      start();
      assert.equal(await allowed(), 1);
      assert.equal(files.held.length, 1);
    });
  }

  it('do not count if the record of what was accepted was removed during the call', async () => {
    put(rules(), NO_RULES);
    duringCall(() => {
      rmSync(join(stateDir, 'approved-files'), { recursive: true });
      put(rules(), ALLOW_ALL);
    });
    start();
    assert.equal(await allowed(), 0);
    assert.equal(files.held.length, 1);
  });

  it('do not count if a call removed all that was stored, and its process was killed', async () => {
    put(rules(), NO_RULES);
    others.noteUse('user');
    duringCall(() => {
      rmSync(stateDir, { recursive: true });
      put(rules(), ALLOW_ALL);
    });
    for (const start_ of [start, start]) {
      start_();
      assert.equal(await allowed(), 0);
    }
    const [held] = files.held;
    assert.ok(held !== undefined && files.held.length === 1);
    await assert.rejects(files.reject(held), /The record of what it said before is missing/);
    assert.equal(readFileSync(rules(), 'utf8'), ALLOW_ALL, 'nothing is removed');
    assert.equal(files.approve(held), true);
    assert.equal(await allowed(), 1);
  });

  it('count if Hookline wrote them for the user during a call', async () => {
    duringCall(() => undefined);
    const store = await RuleStore.open(rules(), silentLog);
    await store.add({ tool: 'bash', match: { type: 'exact', command: 'make' } });
    await writeSetting(join(agentDir, 'settings.json'), 'defaultModel', 'one');
    assert.deepEqual(files.held, []);
    endCall();
    start();
    assert.equal(await allowed(), 1);
    assert.equal((await settings()).defaultModel, 'one');
  });

  it('do not count if a program that a call started had Hookline write them', async () => {
    put(join(agentDir, 'settings.json'), '{"defaultModel":"one"}');
    duringCall(() => undefined);
    start(true, false);
    await writeSetting(join(agentDir, 'settings.json'), 'shellPath', '/tmp/evil');
    assert.deepEqual(await settings().then(each => [each.shellPath, each.defaultModel]), [undefined, 'one']);
    endCall();
    start();
    assert.equal((await settings()).shellPath, undefined);
    assert.equal(files.held.length, 1);
  });

  it('are not written over while a change waits, which would be lost', async () => {
    const path = join(agentDir, 'settings.json');
    const planted = '{"shellPath":"/tmp/evil"}';
    duringCall(() => {
      put(rules(), ALLOW_ALL);
      put(path, planted);
      put(join(agentDir, 'trust.json'), '{"/":true}');
      put(join(agentDir, 'mcp.json'), '{"mcpServers":{"evil":{"command":"evil"}}}');
    });
    endCall();
    const waits = /has a change that waits for you/;
    const store = await RuleStore.open(rules(), silentLog);
    await store.add({ tool: 'bash', match: { type: 'exact', command: 'make' } });
    assert.equal(store.current.length, 1, 'this process has the rule');
    await assert.rejects(store.choosePlainReading({ enabled: false, asks: [] }), waits);
    assert.equal(readFileSync(rules(), 'utf8'), ALLOW_ALL);
    await assert.rejects(writeSetting(path, 'defaultModel', 'one'), waits);
    await assert.rejects(new TrustFile(agentDir).save(cwd, true), waits);
    await assert.rejects(addServer(join(agentDir, 'mcp.json'), 'mine', { command: 'true' }), waits);
    assert.equal(readFileSync(path, 'utf8'), planted);
    assert.equal(files.held.length, 4);
  });

  for (const [how, work] of [
    [
      'a link to a new folder',
      () => {
        put(join(cwd, 'pi2', 'settings.json'), '{"shellPath":"/tmp/evil"}');
        rmSync(join(cwd, '.pi'), { recursive: true });
        symlinkSync('pi2', join(cwd, '.pi'));
      },
    ],
    [
      'a folder beside it',
      () => {
        renameSync(agentDir, `${agentDir}2`);
        symlinkSync(`${agentDir}2`, agentDir);
        put(join(`${agentDir}2`, 'settings.json'), '{"shellPath":"/tmp/evil"}');
      },
    ],
  ] as const) {
    it(`do not count if a call put ${how} in the place of theirs`, async () => {
      duringCall(work);
      const counted = async (): Promise<unknown> => (await settings()).shellPath;
      assert.equal(await counted(), undefined);
      endCall();
      assert.equal(await counted(), undefined, 'after the call');
      start();
      assert.equal(await counted(), undefined, 'after a start');
      assert.equal(files.held.length, 1);
    });
  }

  it('do not count if a call of this process removed all that was stored', async () => {
    put(rules(), NO_RULES);
    start();
    files.beginCalls();
    rmSync(stateDir, { recursive: true, force: true });
    put(rules(), ALLOW_ALL);
    assert.equal(await allowed(), 0);
    files.check();
    files.endCalls();
    start();
    assert.equal(await allowed(), 0);
    const [held] = files.held;
    assert.ok(held);
    await files.reject(held);
    assert.equal(readFileSync(rules(), 'utf8'), NO_RULES);
  });

  describe('while several folders are open in the process', () => {
    let one: HeldFiles;
    let other: HeldFiles;

    /** Opens two folders; a call runs in the first or second of them. */
    function open(callIn: 'first' | 'second'): void {
      files.dispose();
      const folders = ['one', 'other'].map(name => {
        return watchFiles({ stateDir, agentDir, cwd: join(root, name) }, { writes: true, log: silentLog });
      }) as [HeldFiles, HeldFiles];
      [one, other] = callIn === 'first' ? folders : (folders.toReversed() as [HeldFiles, HeldFiles]);
    }
    afterEach(() => {
      one.dispose();
      other.dispose();
    });

    const heldIn = (folder: HeldFiles): unknown => {
      folder.check();
      return folder.held.map(({ path }) => path);
    };

    for (const callIn of ['first', 'second'] as const) {
      it(`are held in all of them, whichever an agent’s call ran in: the ${callIn}`, async () => {
        put(rules(), NO_RULES);
        open(callIn);
        one.beginCalls();
        put(rules(), ALLOW_ALL);
        assert.equal(await allowed(), 0, 'during the call');
        assert.deepEqual([heldIn(one), heldIn(other)], [[rules()], [rules()]]);
        one.check();
        one.endCalls();
        assert.equal(await allowed(), 0, 'after the call');
        const [held] = other.held;
        assert.ok(held);
        assert.equal(other.approve(held), true);
        assert.equal(await allowed(), 1, 'accepted in the other folder');
        assert.deepEqual([heldIn(one), heldIn(other)], [[], []]);
      });

      it(`are put back for all of them when one rejects the change: the call ran in the ${callIn}`, async () => {
        put(rules(), NO_RULES);
        open(callIn);
        one.beginCalls();
        put(rules(), ALLOW_ALL);
        one.check();
        one.endCalls();
        other.check();
        const [held] = other.held;
        assert.ok(held);
        await other.reject(held);
        assert.equal(readFileSync(rules(), 'utf8'), NO_RULES);
        assert.deepEqual([heldIn(one), heldIn(other)], [[], []]);
      });

      it(`do not count if a call of one of them removed all that was stored: the ${callIn}`, async () => {
        put(rules(), NO_RULES);
        open(callIn);
        one.beginCalls();
        rmSync(stateDir, { recursive: true, force: true });
        put(rules(), ALLOW_ALL);
        assert.deepEqual([heldIn(other), heldIn(one)], [[rules()], [rules()]]);
        assert.equal(await allowed(), 0);
        one.check();
        one.endCalls();
        assert.equal(await allowed(), 0, 'after the call');
      });
    }

    it('count at once again when the folder whose call was open is closed', async () => {
      put(rules(), NO_RULES);
      open('first');
      one.beginCalls();
      one.dispose();
      put(rules(), ALLOW_ALL);
      assert.equal(await allowed(), 1);
    });
  });

  it('do not count if a call removed all that was stored, but not both notes of the use', async () => {
    others.noteUse('user');
    duringCall(() => {
      rmSync(stateDir, { recursive: true });
      rmSync(join(agentDir, 'hookline'), { recursive: true });
      put(rules(), ALLOW_ALL);
    });
    start();
    assert.equal(await allowed(), 0);
  });

  it('count at the first use in a folder in which pi was used', () => {
    const user = join(root, 'user of pi');
    put(join(sessionDirFor(user, cwd), 'one.jsonl'), `${JSON.stringify({ type: 'session', cwd })}\n`);
    put(join(user, 'settings.json'), '{"shellPath":"/bin/sh"}');
    put(join(cwd, '.pi', 'settings.json'), '{"shellPath":"/bin/sh"}');
    files.dispose();
    const place = { stateDir: join(root, 'new state'), agentDir: user, cwd };
    files = watchFiles(place, { writes: true, log: silentLog });
    assert.deepEqual(files.held, []);
  });

  it('count in another agent folder, which nobody used, also if the folder was used before', () => {
    others.noteUse('user');
    others.noteUse('folder');
    const second = join(root, 'second agent');
    put(join(second, 'settings.json'), '{"shellPath":"/bin/sh"}');
    files.dispose();
    files = watchFiles({ stateDir, agentDir: second, cwd }, { writes: true, log: silentLog });
    assert.deepEqual(files.held, []);
  });

  it('are not held because they could not be read before a call', async () => {
    const path = join(agentDir, 'settings.json');
    mkdirSync(path);
    duringCall(() => undefined);
    endCall();
    assert.deepEqual(files.held, []);
    rmSync(path, { recursive: true });
    put(path, '{"shellPath":"/bin/sh"}');
    assert.equal((await settings()).shellPath, '/bin/sh');
    assert.deepEqual(files.held, []);
  });

  it('stay held when they change again, and are free when the change is undone', async () => {
    put(rules(), NO_RULES);
    duringCall(() => put(rules(), ALLOW_ALL));
    endCall();
    const [shown] = files.held;
    assert.ok(shown);
    put(rules(), `${ALLOW_ALL}\n`);
    assert.equal(files.approve(shown), false, 'what is on disk is not what was shown');
    assert.equal(await allowed(), 0);
    put(rules(), NO_RULES);
    files.check();
    assert.deepEqual(files.held, []);
  });

  it('are held by a process that must not write', async () => {
    put(rules(), NO_RULES);
    duringCall(() => put(rules(), ALLOW_ALL));
    start(false);
    assert.equal(await allowed(), 0);
    assert.equal(files.held.length, 1);
  });

  it('hold of logins only those that name a program, and copy no key', async () => {
    const path = join(agentDir, 'auth.json');
    const login = (key: string) => ({ type: 'api_key', key });
    put(path, JSON.stringify({ one: login('old') }));
    duringCall(() => put(path, JSON.stringify({ one: login('new'), two: login('!evil') })));
    assert.deepEqual(JSON.parse((await counted(path)) ?? ''), { one: login('new') });
    endCall();
    start();
    assert.deepEqual(JSON.parse((await counted(path)) ?? ''), { one: login('new') });
    const [held] = files.held;
    assert.ok(held);
    assert.ok(held.held?.includes('!evil') && !held.held.includes('new'));
    assert.equal(files.approve(held), true);
    assert.equal(await counted(path), readFileSync(path, 'utf8'));
  });

  it('are told once when they begin to wait, and when they do no longer', () => {
    const told: number[] = [];
    files.onDidChange(() => told.push(files.held.length));
    duringCall(() => put(rules(), ALLOW_ALL));
    files.check();
    files.check();
    const [held] = files.held;
    assert.ok(held);
    files.approve(held);
    assert.deepEqual(told, [1, 0]);
  });
});
