/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument -- hooks are foreign code */
import assert from 'node:assert/strict';
import type { DispatchOutcome } from '../../src/hook-contract/record';
import { HookStats, totalStats } from '../../src/hook-insight/stats';
import { hook, hostWith } from '../support/hook-host';

const GATE = { hookPath: '/gate.ts', registeredAs: 'tool_call', nth: 0 } as const;
const CALL = { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'ls' } } as const;

function record(durationMs: number, more: { askedMs?: number; outcome?: DispatchOutcome; startedAt?: number } = {}) {
  return {
    ...GATE,
    seq: 0,
    conversation: 'c',
    event: 'tool_call',
    registration: { line: 1 },
    startedAt: 1,
    askedMs: 0,
    outcome: { type: 'nothing' } as DispatchOutcome,
    durationMs,
    payload: undefined,
    returned: undefined,
    ...more,
  };
}

describe('statistics of handlers', () => {
  it('count calls and errors, and keep the last outcome', () => {
    const stats = new HookStats();
    stats.add(record(1));
    stats.add(record(1, { outcome: { type: 'threw', message: 'x' } }));
    stats.add(record(1, { outcome: { type: 'late', timeoutMs: 5 } }));
    stats.add(record(1, { outcome: { type: 'blocked', reason: 'no' }, startedAt: 77 }));
    const { count, errors, lastAt, lastOutcome } = stats.of(GATE)!;
    assert.deepEqual({ count, errors, lastAt }, { count: 4, errors: 2, lastAt: 77 });
    assert.deepEqual(lastOutcome, { type: 'blocked', reason: 'no' });
  });

  it('take percentiles of the last calls, without the time the person took', () => {
    const stats = new HookStats();
    for (let index = 0; index < 500; index++) stats.add(record(10_000));
    for (let ms = 1; ms <= 128; ms++) stats.add(record(ms + 50, { askedMs: 50 }));
    const { count, p50, p95 } = stats.of(GATE)!;
    assert.deepEqual({ count, p50, p95 }, { count: 628, p50: 64, p95: 122 });
  });

  it('know nothing of a handler that was not called', () => {
    assert.equal(new HookStats().of(GATE), undefined);
    assert.equal(totalStats([undefined]), undefined);
  });

  it('stay bounded: the handler that was silent longest is forgotten first', () => {
    const stats = new HookStats();
    for (let index = 0; index < 2_500; index++) stats.add({ ...record(1), hookPath: `/${index}.ts`, startedAt: index });
    const kept = Array.from({ length: 2_500 }, (_, index) => stats.of({ ...GATE, hookPath: `/${index}.ts` })).filter(
      Boolean,
    );
    assert.equal(kept.length, 2_000);
    assert.equal(stats.of({ ...GATE, hookPath: '/0.ts' }), undefined);
    assert.ok(stats.of({ ...GATE, hookPath: '/2499.ts' }));
  });

  it('equal what the host dispatched, per handler, for handlers of one name and after a reload that moved them', async () => {
    const path = '/two.ts';
    const factory = (pi: { on(name: string, run: () => unknown): void }): void => {
      pi.on('tool_call', () => undefined);
      pi.on('turn_start', () => undefined);
      pi.on('tool_call', () => {
        throw new Error('second');
      });
    };
    const host = await hostWith([hook('ext', factory, path)]);
    const stats = new HookStats();
    host.host.records.onDidDispatch(each => stats.add(each));
    await host.emit(CALL);
    host.hooks = [
      hook(
        'ext',
        pi => {
          pi.on('turn_start', () => undefined);
          factory(pi);
        },
        path,
      ),
    ];
    await host.host.reload();
    await host.emit(CALL);
    assert.deepEqual(
      [0, 1, 2].map(nth => stats.of({ hookPath: path, registeredAs: 'tool_call', nth })?.count),
      [2, 2, undefined],
    );
    assert.equal(stats.of({ hookPath: path, registeredAs: 'tool_call', nth: 1 })?.errors, 2);
    assert.equal(host.records.length, 4);
    await host.host.dispose();
  });

  it('cover commands: calls, and what they throw', async () => {
    const host = await hostWith([
      hook('ext', pi => {
        pi.registerCommand('go', {
          handler: (args: string) => {
            if (args === 'bad') throw new Error('bad args');
          },
        });
      }),
    ]);
    const stats = new HookStats();
    host.host.records.onDidDispatch(each => stats.add(each));
    await host.host.commands.run('go', 'well', host.conversation);
    await host.host.commands.run('go', 'bad', host.conversation);
    const told = stats.of({ hookPath: '/hooks/1.ts', registeredAs: 'command:go', nth: 0 });
    assert.deepEqual([told?.count, told?.errors, told?.lastOutcome.type], [2, 1, 'threw']);
    assert.deepEqual(
      host.errors.map(error => error.event),
      ['command:go'],
    );
    await host.host.dispose();
  });
});
