/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import { hook, hostWith, until, type Factory, type Foreign } from '../../support/hook-host';
import { user } from './support';

describe('conflicts over messages and prompts', () => {
  it('a late context handler cannot change the messages of those after it', async () => {
    const host = await hostWith([
      hook('tree', pi =>
        pi.on('context', async (event: Foreign) => {
          const { messages } = event;
          await new Promise(resolve => setTimeout(resolve, 120));
          messages[0].content = 'too late';
        }),
      ),
    ]);
    host.settings.hookTimeout = 20;
    const result = await host.emit({ type: 'context', messages: [user('a')], entryIds: ['e1'] });
    await new Promise(resolve => setTimeout(resolve, 150));
    assert.deepEqual(result.messages, [user('a')]);
    assert.match(host.errors[0]?.message ?? '', /^Hook timed out after 20ms$/);
  });

  describe('C19 timeouts', () => {
    const hang =
      (event: string): Factory =>
      pi =>
        pi.on(event, () => new Promise(() => undefined));
    const turn = { type: 'turn_start', turnIndex: 0, timestamp: 1 } as const;

    it('hold for v1, v2 and tree: the late handler is named, and the next one runs', async () => {
      for (const dialect of ['v1', 'v2', 'tree'] as const) {
        let next = 0;
        const host = await hostWith([
          hook(dialect, hang('turn_start'), '/hooks/slow.ts'),
          hook('ext', pi => pi.on('turn_start', () => next++)),
        ]);
        host.settings.hookTimeout = 20;
        await host.emit(turn);
        assert.deepEqual(
          [host.errors[0]?.hookPath, host.errors[0]?.event, host.errors[0]?.message, next],
          ['/hooks/slow.ts', 'turn_start', 'Hook timed out after 20ms', 1],
        );
        assert.equal(host.outcomes()[0], 'slow.ts turn_start: late');
      }
    });

    it('do not hold for omp and ext, nor for tool_call', async () => {
      for (const [dialect, event] of [
        ['omp', turn],
        ['ext', turn],
        ['v1', { type: 'tool_call', toolCallId: 't', toolName: 'x', input: {} }],
      ] as const) {
        const waits: Factory = pi => pi.on(event.type, () => new Promise(resolve => setTimeout(resolve, 80)));
        const host = await hostWith([hook(dialect, waits)]);
        host.settings.hookTimeout = 15;
        await host.emit(event);
        assert.deepEqual(host.errors, []);
      }
    });

    it('do not hold for a tree compaction, but for a v1 one', async () => {
      const compact = {
        type: 'session_before_compact',
        preparation: { fileOps: { read: [], written: [], edited: [] } } as never,
        branchEntries: [],
        previousCompactions: [],
        reason: 'manual',
        willRetry: false,
        model: {} as never,
        signal: new AbortController().signal,
      } as const;
      for (const [dialect, late] of [
        ['tree', 0],
        ['v1', 1],
      ] as const) {
        const waits: Factory = pi =>
          pi.on('session_before_compact', () => new Promise(resolve => setTimeout(resolve, 80)));
        const host = await hostWith([hook(dialect, waits)]);
        host.settings.hookTimeout = 15;
        await host.emit(compact);
        assert.equal(host.errors.length, late, dialect);
      }
    });

    it('stand still while the handler asks the user', async () => {
      const host = await hostWith([
        hook('v1', pi =>
          pi.on('turn_start', async (_event: Foreign, ctx: Foreign) => {
            await ctx.ui.confirm('Really?', '');
          }),
        ),
      ]);
      host.settings.hookTimeout = 30;
      const running = host.emit(turn);
      await until(() => host.conversation.ui.open.length === 1, 'the dialog');
      await new Promise(resolve => setTimeout(resolve, 120));
      host.conversation.ui.open[0]?.answer(true);
      await running;
      assert.deepEqual(host.errors, []);
      assert.equal(host.outcomes()[0], '1.ts turn_start: nothing');
      assert.ok((host.records[0]?.askedMs ?? 0) >= 100);
    });
  });

  it('C26 handlers run in order of loading, then of registration', async () => {
    const log: string[] = [];
    const two =
      (name: string): Factory =>
      pi => {
        pi.on('agent_start', () => log.push(`${name}1`));
        pi.on('agent_start', async () => {
          await Promise.resolve();
          log.push(`${name}2`);
        });
      };
    const host = await hostWith([hook('v1', two('a')), hook('ext', two('b')), hook('tree', two('c'))]);
    await host.emit({ type: 'agent_start' });
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
  });
});
