import assert from 'node:assert/strict';
import { activityOf } from '../../../src/guard/protocol/agent-activity';
import { TOOL_EVENT, type GuardRecord } from '../../../src/guard/protocol/agent-call';

const event = (at: Date, agent: GuardRecord['agent'], verdict: GuardRecord['verdict']): GuardRecord => ({
  ...{ at: at.getTime(), agent, session: 's', folder: '/work', event: 'PreToolUse' },
  ...{ verdict, ms: 1, askedMs: 0 },
});
const record = (...given: Parameters<typeof event>): GuardRecord => ({ ...event(...given), tool: 'bash' });

describe('the activity of a guarded agent', () => {
  const today = (hour: number, minute = 0): Date => new Date(2026, 10, 30, hour, minute);
  const now = today(9).getTime();

  it('counts the calls and blocks since midnight, and knows the last call and the last change that was undone', () => {
    const last = record(today(8), 'codex', 'passed');
    const records = [
      record(new Date(2026, 10, 29, 23, 59, 59), 'codex', 'blocked'),
      record(today(0), 'codex', 'blocked'),
      { ...record(today(7), 'codex', 'blocked'), undone: '/home/ada/.codex/hooks.json' },
      last,
      record(today(8, 30), 'claude', 'blocked'),
      { ...event(today(8, 40), 'codex', 'passed'), event: TOOL_EVENT },
    ];
    assert.deepEqual(activityOf(records, 'codex', now), {
      ...{ last, toldAt: last.at, calls: 2, blocks: 1 },
      undone: { at: today(7).getTime(), file: '/home/ada/.codex/hooks.json' },
    });
    assert.deepEqual(activityOf(records, 'copilot', now), {
      ...{ last: undefined, toldAt: undefined, calls: 0, blocks: 0, undone: undefined },
    });
  });

  it('counts no session, prompt or result as a call', () => {
    const call = record(today(8), 'copilot', 'passed');
    const noTool = event(today(8), 'copilot', 'passed');
    const records: readonly GuardRecord[] = [
      { ...call, event: 'preToolUse' },
      { ...call, event: 'PostToolUse', verdict: 'blocked' },
      { ...noTool, event: 'UserPromptSubmit', verdict: 'blocked' },
      { ...noTool, event: 'Stop' },
    ];
    assert.deepEqual(activityOf(records, 'copilot', now), {
      ...{ last: records[0], toldAt: today(8).getTime(), calls: 1, blocks: 0, undone: undefined },
    });
  });
});
