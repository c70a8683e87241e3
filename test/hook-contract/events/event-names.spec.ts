import assert from 'node:assert/strict';
import { nearestEventName } from '../../../src/hook-contract/events/event-names';
import { EVENT_NAMES } from '../../../src/hook-contract/events/event-table';

describe('names of events', () => {
  it('are those of all dialects', () => {
    for (const name of [
      'tool_call',
      'session',
      'branch',
      'session_new',
      'session_fork',
      'session.compacting',
      'input',
    ]) {
      assert.ok(EVENT_NAMES.has(name), name);
    }
    assert.ok(!EVENT_NAMES.has('session_compacting'), 'oh-my-pi spells it with a dot');
  });

  const cases: readonly (readonly [given: string, nearest: string | undefined])[] = [
    ['tool_cal', 'tool_call'],
    ['toolCall', 'tool_call'],
    ['tool-result', 'tool_result'],
    ['onAgentEnd', 'agent_end'],
    ['sesion_start', 'session_start'],
    ['session_compacting', 'session.compacting'],
    ['before_agent_strat', 'before_agent_start'],
    ['PreToolUse', 'tool_call'],
    ['completely_else', undefined],
    ['x', undefined],
    ['', undefined],
  ];
  for (const [given, nearest] of cases) {
    it(`${given === '' ? 'an empty one' : given} is probably ${nearest ?? 'nothing we know'}`, () =>
      assert.equal(nearestEventName(given), nearest));
  }
});
