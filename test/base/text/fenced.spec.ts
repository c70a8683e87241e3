import assert from 'node:assert/strict';
import { fenced } from '../../../src/base/text/fenced';

describe('a fenced text', () => {
  it('has a fence that is longer than any inside of it', () => {
    assert.equal(fenced('a\nb', 'ts'), '```ts\na\nb\n```');
    assert.equal(fenced('`one` and ``two``'), '```\n`one` and ``two``\n```');
    assert.equal(fenced('```js\nx\n````'), '`````\n```js\nx\n````\n`````');
  });

  it('gets no empty line at its end', () => {
    assert.equal(fenced('a\n'), '```\na\n```');
  });
});
