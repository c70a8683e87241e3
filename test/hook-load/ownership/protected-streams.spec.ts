import assert from 'node:assert/strict';
import { protectedStdio } from '../../../src/hook-load/ownership/protected-streams';

const ERROR = 2;
const LOG = { fd: 7 };

describe('streams of a child in a process whose stdin and stdout carry a protocol', () => {
  for (const [what, given, expected] of [
    ['all that is inherited', 'inherit', ['ignore', ERROR, ERROR]],
    ['each that is inherited', ['inherit', 'inherit', 'inherit'], ['ignore', ERROR, 'inherit']],
    ['each by its number', [0, 1, 2], ['ignore', ERROR, ERROR]],
    ['each by its stream', [process.stdin, process.stdout, LOG], ['ignore', ERROR, LOG]],
    ['stdout as another stream', ['pipe', 'pipe', 1, 1], ['pipe', 'pipe', ERROR, ERROR]],
    ['stdin as another stream', ['pipe', 'pipe', 'pipe', 0], ['pipe', 'pipe', 'pipe', 'ignore']],
  ] as const) {
    it(`are not those of the process: ${what}`, () => assert.deepEqual(protectedStdio(given, false), expected));
  }

  for (const given of [
    undefined,
    null,
    'pipe',
    'ignore',
    'overlapped',
    ['pipe', 'ignore', undefined],
    [LOG, 5, 'pipe', 'ipc'],
  ]) {
    it(`are as they were given: ${JSON.stringify(given)}`, () => assert.deepEqual(protectedStdio(given, false), given));
  }

  it('are not those of the process when they are inherited by default, as with fork', () => {
    assert.deepEqual(protectedStdio(undefined, true), ['ignore', ERROR, ERROR, 'ipc']);
    assert.deepEqual(protectedStdio('inherit', true), ['ignore', ERROR, ERROR, 'ipc']);
    assert.equal(protectedStdio('pipe', true), 'pipe');
  });
});
