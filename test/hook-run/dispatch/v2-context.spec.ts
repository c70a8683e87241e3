import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessage } from '../../../src/agent/messages';
import { silentLog } from '../../../src/base/log';
import { HookHost } from '../../../src/hook-run/host/host';
import { HookLoader } from '../../../src/hook-load/hook-loader';
import { LazyModule } from '../../../src/hook-load/modules/lazy-module';
import { VirtualModules } from '../../../src/hook-load/modules/virtual-modules';
import { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { exampleText } from '../../examples/drive';
import { FakeConversation } from '../../support/fake-conversation';
import { hostDefaults } from '../../support/host-options';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Commands, saved entries and contexts of v2, where a later entry stands for what earlier ones stand for (C15). */
describe('a v2 hook that folds entries', () => {
  it('folds across a compaction, and a later compaction stands for all of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'folding-'));
    const path = join(folder, 'fold.ts');
    writeFileSync(path, exampleText('v2', 'fold.ts'));
    const summaries = ['the start', 'the middle'];
    const complete = (): unknown => ({ content: [{ type: 'text', text: summaries.shift() }] });
    const loader = new HookLoader({
      cacheDir: join(folder, '.cache'),
      jitiDir: join(ROOT, 'node_modules', 'jiti', 'dist'),
      extensionVersion: '0.0.0',
      modules: () =>
        new VirtualModules(
          new Map([
            ['@mariozechner/pi-ai', new LazyModule({ specifier: '@mariozechner/pi-ai', values: { complete } })],
          ]),
        ),
      log: silentLog,
    });
    const host = new HookHost<OwnershipScope>({
      ...hostDefaults(),
      discover: () => ({ files: [{ path, entry: path, origin: 'explicit', group: 'hooks' }], problems: [] }),
      loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
    });
    try {
      await host.reload();
      assert.deepEqual(host.infos()[0]?.state, { type: 'live' });
      assert.equal(host.infos()[0]?.dialect?.id, 'v2');
      const conversation = new FakeConversation();
      host.attach(conversation);
      const { session } = conversation;
      const context = async (): Promise<readonly unknown[]> => {
        const entries = session.entries.filter(entry => entry.type === 'message');
        const result = await host.runner.emit(
          {
            type: 'context',
            messages: entries.map(entry => entry['message'] as AgentMessage),
            entryIds: entries.map(entry => entry.id),
          },
          conversation,
        );
        return result.messages.map(message => ('content' in message ? message.content : undefined));
      };

      for (const number of [1, 2, 3, 4, 5]) session.user(`step ${number}`);
      session.add('compaction', { summary: 'early work', firstKeptEntryId: 'e4', tokensBefore: 1 });
      session.user('step 6');
      session.user('step 7');
      assert.deepEqual(await host.commands.runText('/fold 2', conversation), {
        handled: true,
        status: 'Folded from entry 2',
      });
      assert.deepEqual(conversation.actions, [['rebuildContext']]);
      const saved = session.entries.at(-1);
      assert.deepEqual(
        [saved?.type, saved?.['from'], saved?.['before'], saved?.['text']],
        ['fold_range', 2, 'the start', 'the middle'],
      );

      session.user('step 8');
      assert.deepEqual(await context(), ['In short: the start', 'In short: the middle', 'step 8']);

      session.user('step 9');
      session.user('step 10');
      session.add('compaction', { summary: 'all of it', firstKeptEntryId: 'e11', tokensBefore: 1 });
      assert.deepEqual(await context(), ['In short: all of it', 'step 9', 'step 10']);
    } finally {
      await host.dispose();
      loader.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
