import assert from 'node:assert/strict';
import { resultFields } from '../../../src/chat/cards/present-tool';

describe('what a card shows of a result', () => {
  it('says that the model got a placeholder for a picture', () => {
    const content = [{ type: 'text' as const, text: 'Read image file [image/png]' }];
    const { output } = resultFields('read', { content, details: { imageUnsupportedByModel: 'small' } });
    assert.equal(output, 'Read image file [image/png]\n[The model small cannot see pictures; it got a placeholder.]');
    assert.equal(resultFields('read', { content, details: undefined }).output, 'Read image file [image/png]');
  });

  it('says what became of a plan, and nothing such of another tool whose details look the same', () => {
    const result = { content: [{ type: 'text' as const, text: 'Taken.' }], details: { accepted: true, mode: 'ask' } };
    assert.deepEqual(resultFields('present_plan', result).planEnd, { type: 'approved', mode: 'ask' });
    assert.ok(!('planEnd' in resultFields('vote', result)));
  });
});
