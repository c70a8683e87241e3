import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  findCutPoint,
  planCompaction,
  prepareCompaction,
  shouldCompact,
  DEFAULT_COMPACTION_SETTINGS,
  type CompactionPreparation,
} from '../../../src/agent/compaction/plan';
import { estimateContext, estimateTokens } from '../../../src/agent/compaction/tokens';
import type { AgentMessage } from '../../../src/agent/messages';
import { asEntryId, type StoredEntry } from '../../../src/agent/session/entry';
import { assistant, user } from '../session/support';
import { budget, cutPointByTheBook, entryOf, pathOf, type Kind, type Made } from './support';
import { runs } from '../../support/long-run';
import { treeOf } from '../../support/session-tree';

const make = (...kinds: (Kind | readonly [Kind, number])[]): Made[] =>
  kinds.map(kind => (typeof kind === 'string' ? { kind, size: 4 } : { kind: kind[0], size: kind[1] }));
const cut = (path: readonly Made[], keep: number): (number | boolean)[] => {
  const point = findCutPoint(path.map(entryOf), 0, path.length, keep);
  return [point.firstKeptEntryIndex, point.turnStartIndex, point.isSplitTurn];
};
const plan = (entries: readonly StoredEntry[], keepRecentTokens: number): CompactionPreparation => {
  const planned = prepareCompaction(entries, { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
  assert.ok(planned.kind === 'ready');
  return planned.preparation;
};

/** Leaves out tool results that no call stands before. */
const wellFormed = (path: readonly Made[]): Made[] => {
  const kept: Made[] = [];
  for (const made of path) {
    const before = kept.at(-1)?.kind ?? '';
    if (made.kind !== 'toolResult' || ['assistant', 'toolResult'].includes(before)) kept.push(made);
  }
  return kept;
};

describe('cut point', function () {
  this.timeout(120_000);

  it('is the slow model of the rules, on thousands of sessions', () =>
    fc.assert(
      fc.property(pathOf(['compaction']), budget, fc.nat(10), (path, keep, from) => {
        const start = Math.min(from, path.length);
        const found = findCutPoint(path.map(entryOf), start, path.length, keep);
        assert.deepEqual(found, cutPointByTheBook(path, start, path.length, keep));
      }),
      runs(5_000, 50_000),
    ));

  it('never keeps a tool result without its call, and starts a turn before the cut', () =>
    fc.assert(
      fc.property(pathOf().map(wellFormed), budget, (path, keep) => {
        const found = findCutPoint(path.map(entryOf), 0, path.length, keep);
        const first = path
          .slice(found.firstKeptEntryIndex)
          .find(({ kind }) => entryOf({ kind, size: 0 }, 0).type === 'message');
        if (path.some(({ kind }) => kind === 'user' || kind === 'assistant')) {
          assert.notEqual(first?.kind, 'toolResult');
        }
        assert.ok(found.turnStartIndex <= found.firstKeptEntryIndex);
        assert.equal(found.isSplitTurn, found.turnStartIndex >= 0);
      }),
      runs(2_000, 20_000),
    ));

  it('takes a sum that just reaches the budget', () => {
    const path = make('user', 'assistant', 'user', 'assistant');
    assert.deepEqual(cut(path, 2), [2, -1, false]);
    assert.deepEqual(cut(path, 3), [1, 0, true]);
  });

  it('keeps the call of a huge tool result at the end, and no more', () => {
    assert.deepEqual(cut(make('user', 'assistant', ['toolResult', 4000]), 100), [1, 0, true]);
    assert.deepEqual(cut(make('toolResult', 'model_change'), 1), [0, -1, false]);
  });

  it('does not take the turn before for split when a setting stands in front of a user message', () => {
    assert.deepEqual(cut(make('user', 'assistant', 'model_change', 'user', 'assistant'), 2), [2, -1, false]);
    assert.deepEqual(cut(make('user', 'assistant', 'custom', 'label', 'unknown', 'user'), 1), [2, -1, false]);
  });

  it('splits a turn that the settings in front of an answer belong to', () =>
    assert.deepEqual(cut(make('user', 'assistant', 'toolResult', 'model_change', 'assistant'), 1), [3, 0, true]));

  it('takes a command of the user for the beginning of a turn and for a place to cut', () => {
    assert.deepEqual(cut(make('user', 'assistant', 'bash', 'assistant'), 2), [2, -1, false]);
    assert.deepEqual(cut(make('bash', 'assistant', 'assistant'), 1), [2, 0, true]);
  });

  it('counts messages of hooks and summaries of branches, and begins turns with them', () => {
    assert.deepEqual(cut(make('user', 'assistant', 'custom_message', 'assistant'), 2), [2, -1, false]);
    assert.deepEqual(cut(make('user', 'assistant', ['branch_summary', 8], 'assistant'), 3), [2, -1, false]);
    assert.deepEqual(cut(make('user', 'custom_message', 'assistant', 'assistant'), 1), [3, 1, true]);
  });

  it('counts no state of hooks', () =>
    assert.deepEqual(cut(make('user', 'assistant', ['custom', 100_000], 'user'), 2), [1, 0, true]));
});

describe('compaction plan', function () {
  this.timeout(120_000);

  const path = make('model_change', 'user', 'assistant', 'toolResult', 'user', 'assistant', 'toolResult', 'assistant');

  it('parts history, beginning of the split turn, and what is kept', () => {
    const preparation = plan(path.map(entryOf), 1);
    assert.deepEqual(preparation.cutPoint, { firstKeptEntryIndex: 7, turnStartIndex: 4, isSplitTurn: true });
    const roles = (messages: readonly AgentMessage[]): string[] => messages.map(message => message.role);
    assert.deepEqual(roles(preparation.messagesToSummarize), ['user', 'assistant', 'toolResult']);
    assert.deepEqual(roles(preparation.turnPrefixMessages), ['user', 'assistant', 'toolResult']);
    assert.deepEqual(roles(preparation.messagesToKeep), ['assistant']);
    assert.equal(preparation.firstKeptEntryId, 'e7');
    assert.equal(preparation.previousSummary, undefined);
    assert.equal(preparation.boundaryStart, 0);
  });

  it('carries the last summary on, and loses nothing that it had kept', () => {
    const entries: StoredEntry[] = make(
      'user',
      'assistant',
      'user',
      'assistant',
      'compaction',
      'user',
      'assistant',
      'user',
    ).map(entryOf);
    entries[4] = {
      ...(entries[4] as StoredEntry & { type: 'compaction' }),
      firstKeptEntryId: asEntryId('e2'),
      details: { readFiles: ['a'], modifiedFiles: ['b'] },
    };
    const preparation = plan(entries, 1);
    assert.equal(preparation.boundaryStart, 2);
    assert.equal(preparation.previousSummary, 'sum4');
    assert.deepEqual(
      preparation.messagesToSummarize.map(message => message.role),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.equal(preparation.firstKeptEntryId, 'e7');
    assert.deepEqual([...preparation.fileOps.read, ...preparation.fileOps.edited], ['a', 'b']);
  });

  it('keeps again what the last compaction kept, if it fits', () => {
    const entries: StoredEntry[] = make(
      'user',
      'assistant',
      'user',
      'assistant',
      'compaction',
      'user',
      'assistant',
    ).map(entryOf);
    entries[4] = { ...(entries[4] as StoredEntry & { type: 'compaction' }), firstKeptEntryId: asEntryId('e1') };
    const preparation = plan(entries, 3);
    assert.equal(preparation.firstKeptEntryId, 'e3');
    assert.deepEqual(
      preparation.messagesToSummarize.map(message => message.role),
      ['assistant'],
    );
    assert.deepEqual(
      preparation.turnPrefixMessages.map(message => message.role),
      ['user'],
    );
    assert.deepEqual(
      preparation.messagesToKeep.map(message => message.role),
      ['assistant', 'user', 'assistant'],
    );
  });

  it('every message of the context is summarized or kept, none twice', () =>
    fc.assert(
      fc.property(pathOf(['compaction']), budget, (made, keep) => {
        const entries = made.map(entryOf);
        const planned = prepareCompaction(entries, { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens: keep });
        if (planned.kind === 'refused') return;
        const { messagesToSummarize, turnPrefixMessages, messagesToKeep } = planned.preparation;
        const after = made.findLastIndex(({ kind }) => kind === 'compaction') + 1;
        const all = [...messagesToSummarize, ...turnPrefixMessages, ...messagesToKeep];
        const spoken: Kind[] = [
          'user',
          'assistant',
          'toolResult',
          'bash',
          'customRole',
          'custom_message',
          'branch_summary',
        ];
        const expected = made
          .slice(after)
          .filter(({ kind, size }) => spoken.includes(kind) && (kind !== 'branch_summary' || size > 0));
        assert.equal(all.length, expected.length);
      }),
      runs(1_000, 10_000),
    ));

  it('refuses right after a compaction, and what is empty', () => {
    const refused = (entries: readonly StoredEntry[]): string => {
      const planned = prepareCompaction(entries, DEFAULT_COMPACTION_SETTINGS);
      return planned.kind === 'refused' ? planned.reason : 'ready';
    };
    assert.equal(refused(make('user', 'compaction').map(entryOf)), 'Already compacted');
    assert.equal(refused([]), 'Nothing to compact (session too small)');
  });

  it('reads only what it needs of a long session', () => {
    const long = [
      ...Array.from({ length: 500 }, () => make('user', 'assistant')).flat(),
      ...make('compaction'),
      ...path,
    ];
    const read = new Set<string>();
    planCompaction(
      treeOf(long.map(entryOf)).path(`e${long.length - 1}`),
      node => {
        read.add(node.id);
        return node.entry;
      },
      DEFAULT_COMPACTION_SETTINGS,
    );
    assert.ok(read.size <= path.length + 1, `${read.size} entries read`);
  });

  it('collects files from tool calls', () => {
    const calls = ['read:a', 'read:b', 'edit:b', 'write:c', 'bash:d'].map(call => {
      const [name = '', path = ''] = call.split(':');
      return { type: 'toolCall' as const, id: call, name, arguments: { path } };
    });
    const entry = entryOf({ kind: 'assistant', size: 1 }, 1);
    const message = {
      ...assistant('x'),
      content: [...calls, { type: 'toolCall' as const, id: 'z', name: 'read', arguments: {} }],
    };
    const { fileOps } = plan(
      [...make('user').map(entryOf), { ...entry, message }, ...make('user').map(made => entryOf(made, 2))],
      1,
    );
    assert.deepEqual([[...fileOps.read], [...fileOps.written], [...fileOps.edited]], [['a', 'b'], ['c'], ['b']]);
  });
});

describe('token estimates', () => {
  it('are a quarter of the characters, rounded up', () => {
    const call = { type: 'toolCall' as const, id: 'i', name: 'read', arguments: { path: 'a' } };
    const image = { type: 'image' as const, data: 'x'.repeat(9999), mimeType: 'image/png' };
    assert.equal(estimateTokens(user('12345')), 2);
    assert.equal(
      estimateTokens({ ...assistant('1234'), content: [call, { type: 'thinking', thinking: '1234' }] }),
      Math.ceil((4 + 12 + 4) / 4),
    );
    assert.equal(estimateTokens({ ...user(''), content: [image] }), 1200);
    assert.equal(estimateTokens({ role: 'compactionSummary', summary: '12345678', tokensBefore: 0, timestamp: 1 }), 2);
    assert.equal(estimateTokens({ role: 'from the future' } as never), 0);
  });

  it('go on from the last count that holds', () => {
    const counted = (totalTokens: number, timestamp: number, stopReason: 'stop' | 'error' | 'aborted' = 'stop') => {
      const message = assistant('1234', timestamp);
      return { ...message, stopReason, usage: { ...message.usage, totalTokens } };
    };
    assert.deepEqual(estimateContext([user('x'), counted(100, 5), user('12345678')]), {
      tokens: 102,
      usageTokens: 100,
      trailingTokens: 2,
      lastUsageIndex: 1,
    });
    assert.equal(estimateContext([counted(100, 5), counted(7, 6, 'error'), counted(7, 7, 'aborted')]).tokens, 102);
    const summary = { role: 'compactionSummary' as const, summary: '1234', tokensBefore: 1, timestamp: 10 };
    assert.equal(estimateContext([summary, counted(90_000, 5), user('1234')]).tokens, 3);
    assert.equal(estimateContext([summary, counted(90_000, 5), counted(50, 11)]).tokens, 50);
    assert.equal(
      estimateContext([{ ...counted(0, 1), usage: { ...counted(0, 1).usage, input: 3, cacheRead: 4, output: 1 } }])
        .tokens,
      8,
    );
  });

  it('ask for a compaction above the window less the reserve', () => {
    const settings = { enabled: true, reserveTokens: 100, keepRecentTokens: 1 };
    assert.equal(shouldCompact(900, 1000, settings), false);
    assert.equal(shouldCompact(901, 1000, settings), true);
    assert.equal(shouldCompact(901, 1000, { ...settings, enabled: false }), false);
  });
});

describe('a plan over entries that pi has edited', () => {
  const at = (id: string, rest: object): StoredEntry =>
    ({ id: asEntryId(id), parentId: null, timestamp: '', ...rest }) as StoredEntry;
  const said = (id: string, message: AgentMessage): StoredEntry => at(id, { type: 'message', message });

  it('summarizes and keeps what the model gets, not what stood there before', () => {
    const path = [
      said('a', user('secret one')),
      said('b', assistant('dropped')),
      said('c', user('kept')),
      at('d', { type: 'context_edit', targetId: 'a', replacement: { content: '[redacted]' } }),
      at('e', { type: 'context_edit', targetId: 'b', replacement: null }),
      at('f', { type: 'context_edit', targetId: 'c', replacement: { content: 'secret two gone' } }),
      said('g', assistant('end')),
    ];
    const { messagesToSummarize, messagesToKeep, turnPrefixMessages } = plan(path, 1);
    const all = JSON.stringify([messagesToSummarize, turnPrefixMessages, messagesToKeep]);
    assert.ok(all.includes('[redacted]') && all.includes('secret two gone'), all);
    assert.ok(!all.includes('secret one') && !all.includes('dropped') && !all.includes('"kept"'), all);
  });

  it('summarizes what was asked when all answers to it were taken out', () => {
    const path = [
      said('a', user('before')),
      said('b', assistant('done')),
      said('c', user('far too long to be kept')),
      said('d', assistant('failed')),
      at('e', { type: 'context_edit', targetId: 'd', replacement: null }),
    ];
    const { firstKeptEntryId, isSplitTurn, turnPrefixMessages, messagesToKeep } = plan(path, 1);
    assert.deepEqual([firstKeptEntryId, isSplitTurn, messagesToKeep], ['d', true, []]);
    assert.deepEqual(turnPrefixMessages, [user('far too long to be kept')]);
  });

  it('keeps what was asked when it, or what stands before it, was replaced since', () => {
    const path = [
      said('a', user('before')),
      said('b', assistant('done')),
      said('c', user('far too long to be kept')),
      said('d', assistant('failed')),
      at('e', { type: 'context_edit', targetId: 'd', replacement: null }),
      at('f', { type: 'context_edit', targetId: 'a', replacement: { content: 'other words' } }),
    ];
    assert.equal(plan(path, 1).firstKeptEntryId, 'c');
  });

  it('does not go by what was counted before an edit', () => {
    const counted = assistant('1234');
    const path = [
      said('a', user('12345678')),
      said('b', { ...counted, usage: { ...counted.usage, totalTokens: 90_000 } }),
      said('c', user('1234')),
      at('d', { type: 'context_edit', targetId: 'a', replacement: { content: '1234' } }),
      said('e', user('1234')),
    ];
    assert.equal(plan(path, 1).tokensBefore, 4);
  });
});
