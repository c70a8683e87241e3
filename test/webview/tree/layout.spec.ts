import assert from 'node:assert/strict';
import {
  readHostToTree,
  readTreeToHost,
  type HostToTree,
  type TreeEntry,
} from '../../../src/protocol/pages/session-tree';
import { treeRows, unfoldedFor, WHOLE_TREE, type TreeView } from '../../../webview/tree/layout';
import { emptyTree, reduceTree, type TreeState } from '../../../webview/tree/tree-state';

const entry = (id: string, parent: string | null, kind: TreeEntry['kind'] = 'user', label?: string): TreeEntry => ({
  id,
  parent,
  kind,
  text: `text of ${id}`,
  time: '',
  ...(label === undefined ? {} : { label }),
});

function tree(leaf: string | null, ...entries: readonly TreeEntry[]): TreeState {
  const messages: readonly HostToTree[] = [
    { type: 'entries', entries, replace: true, done: true },
    { type: 'leaf', id: leaf, title: '' },
  ];
  return messages.reduce(reduceTree, emptyTree());
}

/** Each row as its lane, key, and what marks it. */
function drawn(state: TreeState, view: TreeView = WHOLE_TREE): string[] {
  return treeRows(state, view).map(
    ({ lane, key, starts, ends, onPath, count }) =>
      `${'  '.repeat(lane)}${key}${count > 1 ? ` (${count})` : ''}${starts ? ' starts' : ''}${ends ? ' ends' : ''}${onPath ? ' *' : ''}`,
  );
}

const BRANCHED = tree(
  'e',
  entry('a', null),
  entry('b', 'a', 'assistant'),
  entry('c', 'b'),
  entry('d', 'c', 'assistant'),
  entry('x', 'b'),
  entry('y', 'x', 'assistant'),
  entry('z', 'x', 'assistant'),
  entry('e', 'd'),
);

