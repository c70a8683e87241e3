import assert from 'node:assert/strict';
import { messageOf } from '../../src/base/errors';

describe('the text of what was thrown', () => {
  it('is that of an error, a string or plain data', () => {
    assert.equal(messageOf(new Error('no')), 'no');
    assert.equal(messageOf(new TypeError('')), 'TypeError');
    assert.equal(messageOf('no'), 'no');
    assert.equal(messageOf({ code: 7 }), '{"code":7}');
    assert.equal(messageOf(undefined), 'undefined');
  });

  it('is there for what cannot be written as JSON or read at all, too', () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const hostile = Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('getter');
      },
    });
    for (const thrown of [cyclic, { big: 1n }, hostile, '', Object.create(null), { toJSON: () => undefined }]) {
      assert.notEqual(messageOf(thrown), '');
      assert.equal(typeof messageOf(thrown), 'string');
    }
  });
});
