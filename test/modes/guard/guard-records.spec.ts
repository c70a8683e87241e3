import assert from 'node:assert/strict';
import type { GuardRecord } from '../../../src/guard/protocol/agent-call';
import { activityOf } from '../../../src/modes/guard/guard-records';

const record = (at: Date, agent: GuardRecord['agent'], verdict: GuardRecord['verdict']): GuardRecord => {
  return { at: at.getTime(), agent, session: 's', folder: '/work', event: 'PreToolUse', verdict, ms: 1, askedMs: 0 };
};

describe('the activity of a guarded agent', () => {
  const now = new Date(2026, 10, 30, 9);

  it('counts the calls and blocks since midnight, and knows the last call', () => {
    const records = [
      record(new Date(2026, 10, 29, 23, 59, 59), 'codex', 'blocked'),
      record(new Date(2026, 10, 30, 0, 0, 0), 'codex', 'blocked'),
      record(new Date(2026, 10, 30, 8), 'codex', 'passed'),
      record(new Date(2026, 10, 30, 8, 30), 'claude', 'blocked'),
    ];
    assert.deepEqual(activityOf(records, 'codex', now), {
      lastCallAt: new Date(2026, 10, 30, 8).getTime(),
      callsToday: 2,
      blockedToday: 1,
    });
    assert.deepEqual(activityOf(records, 'copilot', now), { lastCallAt: undefined, callsToday: 0, blockedToday: 0 });
  });
});
