import assert from 'node:assert/strict';
import { openingWords } from '../../src/chat/status';
import type { ChatItem } from '../../src/protocol/items/chat-item';

const said = (id: string, text: string): ChatItem => ({ kind: 'user', id, text, images: [], state: 'sent' });
const notice: ChatItem = { kind: 'notice', id: 'n', level: 'info', text: 'not what a person said' };

describe('the title of a conversation without a name', () => {
  it('is how the first message of the person begins, on one line', () => {
    assert.equal(openingWords([notice, said('a', ' Clean\n\tup '), said('b', 'more')]), 'Clean up');
    assert.equal(openingWords([notice]), '');
  });

  it('is cut, but never within a character', () => {
    const words = openingWords([said('a', `${'x'.repeat(58)}😀 and more`)]);
    assert.equal(words, `${'x'.repeat(58)}…`);
  });

  it('is found without looking at what comes after, as it is asked for at each message', () => {
    let seen = 0;
    const items = function* (): Generator<ChatItem> {
      for (;;) {
        seen += 1;
        yield said(`m${seen}`, `message ${seen}`);
      }
    };
    assert.equal(openingWords(items()), 'message 1');
    assert.equal(seen, 1);
  });
});
