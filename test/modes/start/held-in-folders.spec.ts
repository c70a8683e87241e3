import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderRuntime } from '../../../src/modes/start/folder-runtime';
import { until } from '../../support/conversation-rig';
import { FolderRig } from './folder-rig';

const GATE = `export default pi => pi.on('tool_call', ({ input }) => {
  if (input.command.startsWith('touch')) return { block: true, reason: 'not that' };
});`;
const NO_GATE = 'export default () => undefined;';

describe('the user’s files while several folders are open in a process', function () {
  this.timeout(30_000);
  let rig: FolderRig;
  let acting: FolderRuntime;
  let other: FolderRuntime;

  beforeEach(async function () {
    if (process.platform === 'win32') this.skip();
    rig = await FolderRig.start();
    rig.write('agent/hooks/gate.ts', GATE);
  });
  afterEach(() => rig.stop());

  const gateIn = ({ host }: FolderRuntime): unknown =>
    host.infos().map(({ path, state }) => [path === join(rig.root, 'agent/hooks/gate.ts'), state.type]);
  const levelIn = ({ services }: FolderRuntime): unknown => services.settings.current.defaultThinkingLevel;

  async function readAgain(folder: FolderRuntime): Promise<void> {
    await folder.services.settings.reload();
    await folder.host.reload();
  }

  async function isGuarded(folder: FolderRuntime): Promise<boolean> {
    const { started } = await rig.talkIn(folder);
    await started.conversation.prompt('touch it');
    return !existsSync(join(folder.services.place.cwd, 'it'));
  }

  for (const [how, more] of [
    ['changed them', ''],
    ['changed them and removed what is stored about that', 'rm -rf ../storage ../.hookline-past-use ../agent/hookline'],
  ] as const) {
    it(`do not count in any of them if a call in one ${how}, until the user accepts them`, async () => {
      [acting, other] = [await rig.open('a', {}), await rig.open('b', {})];
      const settings = readFileSync(join(rig.root, 'agent/settings.json'), 'utf8');
      const planted = settings.replace('{', '{"defaultThinkingLevel":"high",');
      rig.write('a/settings', planted);
      rig.write('a/hook', NO_GATE);
      const changes = 'cat settings > ../agent/settings.json; cat hook > ../agent/hooks/gate.ts';
      rig.write('a/plan', `${changes}; ${more}\necho > changed; while [ ! -e go ]; do sleep 0.05; done`);
      const { started } = await rig.talkIn(acting);
      const running = started.conversation.prompt('sh plan');
      await until(() => (existsSync(join(rig.root, 'a/changed')) ? true : undefined), 'the change');
      await readAgain(other);
      assert.deepEqual([gateIn(other), levelIn(other)], [[[true, 'waiting']], undefined], 'during the call');
      writeFileSync(join(rig.root, 'a/go'), '');
      await running;
      for (const folder of [acting, other]) {
        await readAgain(folder);
        assert.deepEqual([gateIn(folder), levelIn(folder)], [[[true, 'waiting']], undefined], 'after the call');
        assert.equal(await isGuarded(folder), true);
      }
      await until(() => (acting.services.heldFiles.isCallOpen('user') ? undefined : true), 'the end of the call');
      const [held] = other.services.heldFiles.held;
      assert.ok(held);
      assert.equal(other.services.heldFiles.approve(held), true);
      await other.host.approve();
      for (const folder of [other, acting]) {
        await readAgain(folder);
        assert.deepEqual([gateIn(folder), levelIn(folder)], [[[true, 'live']], 'high'], 'accepted');
      }
      for (const folder of [other, acting]) assert.equal(await isGuarded(folder), false);
    });
  }
});
