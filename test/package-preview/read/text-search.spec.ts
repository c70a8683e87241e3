import assert from 'node:assert/strict';
import { searchText } from '../../../src/package-preview/read/text-search';

describe('the search in the text of a module', () => {
  it('gives each host once, with the line of its first address', () => {
    const text = `// docs.test is named first
fetch('https://API.test:8443/v1');
require('net');
fetch('https://docs.test'); fetch("wss://api.test");
`;
    const found = searchText('a.js', text, { hosts: true }).map(({ name, places }) => `${name} ${places[0]?.line}`);
    assert.deepEqual(found, ['net 3', 'api.test 2', 'docs.test 4']);
  });

  it('reads a file with very many hosts', () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `https://host-${index}.example.test/`);
    const found = searchText('list.js', lines.join('\n'), { hosts: true });
    assert.deepEqual([found.length, found.at(-1)?.places[0]?.line], [40_000, 40_000]);
  });
});
