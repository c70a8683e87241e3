import assert from 'node:assert/strict';
import { safeAnswer } from '../../src/protocol/items/safe-answer';

describe('the answer that a question starts on', () => {
  const select = (...options: string[]): string | false | undefined => safeAnswer({ type: 'select', options });

  it('is No for confirm, and nothing for texts', () => {
    assert.equal(safeAnswer({ type: 'confirm' }), false);
    assert.equal(safeAnswer({ type: 'input', placeholder: '' }), undefined);
    assert.equal(safeAnswer({ type: 'editor', prefill: 'No' }), undefined);
  });

  for (const refusal of [
    'No',
    'no',
    'NO!',
    'Cancel',
    'Deny',
    'Block',
    'Block it',
    'Abort',
    'Keep',
    'No, keep the folder',
    'Deny (recommended)',
    'Block – ask me again',
    '🚫 Deny',
    '2. No',
    'Nein',
    'Abbrechen',
  ]) {
    it(`is the plain refusal "${refusal}"`, () => assert.equal(select('Yes', refusal, 'Always'), refusal));
  }

  for (const other of [
    'Keep going',
    'Keep deleting',
    'Nothing special',
    'Not now',
    'Notify me',
    'Block all others and run',
    'Cancel the old build and run',
    'Nope.sh',
    'Abort-safe run',
    '',
  ]) {
    it(`is not "${other}"`, () => assert.equal(select('Yes', other), undefined));
  }

  it('is the option that the question names, before one that refuses', () => {
    const options = ['Approve, and ask', 'Approve all', 'No'];
    assert.equal(safeAnswer({ type: 'select', options, usual: 'Approve, and ask' }), 'Approve, and ask');
  });

  it('is nothing where several options refuse', () => {
    assert.equal(select('Yes', 'No', 'No, never'), undefined);
    assert.equal(select('Deny', 'Cancel'), undefined);
    assert.equal(select(), undefined);
  });
});
