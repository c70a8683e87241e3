/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { CompactionPreparation, HookEvent } from '../../../src/hook-contract/hook-event';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { FAKE_MODEL } from '../../support/fake-conversation';
import { DIALECTS, hook, hostWith, type Foreign } from '../../support/hook-host';
import { withSession } from './support';

function preparation(more: Partial<CompactionPreparation> = {}): CompactionPreparation {
  return {
    cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
    firstKeptEntryId: 'e2',
    messagesToSummarize: [{ role: 'user', content: 'one', timestamp: 1 }],
    messagesToKeep: [{ role: 'user', content: 'two', timestamp: 2 }],
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 100,
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: { enabled: true, reserveTokens: 1, keepRecentTokens: 1 },
    boundaryStart: 0,
    ...more,
  };
}

function beforeCompact(): Extract<HookEvent, { type: 'session_before_compact' }> {
  return {
    type: 'session_before_compact',
    preparation: preparation(),
    branchEntries: [],
    previousCompactions: [],
    reason: 'manual',
    willRetry: false,
    model: FAKE_MODEL,
    signal: new AbortController().signal,
  };
}

describe('conflicts over sessions', () => {
  describe('C7 a custom summary', () => {
    const answered = async (dialect: DialectId, name: string, answer: unknown): Promise<Foreign> => {
      const host = await withSession([hook(dialect, pi => pi.on(name, () => answer))]);
      return { ...(await host.emit(beforeCompact())), errors: host.errors };
    };
    const entry = (index: unknown) => ({
      compactionEntry: {
        type: 'compaction',
        timestamp: 'now',
        summary: 'mine',
        firstKeptEntryIndex: index,
        tokensBefore: 7,
      },
    });

    it('is taken under either key from any dialect', async () => {
      for (const dialect of DIALECTS) {
        const byId = await answered(dialect, 'session_before_compact', {
          compaction: { summary: 'mine', firstKeptEntryId: 'e2', tokensBefore: 7, details: { a: 1 } },
        });
        assert.deepEqual(byId.compaction, {
          summary: 'mine',
          firstKeptEntryId: 'e2',
          tokensBefore: 7,
          details: { a: 1 },
        });
        assert.deepEqual((await answered(dialect, 'session', entry(2))).compaction, {
          summary: 'mine',
          firstKeptEntryId: 'e2',
          tokensBefore: 7,
        });
      }
    });
    it('maps the header to the first entry, and what lies behind the end to keeping nothing', async () => {
      assert.equal((await answered('v1', 'session', entry(0))).compaction.firstKeptEntryId, 'e1');
      assert.equal((await answered('v1', 'session', entry(3))).compaction.firstKeptEntryId, '');
      assert.equal((await answered('v1', 'session', entry(99))).compaction.firstKeptEntryId, '');
    });
    it('with a useless index or summary is a problem, and the default summary is made', async () => {
      const wrong = await answered('v1', 'session', entry('two'));
      assert.equal(wrong.compaction, undefined);
      assert.match(wrong.errors[0].message, /"compactionEntry" must name the first kept entry/);
      assert.match(
        (await answered('omp', 'session_before_compact', { compaction: { firstKeptEntryId: 'e1' } })).errors[0].message,
        /"compaction.summary" must be a string/,
      );
    });
    it('an empty object, or a throw, means the default', async () => {
      assert.equal((await answered('v1', 'session', {})).compaction, undefined);
      const host = await withSession([
        hook('tree', pi =>
          pi.on('session_before_compact', () => {
            throw new Error('no');
          }),
        ),
      ]);
      assert.deepEqual(await host.emit(beforeCompact()), { cancelled: false });
    });
  });

  it('C8 before a compaction every shape of the plan is there, counted as each shape counts', async () => {
    for (const [name, type] of [
      ['session', 'session'],
      ['session_before_compact', 'session_before_compact'],
    ] as const) {
      let got: Foreign;
      const host = await withSession([
        hook('tree', pi =>
          pi.on(name, (event: Foreign) => {
            got = event;
          }),
        ),
      ]);
      await host.emit(beforeCompact());
      assert.equal(got.type, type);
      assert.equal(got.cutPoint.firstKeptEntryIndex, 2);
      assert.equal(got.preparation.firstKeptEntryId, 'e2');
      assert.equal(got.messagesToSummarize[0].content, 'one');
      assert.equal(got.preparation.messagesToKeep[0].content, 'two');
      assert.equal(got.tokensBefore, 100);
      assert.equal(got.preparation.isSplitTurn, false);
      assert.equal(await got.resolveApiKey(got.model), 'key');
      assert.equal(got.signal.aborted, false);
      assert.deepEqual(got.previousCompactions, []);
      assert.deepEqual(got.branchEntries, []);
      assert.equal(got.entries.length, 3);
    }
  });

  it('C9 after a compaction both flags, the tokens and the new entry are told', async () => {
    const got: Foreign[] = [];
    const host = await withSession([
      hook('v1', pi =>
        pi.on('session', (event: Foreign) => {
          got.push(event);
        }),
      ),
      hook('ext', pi =>
        pi.on('session_compact', (event: Foreign) => {
          got.push(event);
        }),
      ),
    ]);
    const id = host.conversation.session.add('compaction', {
      summary: 's',
      firstKeptEntryId: 'e2',
      tokensBefore: 9,
      fromHook: true,
    });
    const compactionEntry = host.conversation.session.entries.at(-1)!;
    await host.emit({
      type: 'session_compact',
      compactionEntry,
      tokensBefore: 9,
      fromHook: true,
      reason: 'manual',
      willRetry: false,
    });
    for (const event of got) {
      assert.equal(event.compactionEntry.id, id);
      assert.equal(event.compactionEntry.firstKeptEntryIndex, 2);
      assert.deepEqual([event.tokensBefore, event.fromHook, event.fromExtension], [9, true, true]);
    }
    assert.equal(got[0].reason, 'compact');
    assert.equal(got[0].entries.at(-1).id, id);
  });

  it('C25 session.compacting goes to handlers of that very name, and the latest answer counts', async () => {
    const got: Foreign[] = [];
    const host = await hostWith([
      hook('omp', pi =>
        pi.on('session.compacting', (event: Foreign) => {
          got.push(event);
          return { context: ['a'], prompt: 'p' };
        }),
      ),
      hook('omp', pi => pi.on('session.compacting', () => ({ context: ['b'], preserveData: { k: 1 } }))),
      hook('v1', pi =>
        pi.on('session', () => {
          got.push('session');
        }),
      ),
    ]);
    const result = await host.emit({ type: 'session_compacting', sessionId: 's', messages: [] });
    assert.deepEqual(result, { context: ['b'], preserveData: { k: 1 } });
    assert.deepEqual(
      got.map(event => event.type),
      ['session.compacting'],
    );
    assert.equal(host.runner.hasHandlers('session_compacting'), true);
  });

  it('a tree summary counts only when the user asked for one', async () => {
    const tree = async (userWantsSummary: boolean): Promise<unknown> => {
      const host = await hostWith([
        hook('ext', pi => pi.on('session_before_tree', () => ({ summary: { summary: 'mine' }, label: 'l' }))),
      ]);
      return await host.emit({
        type: 'session_before_tree',
        preparation: {
          targetId: 'a',
          oldLeafId: 'b',
          commonAncestorId: null,
          entriesToSummarize: [],
          userWantsSummary,
        },
        model: undefined,
        signal: new AbortController().signal,
      });
    };
    assert.deepEqual(await tree(true), { cancelled: false, summary: { summary: 'mine' }, label: 'l' });
    assert.deepEqual(await tree(false), { cancelled: false, label: 'l' });
  });
});
