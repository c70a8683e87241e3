import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EarlyHelper } from '../../src/startup/helper-thread/helper-thread';

/** Stands for the built helper: it answers with one look for each source that it gets. */
const ANSWERS = `const { sources, places, port } = require('node:worker_threads').workerData.looks;
const signature = places.agentDir;
port.postMessage(sources.map((folder, index) => ({ folder, dependencies: [], signature, at: index * 1e13 })));
port.close();
setInterval(() => undefined, 1000);`;

describe('the helper thread that begins early', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'helper-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function start(helper: string | undefined, settings: string | undefined, freshMs?: number): EarlyHelper | undefined {
    if (helper !== undefined) writeFileSync(join(root, 'helper.cjs'), helper);
    if (settings !== undefined) writeFileSync(join(root, 'settings.json'), settings);
    return EarlyHelper.start(root, { agentDir: root, cwd: root }, freshMs);
  }

  it('looks at the packages of the settings, for the first load of hooks', async () => {
    const helper = start(ANSWERS, '{"packages": ["npm:one", {"source": "npm:two", "skills": []}, 3, {}]}', Infinity);
    assert.ok(helper);
    const look = { folder: 'npm:two', dependencies: [], signature: root, at: 1e13 };
    assert.deepEqual(await helper.takeLook('npm:two'), look);
    assert.equal(await helper.takeLook('npm:two'), undefined, 'it is given once');
    assert.equal(await helper.takeLook('npm:four'), undefined);
    helper.dropLooks();
    assert.equal(await helper.takeLook('npm:one'), undefined);
    const thread = helper.takeThread();
    assert.ok(thread, 'it is there for the watch over hooks');
    assert.equal(helper.takeThread(), undefined);
    await thread.terminate();
  });

  it('gives no look that is old, or from the future', async () => {
    const helper = start(ANSWERS, '{"packages": ["npm:old", "npm:future"]}');
    assert.ok(helper);
    assert.equal(await helper.takeLook('npm:old'), undefined);
    assert.equal(await helper.takeLook('npm:future'), undefined);
    await helper.takeThread()?.terminate();
  });

  it('is not started without packages, or with settings that cannot be read', () => {
    for (const settings of [undefined, '{}', '{"packages": {}}', '{"packages": []}', '[]', '{']) {
      assert.equal(start(ANSWERS, settings), undefined);
    }
  });

  it('gives no look and no thread when it fails', async () => {
    for (const broken of ['throw new Error("broken")', undefined]) {
      if (broken === undefined) rmSync(join(root, 'helper.cjs'));
      const helper = start(broken, '{"packages": ["npm:one"]}');
      assert.equal(await helper?.takeLook('npm:one'), undefined);
      const thread = helper?.takeThread();
      if (thread !== undefined) await once(thread, 'error');
      assert.equal(helper?.takeThread(), undefined);
    }
  });
});
