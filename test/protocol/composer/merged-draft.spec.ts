import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergedDraft, movedCaret, replacementIn } from '../../../src/protocol/composer/merged-draft';

describe('a draft that two pages change at once', () => {
  it('has both changes when they are at different places', () => {
    assert.equal(mergedDraft('fix the test', 'please fix the test', 'fix the tests'), 'please fix the tests');
    assert.equal(mergedDraft('fix the test', 'fix the tests', 'please fix the test'), 'please fix the tests');
    assert.equal(mergedDraft('alpha beta gamma', 'alpha gamma', 'alpha beta delta'), 'alpha delta');
  });

  it('has what both wrote at the same place, the first one first', () => {
    assert.equal(mergedDraft('', 'hello', 'world'), 'helloworld');
    assert.equal(mergedDraft('a b', 'a x b', 'a y b'), 'a x y b');
    assert.equal(mergedDraft('run it', 'walk it', 'stop it'), 'walkstop it');
  });

  it('keeps what was typed on one page while the other one sent the text', () => {
    assert.equal(mergedDraft('hello', '', 'hello world'), ' world');
  });

  it('has the same change only once', () => {
    assert.equal(mergedDraft('old', 'front old', 'front old'), 'front old');
  });

  it('is the changed text when only one page changed it, and never loses what is typed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (was, changed) => {
        assert.equal(mergedDraft(was, changed, was), changed);
        assert.equal(mergedDraft(was, was, changed), changed);
      }),
    );
    const word = fc.stringMatching(/^[b-y]{1,5}$/);
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), word, word, (was, one, other, mine, theirs) => {
        const insert = (at: number, text: string): string => {
          const place = was === '' ? 0 : at % (was.length + 1);
          return `${was.slice(0, place)}\u0001${text}\u0002${was.slice(place)}`;
        };
        const merged = mergedDraft(was, insert(one, `a${theirs}`), insert(other, `z${mine}`));
        assert.ok(merged.includes(`a${theirs}\u0002`) && merged.includes(`z${mine}\u0002`), merged);
      }),
    );
  });

  it('never cuts a character that is two code units', () => {
    assert.deepEqual(replacementIn('a😀b', 'a😁b'), { start: 1, end: 3, text: '😁' });
    assert.deepEqual(replacementIn('😀', '🨀'), { start: 0, end: 2, text: '🨀' });
    assert.equal(mergedDraft('😀 x', '😁 x', '😀 y'), '😁 y');
  });

  it('leaves the caret between the same characters', () => {
    assert.equal(movedCaret(2, 'hello', 'hello world'), 2);
    assert.equal(movedCaret(5, 'hello', 'oh hello'), 8);
    assert.equal(movedCaret(3, 'hello', 'ho'), 1, 'its place is gone');
  });
});
