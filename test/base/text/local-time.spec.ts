import assert from 'node:assert/strict';
import { localDate, localTime } from '../../../src/base/text/local-time';

describe('a time in the time zone of the person', () => {
  it('has two digits for each part', () => {
    const time = new Date(2026, 0, 2, 3, 4, 5);
    assert.equal(localDate(time), '2026-01-02');
    assert.equal(localTime(time), '2026-01-02 03:04:05');
  });
});
