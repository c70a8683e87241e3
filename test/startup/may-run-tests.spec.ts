import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { mayRunTests, type TestedFolder } from '../../src/startup/trust/may-run-tests';
import { hook, hostWith, type InlineHook } from '../support/hook-host';

interface Listening {
  on(event: string, handler: (event: { readonly cwd: string }) => unknown): void;
}

describe('trust in a folder whose hook tests are to run', () => {
  let place: string;
  let agentDir: string;
  let root: string;
  let tests: string;
  beforeEach(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-tested ü-')));
    [agentDir, root] = [join(place, 'agent'), join(place, 'work')];
    tests = join(root, 'part', '.pi', 'hooks-test');
    for (const folder of [agentDir, tests, join(root, '.pi', 'hooks')]) mkdirSync(folder, { recursive: true });
  });
  afterEach(() => rmSync(place, { recursive: true }));

  async function mayRun(more: Partial<TestedFolder> = {}, hooks: readonly InlineHook[] = []): Promise<boolean> {
    const { host } = await hostWith(hooks);
    return mayRunTests({
      ...{ root, tests, agentDir, hooks: host.runner, editorTrusts: () => true, log: silentLog, decided: undefined },
      ...more,
    });
  }
  const save = (decisions: object): void => writeFileSync(join(agentDir, 'trust.json'), JSON.stringify(decisions));

  it('is given where nobody refuses the folder', async () => {
    assert.equal(await mayRun(), true);
    assert.equal(await mayRun({ decided: true }), true);
  });

  it('is refused by trust.json, for the workspace folder, one above, that of the tests and one in between', async () => {
    for (const refused of [root, place, tests, join(root, 'part')]) {
      save({ [refused]: false });
      assert.equal(await mayRun(), false, refused);
      assert.equal(await mayRun({ decided: true }), false, refused);
    }
    save({ [place]: false, [root]: true, [join(root, 'other')]: false });
    assert.equal(await mayRun(), true);
  });

  it('is refused by a trust.json that cannot be read', async () => {
    writeFileSync(join(agentDir, 'trust.json'), '{');
    assert.equal(await mayRun(), false);
  });

  it('is refused in Restricted Mode and by an earlier decision, whatever is saved', async () => {
    save({ [root]: true });
    assert.equal(await mayRun({ editorTrusts: () => false }), false);
    assert.equal(await mayRun({ decided: false }), false);
  });

  it('is refused by a hook, which is asked about the workspace folder if that is not decided', async () => {
    const asked: string[] = [];
    const policy = hook(
      'pi',
      (pi: Listening) =>
        pi.on('project_trust', ({ cwd }) => {
          asked.push(cwd);
          return { trusted: 'no' };
        }),
      '/agent/extensions/tests-policy.ts',
    );
    assert.equal(await mayRun({}, [policy]), false);
    assert.deepEqual(asked, [root]);
    assert.equal(await mayRun({ decided: true }, [policy]), true);
    assert.deepEqual(asked, [root]);
  });
});
