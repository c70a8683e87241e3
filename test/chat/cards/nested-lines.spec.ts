import assert from 'node:assert/strict';
import { recordedLines } from '../../../src/chat/cards/nested-lines';
import type { ToolResultMessage } from '../../../src/agent/messages';

/** A stored result whose member `nestedCalls` is this, whatever its shape. */
function result(nestedCalls: unknown): ToolResultMessage {
  const message: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: 'p',
    toolName: 'orchestrate',
    content: [],
    isError: false,
    timestamp: 1,
  };
  return nestedCalls === undefined
    ? message
    : { ...message, nestedCalls: nestedCalls as { calls: []; complete: true } };
}

const lines = (...calls: readonly unknown[]): ReturnType<typeof recordedLines>['nested'] =>
  recordedLines(result({ calls, complete: true })).nested;

describe('the calls of a tool as a session has them', () => {
  it('are lines of its card, in their order and as deep as they were made', () => {
    const told = lines(
      { id: 'p/1', name: 'bash', arguments: { command: 'ls -l' }, status: 'ok', durationMs: 7 },
      { id: 'p/1/1', name: 'read', arguments: { path: 'a.txt' }, status: 'ok' },
      { id: 'p/2', name: 'of_a_hook', arguments: {}, status: 'ok' },
    );
    assert.deepEqual(
      told?.map(({ id, name, summary, depth, state }) => [id, name, summary, depth, state]),
      [
        ['p/1', 'bash', 'ls -l', 1, { type: 'done', durationMs: 7 }],
        ['p/1/1', 'read', 'a.txt', 2, { type: 'done' }],
        ['p/2', 'of_a_hook', '', 1, { type: 'done' }],
      ],
    );
  });

  it('say why they failed, what stopped them, and that they were not over', () => {
    const told = lines(
      {
        id: 'p/1',
        name: 'bash',
        arguments: { command: 'false' },
        status: 'error',
        error: 'exit code 1',
        durationMs: 2,
      },
      { id: 'p/2', name: 'bash', arguments: {}, status: 'unfinished' },
      { id: 'p/3', name: 'bash', arguments: {}, status: 'error' },
    );
    assert.deepEqual(
      told?.map(({ state, error }) => [state, error]),
      [
        [{ type: 'failed', durationMs: 2 }, 'exit code 1'],
        [{ type: 'failed' }, 'The tool ended before this call was complete.'],
        [{ type: 'failed' }, undefined],
      ],
    );
  });

  it('are told without arguments that were too long to keep', () => {
    const told = lines({ id: 'p/1', name: 'write', argumentsBytes: 90_000, status: 'ok' });
    assert.deepEqual(
      told?.map(({ name, summary }) => [name, summary]),
      [['write', '']],
    );
  });

  it('are none where there were none, and what is no call is passed over', () => {
    for (const nestedCalls of [undefined, null, 'many', {}, { calls: 5 }, { calls: [] }]) {
      assert.deepEqual(recordedLines(result(nestedCalls)), {});
    }
    const rubbish = [null, 5, {}, { id: 1, name: 'a' }, { id: 'p/1' }, { id: 'p/1', name: 'a', arguments: 'x' }];
    assert.deepEqual(recordedLines(result({ calls: rubbish })), {});
    const told = lines(...rubbish, { id: 'p/2', name: 'bash', status: 'ok' }, { id: 'p/3', name: 'a', error: 5 });
    assert.deepEqual(
      told?.map(({ id }) => id),
      ['p/2'],
    );
  });
});
