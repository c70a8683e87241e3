import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { HeldFiles } from '../../../src/gate/held-changes/held-files';
import { watchFiles } from '../../../src/startup/watched-files';
import { ALLOW_ALL, HeldRig, NO_RULES, put } from './held-rig';

describe('files of settings while several folders are open in the process', () => {
  let rig: HeldRig;
  let one: HeldFiles;
  let other: HeldFiles;
  beforeEach(() => {
    rig = new HeldRig();
  });
  afterEach(() => {
    one.dispose();
    other.dispose();
    rig.end();
  });

  /** Opens two folders; a call runs in the first or second of them. */
  function open(callIn: 'first' | 'second'): void {
    rig.files.dispose();
    const folders = ['one', 'other'].map(name => {
      return watchFiles(
        { stateDir: rig.stateDir, agentDir: rig.agentDir, cwd: join(rig.root, name) },
        { writes: true, ofAgents: [], log: silentLog },
      );
    }) as [HeldFiles, HeldFiles];
    [one, other] = callIn === 'first' ? folders : (folders.toReversed() as [HeldFiles, HeldFiles]);
  }

  const heldIn = (folder: HeldFiles): unknown => {
    folder.check();
    return folder.held.map(({ path }) => path);
  };

  for (const callIn of ['first', 'second'] as const) {
    it(`are held in all of them, whichever an agent’s call ran in: the ${callIn}`, async () => {
      put(rig.rules, NO_RULES);
      open(callIn);
      one.beginCalls();
      put(rig.rules, ALLOW_ALL);
      assert.equal(await rig.allowed(), 0, 'during the call');
      assert.deepEqual([heldIn(one), heldIn(other)], [[rig.rules], [rig.rules]]);
      one.check();
      one.endCalls();
      assert.equal(await rig.allowed(), 0, 'after the call');
      const [held] = other.held;
      assert.ok(held);
      assert.equal(other.approve(held), true);
      assert.equal(await rig.allowed(), 1, 'accepted in the other folder');
      assert.deepEqual([heldIn(one), heldIn(other)], [[], []]);
    });

    it(`are put back for all of them when one rejects the change: the call ran in the ${callIn}`, async () => {
      put(rig.rules, NO_RULES);
      open(callIn);
      one.beginCalls();
      put(rig.rules, ALLOW_ALL);
      one.check();
      one.endCalls();
      other.check();
      const [held] = other.held;
      assert.ok(held);
      await other.reject(held);
      assert.equal(readFileSync(rig.rules, 'utf8'), NO_RULES);
      assert.deepEqual([heldIn(one), heldIn(other)], [[], []]);
    });

    it(`do not count if a call of one of them removed all that was stored: the ${callIn}`, async () => {
      put(rig.rules, NO_RULES);
      open(callIn);
      one.beginCalls();
      rmSync(rig.stateDir, { recursive: true, force: true });
      put(rig.rules, ALLOW_ALL);
      assert.deepEqual([heldIn(other), heldIn(one)], [[rig.rules], [rig.rules]]);
      assert.equal(await rig.allowed(), 0);
      one.check();
      one.endCalls();
      assert.equal(await rig.allowed(), 0, 'after the call');
    });
  }

  it('count at once again when the folder whose call was open is closed', async () => {
    put(rig.rules, NO_RULES);
    open('first');
    one.beginCalls();
    one.dispose();
    put(rig.rules, ALLOW_ALL);
    assert.equal(await rig.allowed(), 1);
  });
});
