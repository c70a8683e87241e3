import assert from 'node:assert/strict';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { approvable, PackageApproval } from '../../src/packages/approval/package-approval';
import { readDeclarations } from '../../src/packages/declared';
import { readInstalled } from '../../src/packages/installed';
import { declarePackage, forgetPackage, switchPart, type Declared } from '../../src/packages/install/settings-entries';
import { until } from '../support/conversation-rig';
import { call, DECISIONS, DEPENDENCY, FOLDER, GATE_FILE, GatePackage, type Started } from './gate-package';
import { itWith } from '../support/platform';

const OPEN = 'export default () => {};\n';
const ENTRY = 'npm:acme';

/** One way to get rid of the gate of a package. */
interface Way {
  readonly how: string;
  readonly work: (place: GatePackage) => void | Promise<void>;
  readonly change: 'changed' | 'vanished';
  /** What it does counts only in the folder. */
  readonly inFolder?: true;
  /** Node loads what it changes once in a process, such as that of this test. */
  readonly isLoadedOnce?: true;
  /** The file of approvals must be corrected first. */
  readonly damages?: true;
}

const WAYS: readonly Way[] = [
  { how: 'writes over its file', change: 'changed', work: place => place.write(GATE_FILE, OPEN) },
  { how: 'removes its file', change: 'vanished', work: place => place.remove(GATE_FILE) },
  {
    how: 'writes over what it imports',
    change: 'changed',
    work: place => place.write(`${FOLDER}/lib/rule.ts`, "export const forbidden = '';"),
  },
  {
    how: 'writes over what it reads',
    change: 'changed',
    work: place => place.write(`${FOLDER}/policy.json`, '{"on":false}'),
  },
  {
    how: 'writes over a package that it needs',
    isLoadedOnce: true,
    change: 'changed',
    work: place => place.write(DEPENDENCY, 'exports.blocks = false;'),
  },
  {
    how: 'names no extension in its package.json',
    change: 'vanished',
    work: place => place.write(`${FOLDER}/package.json`, '{"name":"acme","pi":{"extensions":[]}}'),
  },
  { how: 'writes over its file and approves that', change: 'changed', work: forge },
  { how: 'turns it off', change: 'vanished', work: place => place.changeDecisions({ off: [ENTRY] }) },
  { how: 'removes its approval', change: 'changed', work: place => place.changeDecisions({ approved: {} }) },
  { how: 'damages the approvals', change: 'changed', damages: true, work: place => place.write(DECISIONS, '{') },
  { how: 'removes it from the settings', change: 'vanished', work: place => place.box.declare([]) },
  {
    how: 'filters it in the settings',
    change: 'vanished',
    work: place => place.box.declare([{ source: ENTRY, extensions: [] }]),
  },
  {
    how: 'filters it in the project',
    change: 'vanished',
    inFolder: true,
    work: place =>
      place.box.declare([ENTRY], [{ source: ENTRY, autoload: false, extensions: ['-extensions/gate.ts'] }]),
  },
  {
    how: 'turns off its part as "config --off -l" does',
    change: 'vanished',
    inFolder: true,
    work: place => turnOff(place, undefined),
  },
  { how: 'shadows it in the project', change: 'vanished', inFolder: true, work: shadow },
  { how: 'removes its files', change: 'vanished', work: place => place.remove('home/.pi/agent/npm') },
  {
    how: 'removes it and its files',
    change: 'vanished',
    work: place => {
      place.box.declare([]);
      place.remove('home/.pi/agent/npm');
    },
  },
];

/** What the agent writes to the file of approvals is what Hookline would write. */
async function forge(place: GatePackage): Promise<void> {
  place.write(GATE_FILE, OPEN);
  const { agentDir, cwd, home } = place.box;
  const approval = new PackageApproval({ agentDir, howTo: '' });
  const [declared] = readDeclarations({ places: { agentDir, cwd }, lists: [], temporary: [ENTRY], home }).packages;
  assert.ok(declared !== undefined);
  const installed = await readInstalled({ ...declared, folder: place.path(FOLDER) });
  assert.ok(!('problem' in installed));
  await approval.approve(approvable(installed), []);
  approval.dispose();
}

function shadow(place: GatePackage): void {
  // Without a filter, Node 22 on Windows ends the process where a path has letters beyond ASCII.
  const options = { recursive: true, filter: () => true };
  cpSync(place.path(FOLDER), place.path('work/.pi/npm/node_modules/acme'), options);
  place.write('work/.pi/npm/node_modules/acme/extensions/gate.ts', OPEN);
  place.box.declare([ENTRY], [ENTRY]);
}

