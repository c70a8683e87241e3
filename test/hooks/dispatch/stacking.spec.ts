import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessage } from '../../../src/agent/messages';
import { silentLog } from '../../../src/base/log';
import { HookHost } from '../../../src/hooks/host/host';
import { HookLoader } from '../../../src/hooks/load/hook-loader';
import { LazyModule } from '../../../src/hooks/load/modules/lazy-module';
import { VirtualModules } from '../../../src/hooks/load/modules/virtual-modules';
import { OwnershipScope } from '../../../src/hooks/load/ownership/scope';
import { FakeConversation } from '../../support/fake-conversation';
import { SEEDS_DIR, seedIt } from '../../support/seeds';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SEED = join(SEEDS_DIR, 'hooks-v2.md');

/** The document's complete stacking hook, from its import to the next heading. */
function stackingHook(): string {
  const lines = readFileSync(SEED, 'utf8').split('\n');
  const start = lines.findIndex(line => line.trim() === 'import { complete } from "@mariozechner/pi-ai";');
  const end = lines.findIndex((line, at) => at > start && line.trim() === 'Edge Cases');
  return lines.slice(start, end).join('\n');
}

describe('the stacking hook of hooks-v2.md', () => {
  seedIt("C15 runs the complex scenario to the document's two results", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stacking-'));
    const path = join(folder, 'stack.ts');
    writeFileSync(path, stackingHook());
    const summaries = ['P1', 'S1'];
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
      discover: () => ({ files: [{ path, entry: path, origin: 'explicit', group: 'hooks' }], problems: [] }),
      loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
      settings: () => ({ hookTimeout: 30_000, dialects: {}, confirmWithoutGates: true }),
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

      for (const text of ['msg1', 'msg2', 'msg3', 'msg4', 'msg5']) session.user(text);
      session.add('compaction', { summary: 'C1', firstKeptEntryId: 'e4', tokensBefore: 1 });
      session.user('msg6');
      session.user('msg7');
      assert.deepEqual(await host.commands.runText('/pop 2', conversation), {
        handled: true,
        status: 'Popped to turn 2',
      });
      assert.deepEqual(conversation.actions, [['rebuildContext']]);
      const pop = session.entries.at(-1);
      assert.deepEqual(
        [pop?.type, pop?.['backToIndex'], pop?.['summary'], pop?.['prePopSummary']],
        ['stack_pop', 2, 'S1', 'P1'],
      );

      session.user('msg10');
      assert.deepEqual(await context(), ['[Summary]\n\nP1', '[Summary]\n\nS1', 'msg10']);

      session.user('msg11');
      session.user('msg12');
      session.add('compaction', { summary: 'C2', firstKeptEntryId: 'e11', tokensBefore: 1 });
      assert.deepEqual(await context(), ['[Summary]\n\nC2', 'msg11', 'msg12']);
    } finally {
      await host.dispose();
      loader.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
