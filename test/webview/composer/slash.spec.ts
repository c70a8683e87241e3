import assert from 'node:assert/strict';
import type { SlashCommand } from '../../../src/protocol/messages';
import { matchCommands, slashQuery } from '../../../src/protocol/composer-query';

const command = (name: string): SlashCommand => ({ name, description: '', source: 'built-in' });
const all = ['new', 'name', 'resume', 'model', 'my-new', 'renew', 'Compact'].map(command);

describe('slash completion', () => {
  const queries: [string, number, string | undefined][] = [
    ['/', 1, ''],
    ['/mo', 3, 'mo'],
    ['/mo', 1, 'mo'],
    ['/mo', 0, undefined],
    ['/mo gpt', 7, undefined],
    ['/mo gpt', 3, 'mo'],
    ['text /mo', 8, undefined],
    ['', 0, undefined],
    ['/a\nb', 4, undefined],
  ];
  for (const [text, caret, expected] of queries) {
    it(`reads ${JSON.stringify(text)} with the caret at ${caret} as ${JSON.stringify(expected)}`, () => {
      assert.equal(slashQuery(text, caret), expected);
    });
  }

  it('puts the same start first, then a word start, then the rest', () => {
    assert.deepEqual(
      matchCommands(all, 'ne').map(({ name }) => name),
      ['new', 'my-new', 'renew'],
    );
  });

  it('offers all by name for an empty query and none for nonsense, whatever the case', () => {
    assert.equal(matchCommands(all, '').length, all.length);
    assert.deepEqual(matchCommands(all, 'zzz'), []);
    assert.deepEqual(matchCommands(all, 'comp'), [command('Compact')]);
  });
});
