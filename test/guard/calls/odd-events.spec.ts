/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return -- hooks are foreign code */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { hook, until, type Foreign } from '../../support/hook-host';
import {
  bash,
  callFor,
  callOf,
  endOf,
  listener,
  promptOf,
  resultOf,
  rigWith,
  stopOf,
  subagentStopOf,
} from './guard-rig';

describe('odd events of other agents', () => {
  it('of a patch pass one by one; one block blocks all, and a rewrite of one is given back', async () => {
    const calls = ['a', 'b'].map(path => ({ toolName: 'write', input: { path, content: 'x' } }));
    const original = { name: 'apply_patch', input: { command: '…' } };
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', (event: Foreign) => {
          if (event.input.path === 'secret') return { block: true, reason: `${String(event.toolCallId)} is secret` };
          if (event.input.path === 'b') event.input.content = 'y';
          return undefined;
        });
      }),
    ]);
    const [a, b] = calls;
    assert.deepEqual(await rig.answer(callOf('write', {}, { calls, original })), {
      input: [a?.input, { path: 'b', content: 'y' }],
    });
    const secret = { toolName: 'write', input: { path: 'secret', content: '' } };
    const blocked = callOf('write', {}, { toolCallId: 't2', calls: [a ?? secret, secret, b ?? secret], original });
    assert.deepEqual(await rig.answer(blocked), { deny: 't2:2 is secret' });
  });

  it('that come twice get one answer, from one question', async () => {
    const rig = await rigWith(
      [
        hook('ext', pi => {
          pi.on('tool_call', async (_event: Foreign, ctx: Foreign) =>
            (await ctx.ui.confirm('Sure?', '')) ? undefined : { block: true, reason: 'no' },
          );
        }),
      ],
      { answers: [false, true] },
    );
    const call = bash('rm -rf build');
    const [first, second] = await Promise.all([rig.reply(call), rig.reply(call)]);
    assert.deepEqual(first.output, second.output);
    assert.deepEqual(JSON.parse(first.output), { deny: 'no' });
    assert.equal(rig.asked.length, 1);
    assert.equal(first.records.length + second.records.length, 1);
    assert.deepEqual(await rig.answer(bash('ls')), {}, 'another call with the same id is another call');
    assert.equal(rig.asked.length, 2);
  });

  it('that are equal, of an agent without ids, are decided anew each time', async () => {
    let blocks = true;
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', () => (blocks ? { block: true, reason: 'no' } : undefined));
      }),
    ]);
    const call = bash('ls', { agent: 'copilot', isMadeId: true });
    assert.deepEqual(await rig.answer(call), { deny: 'no' });
    blocks = false;
    assert.deepEqual(await rig.answer(call), {}, 'what is allowed now is not denied from memory');
    blocks = true;
    assert.deepEqual(await rig.answer(call), { deny: 'no' }, 'what is denied now is not allowed from memory');
  });

  it('that two entries of a configuration report get one answer, also without an id', async () => {
    const asked: string[] = [];
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', (event: Foreign) => {
          asked.push(String(event.input.command));
          return { block: true, reason: `no ${asked.length}` };
        });
      }),
    ]);
    const call = bash('ls', { agent: 'copilot', isMadeId: true });
    const entry = async (agent: 'claude' | 'copilot'): Promise<unknown> =>
      JSON.parse((await rig.folder.handle(call, { ...callFor(call), agent }, new AbortController().signal)).output);
    assert.deepEqual(await entry('claude'), { deny: 'no 1' });
    assert.deepEqual(await entry('copilot'), { deny: 'no 1' });
    assert.deepEqual(await entry('claude'), { deny: 'no 2' });
    assert.deepEqual(await entry('copilot'), { deny: 'no 2' });
  });

  it('are reviewed if a result comes without its call', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_result', () => ({ content: [{ type: 'text', text: '…' }] }));
      }),
    ]);
    assert.deepEqual(await rig.answer(resultOf(bash('cat .env'), 'secret')), { result: { text: '…', isError: false } });
  });

  it('of tools that Hookline does not know reach hooks as they are', async () => {
    const seen: string[] = [];
    const rig = await rigWith([listener(seen)]);
    assert.deepEqual(await rig.answer(callOf('FutureTool', { a: { b: [1] } })), {});
    assert.ok(seen.includes('call FutureTool {"a":{"b":[1]}}'));
  });

  it('are refused if the session ends while a question is open', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', async (_event: Foreign, ctx: Foreign) => {
          await ctx.ui.confirm('Sure?', '');
        });
      }),
    ]);
    const answer = rig.answer(bash('rm -rf build'));
    await until(() => rig.asked.length === 1, 'the question');
    await rig.reply(endOf());
    assert.match((await answer).deny ?? '', /abort/i);
    assert.equal(rig.dialogs.size, 0);
  });

  it('are refused if nobody waits for the answer any more', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', async (_event: Foreign, ctx: Foreign) => {
          await ctx.ui.confirm('Sure?', '');
        });
      }),
    ]);
    const gone = new AbortController();
    const reply = rig.reply(bash('rm -rf build'), gone.signal);
    await until(() => rig.asked.length === 1, 'the question');
    gone.abort();
    assert.match((await reply).output, /abort/i);
    assert.equal(rig.host.host.isGuarding, false);
  });

  describe('and changes that a person makes after them', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
    afterEach(() => mock.timers.reset());
    /** Lets time pass, and then what is ready happen. */
    const pass = async (ms: number): Promise<void> => {
      mock.timers.tick(ms);
      for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
    };

    it('are the person’s 1.1 s after the result', async () => {
      const rig = await rigWith([]);
      const call = bash('ls');
      await rig.reply(call);
      await pass(60_000);
      assert.equal(rig.host.host.isGuarding, true);
      await rig.reply(resultOf(call, 'a'));
      await pass(900);
      assert.equal(rig.host.host.isGuarding, true, 'what the call changed may be seen only now');
      await pass(200);
      assert.equal(rig.host.host.isGuarding, false);
    });

    it('are the person’s 1.6 s after the end of an agent that reported no result', async () => {
      let isOver = false;
      const rig = await rigWith([], { processOf: () => ({ isOver: () => isOver }) });
      await rig.reply(bash('ls'));
      await pass(60_000);
      assert.equal(rig.host.host.isGuarding, true);
      isOver = true;
      await pass(500);
      await pass(1_100);
      assert.equal(rig.host.host.isGuarding, false);
    });

    for (const [title, next] of [
      ['stops', stopOf()],
      ['gets its next prompt', promptOf('Go on.')],
      ['ends its session', endOf()],
    ] as const) {
      it(`are the person’s 1.1 s after the agent ${title} without a result`, async () => {
        const rig = await rigWith([]);
        await rig.reply(bash('ls'));
        await rig.reply(next);
        await pass(1_100);
        assert.equal(rig.host.host.isGuarding, false);
      });
    }

    it('are the agent’s while a subagent works on after the main conversation has stopped', async () => {
      const rig = await rigWith([]);
      const subagent = { id: 'sub' };
      await rig.reply(bash('ls'));
      await rig.reply(bash('make', { toolCallId: 't2', subagent }));
      await rig.reply(stopOf());
      await pass(1_100);
      assert.equal(rig.host.host.isGuarding, true);
      await rig.reply(subagentStopOf(subagent));
      await pass(1_100);
      assert.equal(rig.host.host.isGuarding, false);
    });

    it('are the agent’s while the main conversation waits for a subagent that has stopped', async () => {
      const rig = await rigWith([]);
      await rig.reply(callOf('Agent', { prompt: 'Look.' }));
      await rig.reply(subagentStopOf({ id: 'sub' }));
      await rig.reply(subagentStopOf());
      await pass(1_100);
      assert.equal(rig.host.host.isGuarding, true);
    });
  });

  it('end with the process of the agent', async function () {
    this.timeout(30_000);
    const seen: string[] = [];
    let isOver = false;
    const rig = await rigWith([listener(seen)], { processOf: () => ({ isOver: () => isOver }) });
    await rig.reply(bash('ls'));
    isOver = true;
    await until(() => seen.includes('shutdown quit'), 'the end of the session');
    assert.ok(seen.includes('ends t1 true'));
    assert.deepEqual(rig.folder.sessions, []);
  });

  it('that cannot be handled are refused, and the reason is logged', async () => {
    const rig = await rigWith([], {
      contract: {
        write: () => {
          throw new Error('broken writer');
        },
      },
    });
    const { output, records } = await rig.reply(bash('ls'));
    assert.deepEqual(JSON.parse(output), { deny: 'Hookline could not check this: broken writer' });
    assert.equal(records[0]?.verdict, 'blocked');
  });
});
