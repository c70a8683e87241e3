import assert from 'node:assert/strict';
import { Agent } from '../../../src/agent/run/agent';
import { ScriptedStream, scriptedModel } from '../../support/scripted-stream';
import { echo, rig, types, user } from './loop-rig';

describe('the agent loop', () => {
  it('reports a run with a tool call in its order', async () => {
    const { agent, events } = rig([{ calls: [{ id: 'c1', name: 'echo', args: { text: 'hi' } }] }, { text: 'done' }]);
    await agent.prompt([user('go')]);
    assert.equal(
      types(events),
      'agent_start turn_start message_start:user message_end:user ' +
        'message_start:assistant message_update:assistant message_update:assistant message_end:assistant ' +
        'tool_execution_start tool_execution_update tool_execution_end message_start:toolResult message_end:toolResult turn_end ' +
        'turn_start message_start:assistant message_update:assistant message_end:assistant turn_end agent_end',
    );
    assert.deepEqual(
      agent.messages.map(message => message.role),
      ['user', 'assistant', 'toolResult', 'assistant'],
    );
    const end = events.at(-1);
    assert.equal(end?.type === 'agent_end' ? end.messages.length : 0, 4);
  });

  it('counts turns from 0 within each run', async () => {
    const { agent, events } = rig([
      { calls: [{ id: 'c', name: 'echo', args: { text: 'x' } }] },
      { text: 'a' },
      { text: 'b' },
    ]);
    await agent.prompt([user('1')]);
    await agent.prompt([user('2')]);
    assert.deepEqual(
      events.flatMap(event => (event.type === 'turn_start' ? [event.turnIndex] : [])),
      [0, 1, 0],
    );
  });

  it('ends with a failed answer when the provider throws, ends early or the conversion fails', async () => {
    for (const script of ['throw', 'end without result'] as const) {
      const { agent, events } = rig([script]);
      await agent.prompt([user('go')]);
      const last = agent.messages.at(-1);
      assert.equal(last?.role === 'assistant' && last.stopReason, 'error', script);
      assert.equal(events.at(-1)?.type, 'agent_end', script);
    }
    const model = new ScriptedStream({ text: 'never' });
    const agent = new Agent({
      requests: {
        stream: model.stream,
        settings: () => ({ model: scriptedModel, systemPrompt: '', tools: [], options: {} }),
        tools: () => [],
        toContext: () => Promise.reject(new Error('cannot convert')),
      },
      handle: () => undefined,
      steeringMode: () => 'all',
      followUpMode: () => 'all',
      callOrder: () => 'sideBySide',
    });
    await agent.prompt([user('go')]);
    const last = agent.messages.at(-1);
    assert.equal(last?.role === 'assistant' && last.errorMessage, 'cannot convert');
  });

  it('aborts while streaming: aborted answer, turn_end, agent_end, idle', async () => {
    const { agent, events } = rig(['hang'], [echo], (event, running) => {
      if (event.type === 'message_start' && event.message.role === 'assistant') void running.abort();
    });
    await agent.prompt([user('go')]);
    const last = agent.messages.at(-1);
    assert.equal(last?.role === 'assistant' && last.stopReason, 'aborted');
    assert.deepEqual(types(events).split(' ').slice(-2), ['turn_end', 'agent_end']);
    assert.equal(agent.isRunning, false);
  });

  it('lets what was queued before the first request go along with it, follow-ups later', async () => {
    const { agent, model } = rig([{ text: 'one' }, { text: 'two' }]);
    agent.steering.add(user('and this'));
    agent.followUps.add(user('then that'));
    await agent.prompt([user('go')]);
    const said = model.requests.map(({ messages }) =>
      messages.filter(({ role }) => role === 'user').map(m => m.content),
    );
    assert.deepEqual(said, [
      ['go', 'and this'],
      ['go', 'and this', 'then that'],
    ]);
  });

  it('takes follow-ups only when it would stop', async () => {
    const { agent, model } = rig([
      { calls: [{ id: 'a', name: 'echo', args: { text: '1' } }] },
      { text: 'a' },
      { text: 'b' },
    ]);
    agent.followUps.add(user('later'));
    await agent.prompt([user('go')]);
    assert.deepEqual(
      model.requests.map(request => request.messages.at(-1)?.role),
      ['user', 'toolResult', 'user'],
    );
  });

  it('refuses a second run at once, and is idle when agent_end is told', async () => {
    let idleAtEnd = false;
    const { agent } = rig([{ text: 'a' }], [echo], async (event, running) => {
      if (event.type === 'agent_start') await assert.rejects(running.prompt([user('again')]), /already processing/);
      if (event.type === 'agent_end') {
        await running.waitForIdle();
        idleAtEnd = !running.isRunning;
      }
    });
    await agent.prompt([user('go')]);
    assert.equal(idleAtEnd, true);
  });

  it('is idle again after a bug in the one who listens', async () => {
    const { agent } = rig([{ text: 'a' }], [echo], event => {
      if (event.type === 'turn_start') throw new Error('bug');
    });
    await assert.rejects(agent.prompt([user('go')]), /bug/);
    assert.equal(agent.isRunning, false);
  });
});
