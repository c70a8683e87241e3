import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveSettings } from '../../src/startup/live-settings';

describe('live settings', () => {
  let root: string;
  let file: string;
  const noOverlay = { value: { model: undefined, thinkingLevel: undefined }, problems: [] };
  const open = (): Promise<LiveSettings> =>
    LiveSettings.open({ agentDir: join(root, 'agent'), cwd: root, includeProject: () => true }, noOverlay);
  const hooksOf = (live: LiveSettings): string[] => live.current.hooks.map(({ path }) => path);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline settings ö '));
    mkdirSync(join(root, '.pi'));
    file = join(root, '.pi', 'settings.json');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  for (const [name, text] of [
    ['half saved', '{"hooks":["gate.t'],
    ['empty', ''],
    ['no object', '["gate.ts"]'],
    ['wrong in that very setting', '{"hooks":"gate.ts"}'],
  ] as const) {
    it(`go on naming the gates while the file is ${name}, and tell`, async () => {
      writeFileSync(file, '{"hooks":["gate.ts"],"hookTimeout":5}');
      const live = await open();
      writeFileSync(file, text);
      await live.reload();
      assert.deepEqual(hooksOf(live), ['gate.ts']);
      assert.equal(live.problems[0]?.file, file);
      writeFileSync(file, '{"hooks":[]}');
      await live.reload();
      assert.deepEqual([hooksOf(live), live.problems, live.current.hookTimeout], [[], [], 30_000]);
    });
  }

  it('forget what a file said that is gone', async () => {
    writeFileSync(file, '{"hooks":["gate.ts"]}');
    const live = await open();
    rmSync(file);
    await live.reload();
    writeFileSync(file, '{');
    await live.reload();
    assert.deepEqual([hooksOf(live), live.problems.length], [[], 1]);
  });

  it('read one after the other: what was read in a trusted folder does not come back later', async () => {
    writeFileSync(file, `{"hooks":["gate.ts"]}${' '.repeat(4_000_000)}`);
    let isTrusted = true;
    const place = { agentDir: join(root, 'agent'), cwd: root, includeProject: () => isTrusted };
    const live = await LiveSettings.open(place, noOverlay);
    const first = live.reload();
    isTrusted = false;
    await Promise.all([first, live.reload()]);
    assert.deepEqual(hooksOf(live), []);
  });
});
