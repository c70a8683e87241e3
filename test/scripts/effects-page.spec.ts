import assert from 'node:assert/strict';
import {
  changesText,
  columnsAfter,
  columnsOf,
  effectChanges,
  effectsTable,
  tableOfPage,
  type Effects,
} from '../../scripts/support/effects-page';
import { partOf, withPart } from '../../scripts/support/page-part';

const ONE = { agent: 'Agent One 1.0', seen: { blocks: 'yes', asks: 'no' } };
const TWO = { agent: 'Two 2.0', seen: { blocks: 'yes', asks: 'not tried' } };

describe('the table of what was seen with other agents', () => {
  it('has a column for each agent and a row for each thing that was tried', () => {
    const table = effectsTable([
      { agent: 'One 1.0', seen: { blocks: 'yes', asks: 'no' } },
      { agent: 'Two 2.0', seen: { blocks: 'yes' } },
    ]);
    assert.deepEqual(table.split('\n'), [
      '|        | One 1.0 | Two 2.0   |',
      '| ------ | ------- | --------- |',
      '| blocks | yes     | yes       |',
      '| asks   | no      | not tried |',
    ]);
  });

  it('is the one of its columns', () => {
    assert.deepEqual(columnsOf(effectsTable([ONE, TWO])), [ONE, TWO]);
    assert.equal(effectsTable(columnsOf(tableOfPage())), tableOfPage());
  });

  it('keeps the columns of agents that a run left out, in their places, unless it ran all', () => {
    const seen: readonly Effects[] = [
      { agent: 'Agent One 1.1', seen: { blocks: 'yes', rewrites: 'yes', asks: 'yes' } },
      { agent: 'Three 3', seen: { blocks: 'no' } },
    ];
    const after = columnsAfter([ONE, TWO], seen, { isAll: false });
    assert.deepEqual(
      after.map(({ agent }) => agent),
      ['Agent One 1.1', 'Two 2.0', 'Three 3'],
    );
    assert.deepEqual(Object.keys(after[1]?.seen ?? {}), ['blocks', 'rewrites', 'asks'], 'the order of the newest run');
    assert.deepEqual(after[1]?.seen, { blocks: 'yes', rewrites: 'not tried', asks: 'not tried' });
    assert.deepEqual(columnsAfter([ONE, TWO], seen, { isAll: true }), seen);
    assert.equal(effectsTable(columnsAfter([ONE, TWO], [TWO], { isAll: false })), effectsTable([ONE, TWO]));
  });

  it('is compared by the cells of the agents that ran, whatever their versions', () => {
    const newer = { agent: 'Agent One 1.1', seen: { blocks: 'no', asks: 'no', rewrites: 'yes' } };
    const changes = effectChanges([ONE, TWO], [newer]);
    assert.deepEqual(changes, [
      {
        ...{ name: 'Agent One', before: '1.0', after: '1.1' },
        cells: [
          { tried: 'blocks', before: 'yes', after: 'no' },
          { tried: 'rewrites', before: 'not tried', after: 'yes' },
        ],
      },
    ]);
    assert.equal(changesText(changes), 'Agent One: 1.0 → 1.1\n  blocks: yes → no\n  rewrites: not tried → yes');
    const same = effectChanges([ONE, TWO], [{ ...ONE, agent: 'Agent One 1.1' }, TWO]);
    assert.equal(changesText(same), 'Agent One: 1.0 → 1.1, nothing changed\nTwo: 2.0, nothing changed');
    const gone = effectChanges([ONE], [{ agent: 'Agent One 1.0', seen: { blocks: 'yes' } }]);
    assert.equal(changesText(gone), 'Agent One: 1.0\n  asks: no → not tried');
    const added = effectChanges([ONE], [{ agent: 'Three 3', seen: { blocks: 'yes' } }]);
    assert.equal(changesText(added), 'Three: not in the table → 3\n  blocks: not tried → yes');
  });

  it('is read from the page as it was written', () => {
    const part = { path: 'page.md', begin: '<!-- a -->', end: '<!-- b -->' };
    const page = withPart('before\n<!-- a --><!-- b -->\nafter', part, '| x |\n');
    assert.equal(page, 'before\n<!-- a -->\n\n| x |\n\n<!-- b -->\nafter');
    assert.equal(partOf(page, part), '| x |');
    assert.throws(() => partOf('nothing', part), /page\.md has no part between "<!-- a -->" and "<!-- b -->"/);
  });
});
