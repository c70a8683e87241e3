import assert from 'node:assert/strict';
import { draftAfterSnapshot, readSavedPage } from '../../../webview/chat/draft-keeper';

describe('draft', () => {
  const page = { conversation: 'c', draft: 'typed later', hostDraft: 'typed' };

  it('takes the host text in a fresh page', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'c', draft: 'kept' }, undefined), 'kept');
  });

  it('keeps what was typed after the host was last told', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'c', draft: 'typed' }, page), 'typed later');
  });

  it('keeps what was typed while the snapshot was on its way', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'c', draft: 'ty' }, page, new Set(['', 'ty'])), 'typed later');
  });

  it('keeps an emptied composer empty', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'c', draft: 'typed' }, { ...page, draft: '' }), '');
  });

  it('takes the host text when it changed behind the page', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'c', draft: 'from a hook' }, page), 'from a hook');
  });

  it('takes the host text of another conversation', () => {
    assert.equal(draftAfterSnapshot({ conversation: 'd', draft: '' }, page), '');
  });

  it('reads back what it saved and nothing else', () => {
    const saved = { ...page, scroll: { id: 'a', offset: 3 }, todosOpen: true };
    assert.deepEqual(readSavedPage(JSON.parse(JSON.stringify(saved))), saved);
    assert.deepEqual(readSavedPage({ ...page, scroll: { id: 1 }, todosOpen: 1 }), page);
    for (const foreign of [undefined, null, 3, 'x', {}, { conversation: 'c' }, { ...page, draft: 4 }]) {
      assert.equal(readSavedPage(foreign), undefined);
    }
  });
});
