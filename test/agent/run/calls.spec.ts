import assert from 'node:assert/strict';
import type { AgentEvent } from '../../../src/agent/run/events';
import { SKIPPED_TEXT, type CallOrder } from '../../../src/agent/run/tool-calls';
import { ToolBlocked, ToolError, type AnyTool, type GatedTool, type ToolResult } from '../../../src/agent/tools/tool';
import { deferred } from '../../../src/base/async/wait';
import { behindGate } from '../../support/gated-tool';
import { call, echo, plainEcho, results, rig, tool, types, user } from './loop-rig';

const outcomes = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap(event => (event.type === 'tool_execution_end' ? [event.outcome.type] : []));

const idOf = (event: AgentEvent): string => ('toolCallId' in event ? event.toolCallId : '');

describe('the agent loop, over tool calls,', () => {
  it('turns unknown tools, bad arguments and throwing tools into error results and goes on', async () => {
    const thrower = tool('thrower', () => Promise.reject(new Error('no luck')));
    const rich = tool('rich', () => Promise.reject(new ToolError([{ type: 'text', text: 'rich' }], { why: 1 })));
    const empty = tool('empty', () => Promise.resolve(undefined as never));
    const calls = ['nope', 'echo', 'thrower', 'rich', 'empty'].map((name, index) => ({
      id: `c${index}`,
      name,
      args: {},
    }));
    const { agent, events } = rig([{ calls }, { text: 'ok' }], [echo, thrower, rich, empty]);
    await agent.prompt([user('go')]);
    const [unknown, invalid, thrown, rich1, none] = results(events);
    assert.deepEqual(unknown, { text: 'Tool nope not found', isError: true });
    assert.match(invalid!.text, /echo[\s\S]*text/);
    assert.deepEqual(thrown, { text: 'no luck', isError: true });
    assert.deepEqual(rich1, { text: 'rich', isError: true });
    assert.match(none!.text, /empty returned no content/);
    assert.deepEqual(outcomes(events).toSorted(), ['failed', 'failed', 'failed', 'failed', 'notFound']);
    assert.equal(events.at(-1)?.type, 'agent_end');
  });

  it('runs the calls of an answer side by side: verdicts in order, then all at once, results in the order of the calls', async () => {
    const steps: string[] = [];
    const gates = [deferred(), deferred()];
    const slow = (name: string, index: number): GatedTool => {
      const execute = async (): Promise<ToolResult> => {
        steps.push(`run ${name}`);
        if (index === 1) gates[0]!.resolve();
        await gates[index]!.promise;
        if (index === 0) gates[1]!.resolve();
        return { content: [{ type: 'text', text: name }], details: {} };
      };
      return tool(name, execute, () => {
        steps.push(`admit ${name}`);
        return Promise.resolve();
      });
    };
    const { agent, events } = rig(
      [{ calls: [call('a', 'first'), call('x', 'nope'), call('b', 'second')] }, { text: 'ok' }],
      [slow('first', 0), slow('second', 1)],
      event => {
        if (event.type.startsWith('tool_execution')) steps.push(`${event.type.slice(15)} ${idOf(event)}`);
      },
    );
    await agent.prompt([user('go')]);
    assert.deepEqual(steps, [
      ...['start a', 'admit first', 'start x', 'end x', 'start b', 'admit second'],
      ...['run first', 'run second', 'end a', 'end b'],
    ]);
    assert.deepEqual(
      events.flatMap(event =>
        event.type === 'message_end' && event.message.role === 'toolResult' ? [event.message.toolCallId] : [],
      ),
      ['a', 'x', 'b'],
    );
  });

  it('runs them one after the other where a tool or an older hook file asks for it', async () => {
    const order = async (tools: readonly GatedTool[], calls: CallOrder): Promise<string> => {
      const { agent, events } = rig(
        [{ calls: [call('a', 'echo', { text: '1' }), call('b', 'alone')] }, { text: 'ok' }],
        tools,
        undefined,
        calls,
      );
      await agent.prompt([user('go')]);
      return events
        .flatMap(event =>
          event.type === 'tool_execution_start' || event.type === 'tool_execution_end'
            ? [`${event.type.slice(15)} ${event.toolCallId}`]
            : [],
        )
        .join(', ');
    };
    const alone = tool('alone', () => Promise.resolve({ content: [], details: {} }));
    const inTurn = 'start a, end a, start b, end b';
    assert.equal(await order([echo, { ...alone, executionMode: 'sequential' }], 'sideBySide'), inTurn);
    assert.equal(await order([echo, alone], 'oneByOne'), inTurn);
    assert.match(await order([echo, alone], 'sideBySide'), /^start a, start b, /);
  });

  it('does not run a call that was not let pass, and asks no tool about what it cannot be called with', async () => {
    const asked: unknown[] = [];
    const guarded = behindGate(plainEcho, (_id, params) => {
      asked.push(params);
      return Promise.reject(new ToolBlocked('not this', '/hooks/gate.ts'));
    });
    const { agent, events } = rig(
      [{ calls: [call('a', 'echo', {}), call('b', 'echo', { text: 'x' })] }, { text: 'ok' }],
      [guarded],
    );
    await agent.prompt([user('go')]);
    assert.deepEqual(asked, [{ text: 'x' }]);
    assert.deepEqual(outcomes(events), ['failed', 'blocked']);
  });

  for (const order of ['sideBySide', 'oneByOne'] as const) {
    it(`aborts among tools (${order}): every call gets a result, and an answer says so without a request`, async () => {
      const waits = tool(
        'waits',
        (_id, _params, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new Error('Operation aborted')));
          }),
      );
      const calls = [call('a', 'waits'), call('b', 'waits'), call('c', 'echo', { text: 'x' })];
      const { agent, events, model } = rig(
        [{ calls }],
        [waits, echo],
        (event, running) => {
          if (event.type === 'tool_execution_start' && event.toolCallId === (order === 'oneByOne' ? 'a' : 'c')) {
            setImmediate(() => void running.abort());
          }
        },
        order,
      );
      await agent.prompt([user('go')]);
      assert.deepEqual(
        agent.messages.flatMap(message => (message.role === 'toolResult' ? [message.toolCallId] : [])),
        ['a', 'b', 'c'],
      );
      const texts = results(events).map(({ text }) => text);
      assert.equal(texts.filter(text => text === 'Operation aborted').length, order === 'oneByOne' ? 3 : 2);
      const ends = outcomes(events).toSorted();
      assert.deepEqual(ends, [order === 'oneByOne' ? 'stopped' : 'done', 'stopped', 'stopped']);
      assert.equal(model.requests.length, 1);
      assert.deepEqual(types(events).split(' ').slice(-6), [
        ...['turn_end', 'turn_start', 'message_start:assistant', 'message_end:assistant', 'turn_end', 'agent_end'],
      ]);
      const last = agent.messages.at(-1);
      assert.deepEqual(last?.role === 'assistant' && [last.stopReason, last.content], ['aborted', []]);
      const end = events.at(-1);
      assert.equal(end?.type === 'agent_end' && end.messages.at(-1), last);
    });
  }

  it('ends when all results of an answer say so, and not when one does not', async () => {
    const end: AnyTool['execute'] = () => Promise.resolve({ content: [], details: {}, terminate: true });
    const ends = tool('ends', end);
    const blocked = tool('blocked', end, () => Promise.reject(new ToolBlocked('no', '/h', true)));
    const tools = [ends, blocked, echo];
    const all = rig([{ calls: [call('a', 'ends'), call('b', 'blocked')] }], tools);
    await all.agent.prompt([user('go')]);
    assert.deepEqual([all.model.requests.length, all.agent.messages.at(-1)?.role], [1, 'toolResult']);
    const some = rig([{ calls: [call('a', 'ends'), call('b', 'echo', { text: '1' })] }, { text: 'ok' }], tools);
    await some.agent.prompt([user('go')]);
    assert.equal(some.model.requests.length, 2);
    const queued = rig([{ calls: [call('a', 'ends')] }, { text: 'ok' }], tools);
    queued.agent.followUps.add(user('then this'));
    await queued.agent.prompt([user('go')]);
    assert.deepEqual(queued.model.requests[1]?.messages.at(-1), user('then this'));
  });

  for (const order of ['sideBySide', 'oneByOne'] as const) {
    it(`gives other work a turn between slices of 2,000 calls of one answer (${order})`, async function () {
      this.timeout(30_000);
      const calls = Array.from({ length: 2_000 }, (_, at) => call(`c${at}`, 'echo', { text: String(at) }));
      let turn = 0;
      let isOver = false;
      const count = (): void => {
        turn++;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      const inTurn = new Map<string, number>();
      const hear = (event: AgentEvent): void => {
        const key = `${event.type} ${turn}`;
        inTurn.set(key, (inTurn.get(key) ?? 0) + 1);
      };
      const { agent, events } = rig([{ calls }, { text: 'done' }], [echo], hear, order);
      await agent.prompt([user('go')]);
      isOver = true;
      const steps = ['tool_execution_start', 'tool_execution_update', 'tool_execution_end', 'message_end'];
      for (const type of steps) {
        const counts = [...inTurn].filter(([key]) => key.startsWith(`${type} `)).map(([, number]) => number);
        assert.ok(Math.max(...counts) <= 110, `${type}: ${String(Math.max(...counts))} in one turn`);
      }
      const ended = events.flatMap(event => (event.type === 'tool_execution_end' ? [event.toolCallId] : []));
      assert.deepEqual(
        ended,
        calls.map(({ id }) => id),
      );
    });
  }

  it('delivers what steers after all calls of the answer; one by one it passes over the rest', async () => {
    const calls = [call('a', 'echo', { text: '1' }), call('b', 'echo', { text: '2' })];
    for (const [order, second] of [
      ['sideBySide', { text: '2', isError: false }],
      ['oneByOne', { text: SKIPPED_TEXT, isError: true }],
    ] as const) {
      const { agent, events, model } = rig(
        [{ calls }, { text: 'ok' }],
        [echo],
        (event, running) => {
          if (event.type === 'tool_execution_start' && event.toolCallId === 'a') {
            running.steering.add(user('stop that'));
          }
        },
        order,
      );
      await agent.prompt([user('go')]);
      assert.deepEqual(results(events), [{ text: '1', isError: false }, second]);
      assert.deepEqual(model.requests[1]!.messages.at(-1), user('stop that'));
    }
  });

  it('says what became of each call, whatever its text says', async () => {
    const talks = (name: string, text: string): GatedTool => tool(name, () => Promise.reject(new Error(text)));
    const tools = [
      echo,
      talks('like blocked', 'Blocked: not really'),
      talks('like skipped', SKIPPED_TEXT),
      tool('by a hook', () => Promise.reject(new ToolBlocked('no', '/hooks/gate.ts'))),
      tool('by us', () => Promise.reject(new ToolBlocked('no guard'))),
    ];
    const calls = [...tools, echo].map(({ name }, index) => call(`c${index}`, name, { text: 'hi' }));
    const { agent, events } = rig(
      [{ calls }, { text: 'ok' }],
      tools,
      (event, running) => {
        if (event.type === 'tool_execution_start' && event.toolCallId === 'c4') running.steering.add(user('stop'));
      },
      'oneByOne',
    );
    await agent.prompt([user('go')]);
    assert.deepEqual(
      events.flatMap(event => (event.type === 'tool_execution_end' ? [event.outcome] : [])),
      [
        { type: 'done' },
        { type: 'failed' },
        { type: 'failed' },
        { type: 'blocked', reason: 'no', by: '/hooks/gate.ts' },
        { type: 'blocked', reason: 'no guard' },
        { type: 'skipped', reason: SKIPPED_TEXT },
      ],
    );
    assert.deepEqual(
      results(events)
        .slice(3, 5)
        .map(({ text }) => text),
      ['no', 'Blocked: no guard'],
    );
  });

  it('does not run calls of an answer that was cut off', async () => {
    const { agent, events } = rig([
      { calls: [{ id: 'a', name: 'echo', args: { text: 'rm' } }], stopReason: 'length' },
      { text: 'ok' },
    ]);
    await agent.prompt([user('go')]);
    assert.match(results(events)[0]!.text, /cut off .* echo was not run/);
  });
});
