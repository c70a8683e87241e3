import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { buildContext } from '../../../src/agent/session/context';
import { asEntryId, type StoredEntry } from '../../../src/agent/session/entry';
import { SessionStore } from '../../../src/agent/session/store';
import { assistant, texts, user, useStores, useTempDir } from './support';
import { runs } from '../../support/long-run';
import { treeOf } from '../../support/session-tree';

const base = (id: string, parentId: string | null) => ({
  id: asEntryId(id),
  parentId: parentId === null ? null : asEntryId(parentId),
  timestamp: '2026-01-01T00:00:00.000Z',
});
const said = (id: string, parentId: string | null): StoredEntry => ({
  ...base(id, parentId),
  type: 'message',
  message: user(id),
});
const context = (entries: StoredEntry[], leaf: string): string[] =>
  texts(buildContext(treeOf(entries).path(leaf)).messages);

describe('session tree', () => {
  it('gives paths, children, ends and common ancestors', () => {
    const tree = treeOf([said('a', null), said('b', 'a'), said('c', 'b'), said('d', 'a'), said('e', null)]);
    const ids = (nodes: readonly { id: string }[]): string => nodes.map(node => node.id).join('');
    assert.equal(ids(tree.path('c')), 'abc');
    assert.equal(ids(tree.path('nope')), '');
    assert.equal(ids(tree.path(null)), '');
    assert.equal(ids(tree.children('a')), 'bd');
    assert.equal(ids(tree.children(null)), 'ae');
    assert.equal(ids(tree.leaves()), 'cde');
    assert.equal(tree.commonAncestor('c', 'd')?.id, 'a');
    assert.equal(tree.commonAncestor('c', 'e'), undefined);
    tree.add({ id: asEntryId('f'), parentId: asEntryId('a'), type: 'custom' });
    assert.equal(ids(tree.children('a')), 'bdf');
    assert.equal(tree.last?.id, 'f');
  });

  it('hangs an entry whose parent is lost on the one before it, and cannot be led in circles', () => {
    const tree = treeOf([said('a', null), said('b', 'lost'), said('c', 'c'), said('d', 'e'), said('e', 'd')]);
    assert.deepEqual(
      tree.path('e').map(node => node.id),
      ['a', 'b', 'c', 'd', 'e'],
    );
  });

  it('keeps the first of two entries with one id', () => {
    const tree = treeOf([said('a', null), said('b', 'a'), said('a', 'b')]);
    assert.equal(tree.nodes.length, 2);
  });
});

describe('session context', () => {
  const compaction = (id: string, parentId: string, kept: string, summary = `sum ${id}`): StoredEntry => ({
    ...base(id, parentId),
    type: 'compaction',
    summary,
    firstKeptEntryId: asEntryId(kept),
    tokensBefore: 1,
  });
  const chain = [said('a', null), said('b', 'a'), said('c', 'b'), compaction('k', 'c', 'b'), said('d', 'k')];

  it('is the summary, what was kept and what came after', () => {
    assert.deepEqual(context(chain, 'd'), ['compactionSummary: sum k', 'user: b', 'user: c', 'user: d']);
    assert.deepEqual(context(chain, 'c'), ['user: a', 'user: b', 'user: c']);
    const { entryIds } = buildContext(treeOf(chain).path('d'));
    assert.deepEqual(entryIds, ['k', 'b', 'c', 'd']);
  });

  it('keeps nothing when the compaction names itself, something later or something elsewhere', () => {
    for (const kept of ['k', 'd', 'nope']) {
      const entries = [...chain.slice(0, 3), compaction('k', 'c', kept), said('d', 'k')];
      assert.deepEqual(context(entries, 'd'), ['compactionSummary: sum k', 'user: d']);
    }
  });

  it('counts only the latest compaction on the path', () => {
    const entries = [...chain, compaction('l', 'd', 'c'), said('e', 'l')];
    assert.deepEqual(context(entries, 'e'), ['compactionSummary: sum l', 'user: c', 'user: d', 'user: e']);
  });

  it('holds messages of hooks and branch summaries, not state, labels, names or unknown types', () => {
    const entries: StoredEntry[] = [
      said('a', null),
      { ...base('b', 'a'), type: 'custom_message', customType: 'n', content: 'hidden', display: false },
      { ...base('c', 'b'), type: 'branch_summary', fromId: 'root', summary: 'left' },
      { ...base('d', 'c'), type: 'branch_summary', fromId: 'root', summary: '' },
      { ...base('e', 'd'), type: 'custom', customType: 'n', data: 1 },
      { ...base('f', 'e'), type: 'label', targetId: asEntryId('a'), label: 'x' },
      { ...base('g', 'f'), type: 'session_info', name: 'x' },
      { ...base('h', 'g'), type: 'stack_pop', backTo: 1 },
    ];
    assert.deepEqual(context(entries, 'h'), ['user: a', 'custom: hidden', 'branchSummary: left']);
  });

  it('takes model and thinking level from the last word on the path', () => {
    const entries: StoredEntry[] = [
      { ...base('a', null), type: 'model_change', provider: 'p', modelId: 'm' },
      { ...base('b', 'a'), type: 'thinking_level_change', thinkingLevel: 'low' },
      { ...base('c', 'b'), type: 'message', message: assistant('x') },
      { ...base('d', 'c'), type: 'thinking_level_change', thinkingLevel: 'high' },
    ];
    const at = (leaf: string) => {
      const { model, thinkingLevel } = buildContext(treeOf(entries).path(leaf));
      return [model?.provider, model?.modelId, thinkingLevel];
    };
    assert.deepEqual(at('d'), ['anthropic', 'claude-test', 'high']);
    assert.deepEqual(at('b'), ['p', 'm', 'low']);
    assert.deepEqual(buildContext([]), { messages: [], entryIds: [], model: null, thinkingLevel: 'off' });
  });
});

