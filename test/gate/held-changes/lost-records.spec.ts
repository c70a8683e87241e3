import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { sessionDirFor } from '../../../src/agent/session/library/session-list';
import { watchFiles } from '../../../src/startup/watched-files';
import { ALLOW_ALL, HeldRig, NO_RULES, put } from './held-rig';

describe('files of settings whose records are lost', () => {
  let rig: HeldRig;
  beforeEach(() => {
    rig = new HeldRig();
  });
  afterEach(() => rig.end());

  it('do not count if the record of what was accepted was removed during the call', async () => {
    put(rig.rules, NO_RULES);
    rig.duringCall(() => {
      rmSync(join(rig.stateDir, 'approved-files'), { recursive: true });
      put(rig.rules, ALLOW_ALL);
    });
    rig.start();
    assert.equal(await rig.allowed(), 0);
    assert.equal(rig.files.held.length, 1);
  });

  it('do not count if a call removed all that was stored, and its process was killed', async () => {
    put(rig.rules, NO_RULES);
    rig.others.noteUse('user');
    rig.duringCall(() => {
      rmSync(rig.stateDir, { recursive: true });
      put(rig.rules, ALLOW_ALL);
    });
    for (const round of ['first', 'second']) {
      rig.start();
      assert.equal(await rig.allowed(), 0, `the ${round} start`);
    }
    const [held] = rig.files.held;
    assert.ok(held !== undefined && rig.files.held.length === 1);
    await assert.rejects(rig.files.reject(held), /The record of what it said before is missing/);
    assert.equal(readFileSync(rig.rules, 'utf8'), ALLOW_ALL, 'nothing is removed');
    assert.equal(rig.files.approve(held), true);
    assert.equal(await rig.allowed(), 1);
  });

  it('do not count if a call of this process removed all that was stored', async () => {
    put(rig.rules, NO_RULES);
    rig.start();
    rig.files.beginCalls();
    rmSync(rig.stateDir, { recursive: true, force: true });
    put(rig.rules, ALLOW_ALL);
    assert.equal(await rig.allowed(), 0);
    rig.files.check();
    rig.files.endCalls();
    rig.start();
    assert.equal(await rig.allowed(), 0);
    const [held] = rig.files.held;
    assert.ok(held);
    await rig.files.reject(held);
    assert.equal(readFileSync(rig.rules, 'utf8'), NO_RULES);
  });

  it('do not count if a call removed all that was stored, but not both notes of the use', async () => {
    rig.others.noteUse('user');
    rig.duringCall(() => {
      rmSync(rig.stateDir, { recursive: true });
      rmSync(join(rig.agentDir, 'hookline'), { recursive: true });
      put(rig.rules, ALLOW_ALL);
    });
    rig.start();
    assert.equal(await rig.allowed(), 0);
  });

  it('count at the first use in a folder in which pi was used', () => {
    const user = join(rig.root, 'user of pi');
    put(join(sessionDirFor(user, rig.cwd), 'one.jsonl'), `${JSON.stringify({ type: 'session', cwd: rig.cwd })}\n`);
    put(join(user, 'settings.json'), '{"shellPath":"/bin/sh"}');
    put(join(rig.cwd, '.pi', 'settings.json'), '{"shellPath":"/bin/sh"}');
    rig.files.dispose();
    const place = { stateDir: join(rig.root, 'new state'), agentDir: user, cwd: rig.cwd };
    rig.files = watchFiles(place, { writes: true, ofAgents: [], log: silentLog });
    assert.deepEqual(rig.files.held, []);
  });

  it('count in another agent folder, which nobody used, also if the folder was used before', () => {
    rig.others.noteUse('user');
    rig.others.noteUse('folder');
    const second = join(rig.root, 'second agent');
    put(join(second, 'settings.json'), '{"shellPath":"/bin/sh"}');
    rig.files.dispose();
    rig.files = watchFiles(
      { stateDir: rig.stateDir, agentDir: second, cwd: rig.cwd },
      { writes: true, ofAgents: [], log: silentLog },
    );
    assert.deepEqual(rig.files.held, []);
  });
});
