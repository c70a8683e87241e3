import assert from 'node:assert/strict';
import { storedOutcome } from '../../src/transcript/stored-outcome';

const typeOf = (text: string, isError = true): string => storedOutcome({ toolName: 'bash', text, isError }).type;

describe('what became of a call that only the session knows', () => {
  it('is stopped if the call, or its command, was aborted', () => {
    assert.equal(typeOf('Operation aborted'), 'stopped');
    assert.equal(typeOf('Command aborted'), 'stopped');
    assert.equal(typeOf('line one\n\nCommand aborted'), 'stopped');
    assert.equal(typeOf('Blocked\n\nCommand aborted'), 'stopped');
  });

  it('is not found if there was no such tool, but not if the error is about another one', () => {
    assert.equal(typeOf('Tool bash not found'), 'notFound');
    assert.equal(typeOf('Tool other not found'), 'failed');
  });

  it('is failed if words about a stop are only a part of the output, and done without an error', () => {
    assert.equal(typeOf('Command aborted\n\nCommand exited with code 1'), 'failed');
    assert.equal(typeOf('the test says: Operation aborted'), 'failed');
    assert.equal(typeOf('Operation aborted', false), 'done');
  });

  it('is what was noted of the call, whatever the text says', () => {
    assert.equal(
      storedOutcome({ toolName: 'bash', text: 'Operation aborted', isError: true }, { end: 'failed' }).type,
      'failed',
    );
    assert.equal(
      storedOutcome({ toolName: 'bash', text: 'odd end', isError: true }, { end: 'stopped' }).type,
      'stopped',
    );
  });
});
