import assert from 'node:assert/strict';
import { effectsTable } from '../../scripts/support/effects-page';
import { partOf, withPart } from '../../scripts/support/page-part';

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

  it('is read from the page as it was written', () => {
    const part = { path: 'page.md', begin: '<!-- a -->', end: '<!-- b -->' };
    const page = withPart('before\n<!-- a --><!-- b -->\nafter', part, '| x |\n');
    assert.equal(page, 'before\n<!-- a -->\n\n| x |\n\n<!-- b -->\nafter');
    assert.equal(partOf(page, part), '| x |');
    assert.throws(() => partOf('nothing', part), /page\.md has no part between "<!-- a -->" and "<!-- b -->"/);
  });
});
