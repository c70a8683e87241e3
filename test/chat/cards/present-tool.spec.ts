import assert from 'node:assert/strict';
import { resultFields } from '../../../src/chat/cards/present-tool';

describe('what a card shows of a result', () => {
  it('says that the model got a placeholder for a picture', () => {
    const content = [{ type: 'text' as const, text: 'Read image file [image/png]' }];
    const { output } = resultFields({ content, details: { imageUnsupportedByModel: 'small' } });
    assert.equal(output, 'Read image file [image/png]\n[The model small cannot see pictures; it got a placeholder.]');
    assert.equal(resultFields({ content, details: undefined }).output, 'Read image file [image/png]');
  });
});