describe('the picture of a session tree', () => {
  it('keeps the current path in its lane and draws what leaves it before it goes on', () => {
    assert.deepEqual(drawn(BRANCHED), [
      'a *',
      'b *',
      '  x starts',
      '    y starts ends',
      '  z ends',
      'c *',
      'd *',
      'e ends *',
    ]);
  });

  it('unfolds a run of 200,000 entries', () => {
    const steps = Array.from({ length: 200_000 }, (_, at) => entry(`s${at}`, at === 0 ? 'u' : `s${at - 1}`, 'tool'));
    const entries = [entry('u', null), ...steps, entry('end', 's199999')];
    const state = reduceTree(emptyTree(), { type: 'entries', entries, replace: true, done: true });
    const rows = treeRows(state, { ...WHOLE_TREE, toggled: new Set(['s0']) });
    assert.equal(rows.length, 200_003);
  });

  it('follows what was written last where the path does not lead', () => {
    assert.deepEqual(drawn({ ...BRANCHED, leaf: null }), [
      'a',
      'b',
      '  c starts',
      '  d',
      '  e ends',
      'x',
      '  y starts ends',
      'z ends',
    ]);
  });

  it('draws several beginnings', () => {
    assert.deepEqual(drawn(tree('b', entry('a', null), entry('b', null))), ['  a starts ends', 'b ends *']);
  });

  const steps = (leaf: string, label?: string): TreeState =>
    tree(
      leaf,
      entry('u', null),
      entry('a1', 'u', 'assistant'),
      entry('t1', 'a1', 'tool'),
      entry('a2', 't1', 'assistant', label),
      entry('t2', 'a2', 'tool'),
      entry('a3', 't2', 'assistant'),
      entry('v', 'a3'),
    );

  it('folds the steps between two messages, but not the answer, a label or the current entry', () => {
    assert.deepEqual(drawn(steps('v')), ['u *', 'run a1 (4) *', 'a3 *', 'v ends *']);
    assert.deepEqual(drawn(steps('v', 'here')), ['u *', 'run a1 (2) *', 'a2 *', 't2 *', 'a3 *', 'v ends *']);
    assert.deepEqual(drawn(steps('t1')), ['u *', 'a1 *', 't1 *', 'run a2 (2)', 'a3', 'v ends']);
  });

  it('unfolds a run, and folds the branches of a fork', () => {
    const open = { ...WHOLE_TREE, toggled: new Set(['a1']) };
    assert.deepEqual(drawn(steps('v'), open), [
      'u *',
      'run a1 (4) *',
      'a1 *',
      't1 *',
      'a2 *',
      't2 *',
      'a3 *',
      'v ends *',
    ]);
    assert.deepEqual(drawn(BRANCHED, { ...WHOLE_TREE, toggled: new Set(['b']) }), [
      'a *',
      'b *',
      'c *',
      'd *',
      'e ends *',
    ]);
  });

  it('filters by words, by messages of the person, by labels', () => {
    assert.deepEqual(drawn(BRANCHED, { ...WHOLE_TREE, text: 'OF z' }), ['  z ends']);
    assert.deepEqual(drawn(BRANCHED, { ...WHOLE_TREE, show: 'user' }), ['a *', '  x starts', 'c *', 'e ends *']);
    assert.deepEqual(drawn(steps('v', 'here'), { ...WHOLE_TREE, show: 'labelled' }), ['a2 *']);
    assert.deepEqual(drawn(steps('v', 'here'), { ...WHOLE_TREE, text: 'here' }), ['a2 *']);
    assert.deepEqual(drawn(BRANCHED, { ...WHOLE_TREE, text: 'nothing' }), []);
  });

  it('unfolds what hides an entry', () => {
    const folded = { text: 'x', show: 'labelled', toggled: new Set(['b']) } as const;
    assert.ok(treeRows(BRANCHED, unfoldedFor(BRANCHED, folded, 'y')).some(({ key }) => key === 'y'));
    assert.ok(treeRows(steps('v'), unfoldedFor(steps('v'), WHOLE_TREE, 't2')).some(({ key }) => key === 't2'));
    assert.equal(unfoldedFor(BRANCHED, WHOLE_TREE, 'none'), WHOLE_TREE);
  });

  it('counts the rows of each branch for screen readers', () => {
    const places = treeRows(BRANCHED, WHOLE_TREE).map(({ key, place, places }) => `${key} ${place}/${places}`);
    assert.deepEqual(places, ['a 1/5', 'b 2/5', 'x 1/2', 'y 1/1', 'z 2/2', 'c 3/5', 'd 4/5', 'e 5/5']);
  });

  it('grows, moves its leaf, takes labels and loses them', () => {
    let state = reduceTree(BRANCHED, {
      type: 'entries',
      entries: [entry('f', 'e', 'assistant')],
      replace: false,
      done: true,
    });
    state = reduceTree(state, { type: 'leaf', id: 'f', title: 'Name' });
    assert.equal(drawn(state).at(-1), 'f ends *');
    state = reduceTree(state, { type: 'label', id: 'a', label: 'one' });
    assert.equal(state.labels.get('a'), 'one');
    assert.equal(reduceTree(state, { type: 'label', id: 'a', label: null }).labels.size, 0);
    assert.deepEqual(
      drawn(reduceTree(state, { type: 'entries', entries: [entry('n', null)], replace: true, done: true })),
      ['n ends'],
    );
  });

  it('is drawn for 50,000 entries and a thousand nested branches without recursion', () => {
    const many: TreeEntry[] = [];
    for (let n = 0; n < 50_000; n++) {
      many.push(entry(`e${n}`, n === 0 ? null : `e${n - 1}`, n % 5 === 0 ? 'user' : 'tool'));
    }
    assert.equal(treeRows(tree('e49999', ...many), WHOLE_TREE).length, 20_001);
    const nested: TreeEntry[] = [entry('n0', null)];
    for (let n = 1; n < 2000; n++) nested.push(entry(`n${n}`, `n${n - 1}`), entry(`m${n}`, `n${n - 1}`));
    const rows = treeRows(tree('n0', ...nested), WHOLE_TREE);
    assert.equal(rows.length, 3999);
    assert.ok(rows.some(({ lane }) => lane === 1999));
  });

  it('takes only messages that are some', () => {
    assert.ok(
      readHostToTree({ type: 'entries', entries: [entry('a', null, 'user', 'x')], replace: true, done: false }),
    );
    assert.equal(readHostToTree({ type: 'entries', entries: [{ id: 'a' }], replace: true, done: false }), undefined);
    assert.equal(readHostToTree({ type: 'leaf', id: 5, title: '' }), undefined);
    assert.ok(readTreeToHost({ type: 'continueFrom', id: 'a' }));
    for (const wrong of [{ type: 'continueFrom' }, { type: 'toString' }, null, 'ready', []]) {
      assert.equal(readTreeToHost(wrong), undefined);
    }
  });
});
