import assert from 'node:assert/strict';
import type { SlashCommand } from '../../../src/protocol/messages';
import { completeCommand, matchCommands, slashKey, slashQuery } from '../../../webview/composer/slash';

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

  it('completes the name and keeps the arguments', () => {
    assert.deepEqual(completeCommand('/mo', command('model')), { text: '/model ', caret: 7 });
    assert.deepEqual(completeCommand('/mo gpt', command('model')), { text: '/model gpt', caret: 7 });
  });

  it('walks the list in a circle', () => {
    const matches = all.slice(0, 3);
    assert.deepEqual(slashKey({ matches, active: 2 }, 'ArrowDown', ''), { type: 'list', list: { matches, active: 0 } });
    assert.deepEqual(slashKey({ matches, active: 0 }, 'ArrowUp', ''), { type: 'list', list: { matches, active: 2 } });
  });

  it('accepts by Tab and Enter, closes by Escape, and passes other keys on', () => {
    const list = { matches: all, active: 1 };
    assert.deepEqual(slashKey(list, 'Tab', 'na'), { type: 'accept', command: all[1] });
    assert.deepEqual(slashKey(list, 'Enter', 'na'), { type: 'accept', command: all[1] });
    assert.deepEqual(slashKey(list, 'Escape', 'na'), { type: 'list', list: undefined });
    assert.deepEqual(slashKey(list, 'x', 'na'), { type: 'pass' });
  });

  it('lets Enter send a name typed in full', () => {
    assert.deepEqual(slashKey({ matches: all, active: 1 }, 'Enter', 'new'), { type: 'pass' });
    assert.deepEqual(slashKey({ matches: all, active: 1 }, 'Tab', 'new'), { type: 'accept', command: all[1] });
  });
});
