import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from './greet.js';

test('the greeting follows the hour', () => {
  assert.equal(greet('Ada', 9), 'Good morning, Ada.');
  assert.equal(greet('Ada', 20), 'Good evening, Ada.');
});