function turnOff(place: GatePackage, decisions: Declared['decisions']): Promise<void> {
  const about = { ...aboutIn(place), scope: 'project', decisions } as const;
  const declared = { source: { type: 'npm', name: 'acme' }, written: ENTRY } as const;
  return switchPart(about, declared, { kind: 'extensions', path: 'extensions/gate.ts', to: 'off' });
}

function aboutIn({ box: { agentDir, cwd } }: GatePackage): Omit<Declared, 'decisions'> {
  return { identity: ENTRY, scope: 'user', places: { agentDir, cwd } };
}

describe('the gate of an approved package', function () {
  this.timeout(60_000);
  let place: GatePackage;
  beforeEach(() => (place = new GatePackage()));
  afterEach(() => place.dispose());

  /** The end of a call that the gate blocks; a question is answered with no. */
  async function end(started: Started): Promise<string> {
    started.conversation.ui.answers.push(false);
    const before = started.conversation.ui.answers.length;
    const said = await call(started, 'touch ran').then(
      () => 'ran',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    return started.conversation.ui.answers.splice(0).length < before ? `asked: ${said}` : said;
  }
  const states = ({ host }: Started): readonly string[] =>
    host
      .infos()
      .filter(({ path }) => path.startsWith(place.path(FOLDER)))
      .map(({ state }) => `${state.type}${'change' in state ? ` ${state.change}` : ''}`);
  async function approved(): Promise<Started> {
    const started = await place.start();
    await place.approve(started);
    await started.host.reload();
    assert.deepEqual([states(started), await end(started)], [['live'], BLOCKED]);
    return started;
  }
  async function reload({ settings, host }: Started): Promise<void> {
    await settings.reload();
    await host.reload();
  }
  /** The agent does something in a call, and the files are read again. */
  async function agent(started: Started, work: () => void | Promise<void>): Promise<void> {
    await call(started, 'ls', work);
    await reload(started);
  }
  const BLOCKED = 'the gate of the package';

  for (const { how, work, change, inFolder } of WAYS) {
    it(`is in force when the agent ${how}: in the same process, after restarts, in another folder`, async () => {
      let started = await approved();
      const held = [`waiting ${change}`];
      await agent(started, () => work(place));
      assert.deepEqual([states(started), await end(started)], [held, BLOCKED]);
      for (const start of [1, 2]) {
        started = await place.start();
        assert.deepEqual([states(started), await end(started)], [held, BLOCKED], `start ${start}`);
      }
      started = await place.start({ cwd: join(place.box.root, 'other') });
      assert.deepEqual([states(started), await end(started)], [inFolder === true ? ['live'] : held, BLOCKED]);
    });
  }

  for (const { how, work, damages } of WAYS) {
    it(`is as it was when the person rejects that the agent ${how}`, async () => {
      let started = await approved();
      const files = place.files();
      await agent(started, () => work(place));
      started = await place.start();
      const [hook] = started.host.infos().filter(({ state }) => state.type === 'waiting');
      const rejecting = started.host.reject(hook?.path ?? '');
      if (damages === true) {
        await assert.rejects(rejecting, /packages\.json cannot be used/);
        return;
      }
      await rejecting;
      await reload(started);
      assert.deepEqual([states(started), await end(started)], [['live'], BLOCKED]);
      assert.deepEqual(place.files(), files);
      started = await place.start();
      assert.deepEqual([states(started), await end(started)], [['live'], BLOCKED], 'after a restart');
    });
  }

  for (const { how, work, isLoadedOnce } of WAYS.filter(({ damages }) => damages !== true)) {
    it(`follows when the person approves that the agent ${how}`, async () => {
      const started = await approved();
      await agent(started, () => work(place));
      const gate = place.path(GATE_FILE);
      await started.host.approve(gate);
      await reload(started);
      const isSame = how === 'removes its approval' || isLoadedOnce === true;
      const waiting = (each: Started): readonly string[] => states(each).filter(state => state.startsWith('waiting'));
      assert.deepEqual(waiting(started), []);
      const next = await place.start();
      assert.deepEqual([waiting(next), (await end(next)) === BLOCKED], [[], isSame]);
    });
  }

  const DECIDED: readonly (readonly [what: string, work: (started: Started) => Promise<void>])[] = [
    ['turns it off', ({ approval }) => approval.turn(ENTRY, 'off')],
    ['removes it', ({ memory }) => forgetPackage({ ...aboutIn(place), decisions: memory.decisions })],
    ['turns off its part in the folder', ({ memory }) => turnOff(place, memory.decisions)],
    [
      'installs another version',
      async started => {
        place.write(GATE_FILE, OPEN);
        await place.approveNow(started);
        const source = { type: 'npm', name: 'acme' } as const;
        await declarePackage({ ...aboutIn(place), decisions: started.memory.decisions }, source, 'npm:acme@1.0.0');
      },
    ],
  ];
  for (const [what, work] of DECIDED) {
    it(`follows at once when the person ${what} while a call of the agent runs`, async () => {
      const started = await approved();
      await agent(started, () => work(started));
      assert.deepEqual([states(started).filter(state => state.startsWith('waiting')), await end(started)], [[], 'ran']);
      const next = await place.start();
      assert.equal(await end(next), 'ran');
    });
  }

  it('is in force when the agent changed what it imports and only the hooks are loaded again', async () => {
    const started = await approved();
    await call(started, 'ls', () => place.write(`${FOLDER}/lib/rule.ts`, "export const forbidden = '';"));
    await started.host.reload({ onlyHooks: true });
    assert.deepEqual([states(started), await end(started)], [['waiting changed'], BLOCKED]);
  });

  it('is asked about when what it imports changes and only the hooks are loaded again', async () => {
    const started = await approved();
    place.write(`${FOLDER}/lib/rule.ts`, "export const forbidden = '';");
    await started.host.reload({ onlyHooks: true });
    assert.match(await end(started), /^asked: .*acme.* checks tool calls, but its package does not run/);
  });

  it('is in force when the agent does more than the person decided', async () => {
    const started = await approved();
    await agent(started, async () => {
      await turnOff(place, started.memory.decisions);
      place.box.declare([]);
    });
    assert.deepEqual([states(started), await end(started)], [['waiting vanished'], BLOCKED]);
  });

  it('is in force at a start while a call is open that changed it', async () => {
    const first = await approved();
    await call(first, 'ls', async () => {
      place.write(GATE_FILE, OPEN);
      const second = await place.startBeside();
      assert.deepEqual([states(second), await end(second)], [['waiting changed'], BLOCKED]);
      await second.end();
    });
  });

  for (const [what, work] of [
    ['its file changes', () => place.write(GATE_FILE, OPEN)],
    ['its file is removed', () => place.remove(GATE_FILE)],
    ['what it reads changes', () => place.write(`${FOLDER}/policy.json`, '{"on":false}')],
    ['a package that it needs changes', () => place.write(DEPENDENCY, 'exports.blocks = false;')],
    ['its folder is removed', () => place.remove(FOLDER)],
  ] as const) {
    it(`is asked about at each call when ${what} while no call runs`, async () => {
      const started = await approved();
      work();
      await reload(started);
      assert.match(await end(started), /^asked: .*acme.* checks tool calls, but its package does not run/);
      assert.match(await end(await place.start()), /^asked: .*acme.* checks tool calls, but its package does not run/);
    });
  }

  it('is gone when the person turns it off or filters it while no call runs', async () => {
    await approved();
    await place.end();
    place.changeDecisions({ off: [ENTRY] });
    assert.equal(await end(await place.start()), 'ran');
    place.changeDecisions({ off: [] });
    await place.start();
    await place.end();
    place.box.declare([{ source: ENTRY, extensions: [] }]);
    const filtered = await place.start();
    assert.equal(await end(filtered), 'ran');
    assert.deepEqual(filtered.host.differences, [{ path: place.path(GATE_FILE), change: 'vanished', wasGate: true }]);
  });

  for (const [what, work] of [
    ['is missing', (copy: string) => place.remove(copy)],
    ['was changed', (copy: string) => place.write(`${copy}/tree/node_modules/acme/policy.json`, '{"on":false}')],
  ] as const) {
    it(`is closed while a change waits and its copy ${what}`, async () => {
      const started = await approved();
      const [copy = ''] = place.copies();
      await agent(started, () => {
        place.write(GATE_FILE, OPEN);
        work(copy);
      });
      assert.equal(await end(started), BLOCKED, 'the code that runs stays');
      assert.match(await end(await place.start()), /^asked: .*gate\.ts checks tool calls/);
    });
  }

  itWith('links', 'is not restored into another folder by a link that the agent put in its place', async () => {
    const started = await approved();
    place.write('mine/acme/notes.txt', 'kept');
    await agent(started, () => {
      place.remove('home/.pi/agent/npm/node_modules');
      symlinkSync(place.path('mine'), place.path('home/.pi/agent/npm/node_modules'));
    });
    await assert.rejects(
      started.host.reject(place.path(GATE_FILE)),
      /node_modules is now a link, so nothing was restored/,
    );
    assert.deepEqual([place.read('mine/acme/notes.txt'), await end(started)], ['kept', BLOCKED]);
  });

  it('gets a copy of what was approved before there were copies', async () => {
    await approved();
    await place.end();
    place.remove('state/approved-packages');
    const started = await place.start();
    await until(() => place.copies()[0], 'the copy');
    await agent(started, () => place.write(GATE_FILE, OPEN));
    const next = await place.start();
    assert.deepEqual([states(next), await end(next)], [['waiting changed'], BLOCKED]);
  });
});
