import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { silentLog } from '../../src/base/log';
import { HookHost } from '../../src/hooks/host/host';
import { HookLoader } from '../../src/hooks/load/hook-loader';
import { shippedModules } from '../../src/hooks/load/modules/shipped-modules';
import { OwnershipScope } from '../../src/hooks/load/ownership/scope';
import { ThemeSwitch } from '../../src/hooks/api/ui/theme';
import { FakeConversation } from '../support/fake-conversation';
import { seedIt, seedModule } from '../support/seeds';

describe('tree-custom-component', () => {
  seedIt('is shown at once, can be asked to draw, and its callback runs when it is dismissed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline component '));
    const path = join(folder, 'hook.ts');
    // The callback of the document only holds a comment: what stands for it is put there.
    const text = seedModule('tree-custom-component', {
      inside: 'pi.registerCommand("open", { handler: async (ctx: any) => {',
      after: '} });',
    }).replace('// Cleanup when component is dismissed', 'ctx.ui.notify("cleaned up", "info");');
    writeFileSync(path, text);
    const theme = new ThemeSwitch();
    const modules = shippedModules({ agentDir: () => folder, theme: () => theme.current });
    const loader = new HookLoader({
      cacheDir: join(folder, '.cache'),
      jitiDir: resolve('node_modules/jiti/dist'),
      extensionVersion: 'test',
      modules: () => modules,
      log: silentLog,
    });
    const host = new HookHost<OwnershipScope>({
      discover: () => ({ files: [{ path, entry: path, origin: 'explicit', group: 'hooks' }], problems: [] }),
      loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
      settings: () => ({ hookTimeout: 30_000, dialects: {}, confirmWithoutGates: true }),
      theme,
    });
    const conversation = new FakeConversation();
    try {
      await host.reload();
      host.attach(conversation);
      assert.equal(conversation.ui.mounts.length, 0);
      await host.commands.run('open', '', conversation);
      const [mounted] = conversation.ui.mounts;
      assert.ok(mounted, 'it is mounted before the handler goes on');
      const component = await mounted.mount.create({} as never, () => undefined);
      assert.ok(Array.isArray(component.render(40)));
      assert.equal(conversation.ui.calls.length, 0);
      mounted.close();
      await new Promise(done => setImmediate(done));
      assert.deepEqual(
        conversation.ui.notices.map(notice => notice.message),
        ['cleaned up'],
      );
    } finally {
      await host.dispose();
      loader.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
