import assert from 'node:assert/strict';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import { caretAtEdge, sentTexts, walkHistory } from '../../../webview/composer/history';

const user = (text: string): ChatItem => ({ kind: 'user', id: text, text, images: [], state: 'sent' });

describe('composer history', () => {
  it('lists sent texts newest first, without blanks and repeats', () => {
    const notice: ChatItem = { kind: 'notice', id: 'n', level: 'info', text: 'x' };
    assert.deepEqual(sentTexts([user('a'), notice, user('b'), user('b'), user(' '), user('a')]), ['a', 'b', 'a']);
  });

  it('walks back and forth and ends with the draft', () => {
    const texts = ['two', 'one'];
    const first = walkHistory(texts, undefined, 'older', 'draft');
    assert.deepEqual(first, { walk: { at: 0, draft: 'draft' }, text: 'two' });
    const second = walkHistory(texts, first.walk, 'older', 'two');
    assert.deepEqual(second, { walk: { at: 1, draft: 'draft' }, text: 'one' });
    assert.equal(walkHistory(texts, second.walk, 'older', 'one'), undefined);
    assert.equal(walkHistory(texts, second.walk, 'newer', 'one')?.text, 'two');
    assert.deepEqual(walkHistory(texts, first.walk, 'newer', 'two'), { walk: undefined, text: 'draft' });
    assert.equal(walkHistory(texts, undefined, 'newer', 'draft'), undefined);
  });

  it('begins only at the first line going up and the last going down', () => {
    assert.deepEqual(
      [
        caretAtEdge('a\nb', 1, 'older'),
        caretAtEdge('a\nb', 2, 'older'),
        caretAtEdge('a\nb', 1, 'newer'),
        caretAtEdge('a\nb', 3, 'newer'),
      ],
      [true, false, false, true],
    );
  });
});