/** What a person may do to a session, one step at a time. */
type Step =
  | { readonly do: 'say' | 'state' | 'unknown' | 'reset' }
  | { readonly do: 'branch' | 'label' | 'summary' | 'compact'; readonly at: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Step>({ do: 'say' }, { do: 'state' }, { do: 'unknown' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'reset' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('branch', 'label', 'summary', 'compact'), at: fc.nat(1000) }),
  },
);

function perform(store: SessionStore, steps: readonly Step[]): void {
  for (const [index, action] of steps.entries()) {
    const ids = store.getEntries().map(entry => entry.id);
    const at = 'at' in action ? ids[action.at % Math.max(ids.length, 1)] : undefined;
    if (action.do === 'say') store.appendMessage(index % 2 ? assistant(`m${index}`) : user(`m${index}`));
    else if (action.do === 'state') store.appendCustomEntry('state', { index });
    else if (action.do === 'unknown') store.appendRaw({ type: 'stack_pop', index });
    else if (action.do === 'reset') store.resetLeaf();
    else if (at === undefined) continue;
    else if (action.do === 'branch') store.branch(at);
    else if (action.do === 'label') store.appendLabelChange(at, index % 3 ? `l${index}` : undefined);
    else if (action.do === 'summary') store.branchWithSummary(at, `s${index}`);
    else store.appendCompaction({ summary: `c${index}`, firstKeptEntryId: at, tokensBefore: 1 });
  }
}

describe('sessions at random', function () {
  this.timeout(120_000);
  const dir = useTempDir();
  const stores = useStores();
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('paths follow parents, every entry is in the tree once', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const store = SessionStore.inMemory('/w');
        perform(store, steps);
        for (const entry of store.getEntries()) {
          const path = store.getBranch(entry.id);
          assert.equal(path.at(-1)?.id, entry.id);
          for (const [index, on] of path.entries()) assert.equal(on.parentId, path[index - 1]?.id ?? null);
        }
        const queue = store.getTree();
        let count = 0;
        for (let node = queue.pop(); node; node = queue.pop()) {
          count++;
          queue.push(...node.children);
        }
        assert.equal(count, store.getEntries().length);
      }),
      runs(300, 3_000),
    ));

  it('reopening and forking lose nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(1000), async (steps, pick) => {
        const folder = dir.join('p');
        rmSync(folder, { recursive: true, force: true });
        const store = stores.track(SessionStore.create({ dir: folder, cwd: '/w' }));
        store.appendMessage(user('first'));
        perform(store, steps);
        await store.flush();
        const again = await stores.open(store.getSessionFile()!, { readOnly: true });
        assert.deepEqual(again.problems, []);
        assert.deepEqual(plain(again.getEntries()), plain(store.getEntries()));
        assert.deepEqual([...again.getLabels()], [...store.getLabels()]);

        const entries = store.getEntries();
        const end = entries[pick % entries.length]!;
        const fork = stores.track(await store.fork(end.id, 'at'));
        const kept = store.getBranch(end.id).filter(entry => entry.type !== 'label');
        const copied = fork.getBranch().filter(entry => entry.type !== 'label');
        const bare = (entry: StoredEntry): unknown => plain({ ...entry, parentId: null });
        assert.deepEqual(copied.map(bare), kept.map(bare));
        for (const entry of kept) assert.equal(fork.getLabel(entry.id), store.getLabel(entry.id));
        store.branch(end.id);
        assert.deepEqual(plain(fork.buildSessionContext().messages), plain(store.buildSessionContext().messages));
        for (const opened of [store, again, fork]) await opened.dispose();
      }),
      runs(30, 600),
    );
  });
});
