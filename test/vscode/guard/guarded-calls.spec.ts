import assert from 'node:assert/strict';
import { deferred } from '../../../src/base/async/wait';
import type { AgentCall, AgentReply } from '../../../src/guard/protocol/agent-call';
import type { FrontMessage } from '../../../src/guard/protocol/messages';
import { CallsFromHost } from '../../../src/vscode/guard/guarded-calls';

describe('calls that the host passes to a window', () => {
  const call: AgentCall = {
    agent: 'codex',
    event: 'PreToolUse',
    payload: '{}',
    parentPid: 0,
    cwd: '/work',
    variables: {},
  };
  const reply: AgentReply = { output: '{}', records: [] };
  const message = (id: string) => ({ type: 'call', id, folder: '/work', call }) as const;
  let sent: FrontMessage[];
  let signals: AbortSignal[];
  let decided: ReturnType<typeof deferred<AgentReply>>;
  let calls: CallsFromHost;

  beforeEach(() => {
    sent = [];
    signals = [];
    decided = deferred<AgentReply>();
    calls = new CallsFromHost({
      answer: (_call, signal) => {
        signals.push(signal);
        return decided.promise;
      },
      send: each => sent.push(each),
    });
  });

  it('are answered under their ids', async () => {
    const both = [calls.take(message('1')), calls.take(message('2'))];
    assert.deepEqual(sent, []);
    decided.resolve(reply);
    await Promise.all(both);
    assert.deepEqual(sent, [
      { type: 'reply', id: '1', reply },
      { type: 'reply', id: '2', reply },
    ]);
  });

  it('get no answer after the agent has ended them, and the others do', async () => {
    const both = [calls.take(message('1')), calls.take(message('2'))];
    calls.cancel('1');
    assert.deepEqual([signals[0]?.aborted, signals[1]?.aborted], [true, false]);
    decided.resolve(reply);
    await Promise.all(both);
    assert.deepEqual(sent, [{ type: 'reply', id: '2', reply }]);
  });

  it('are all cancelled when the host has ended', async () => {
    const one = calls.take(message('1'));
    calls.dispose();
    assert.equal(signals[0]?.aborted, true);
    decided.resolve(reply);
    await one;
    assert.deepEqual(sent, []);
  });
});
