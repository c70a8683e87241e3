import assert from 'node:assert/strict';
import type { GuardRecord } from '../../../src/guard/protocol/agent-call';
import { recordText } from '../../../src/modes/guard/record-text';

const RECORD: GuardRecord = {
  at: new Date(2026, 10, 30, 9, 5, 2).getTime(),
  agent: 'codex',
  session: 's1',
  folder: '/home/ada/shop api',
  event: 'PreToolUse',
  verdict: 'passed',
  ms: 3,
  askedMs: 0,
};

describe('a guarded call as a line', () => {
  it('says when, who, where, what, the verdict, the hook and why', () => {
    const line = recordText({
      ...RECORD,
      subagent: 'a1',
      tool: 'bash',
      summary: 'rm -rf\n build',
      verdict: 'blocked',
      hook: '/home/ada/shop api/.pi/hooks/gate.ts',
      reason: 'not\nhere',
    });
    assert.equal(
      line,
      '2026-11-30 09:05:02 codex (subagent) /home/ada/shop api bash: rm -rf build – blocked by gate.ts: not here',
    );
  });

  it('tells a result from its call', () => {
    const call = { ...RECORD, tool: 'bash', summary: 'ls' };
    assert.match(recordText(call), / \/home\/ada\/shop api bash: ls – passed$/);
    assert.match(recordText({ ...call, event: 'PostToolUse' }), / \/home\/ada\/shop api result of bash: ls – passed$/);
  });

  it('names the event where there is no tool, and nobody where none decided', () => {
    assert.equal(
      recordText({ ...RECORD, event: 'Stop' }),
      '2026-11-30 09:05:02 codex /home/ada/shop api Stop – passed',
    );
  });
});
