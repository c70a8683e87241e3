/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return -- hooks are foreign code */
import assert from 'node:assert/strict';
import { deferred } from '../../../src/base/async/wait';
import { hook, until, type Foreign } from '../../support/hook-host';
import { bash, endOf, listener, promptOf, resultOf, rigWith, startOf, stopOf } from './guard-rig';

describe('a session of another agent', () => {
  it('reaches hooks as the events of a session', async () => {
    const seen: string[] = [];
    const rig = await rigWith([listener(seen)]);
    const call = bash('ls');
    const base = { agent: 'claude', sessionId: 's1', cwd: '/work' } as const;
    await rig.reply(startOf());
    await rig.reply(promptOf('Hello'));
    await rig.reply(call);
    await rig.reply(resultOf(call, 'a b'));
    await rig.reply({ ...base, name: 'PreCompact', type: 'before_compact', trigger: 'auto' });
    await rig.reply({ ...base, name: 'PostCompact', type: 'after_compact' });
    await rig.reply(stopOf({ lastText: 'Done.' }));
    await rig.reply(endOf());
    assert.deepEqual(seen, [
      'start startup',
      'input Hello',
      'before Hello',
      'agent_start',
      'begins t1',
      'call bash {"command":"ls"}',
      'result t1 a b',
      'ends t1 false',
      'compact threshold',
      'compacted',
      'agent_end user assistant toolResult assistant',
      'stop false',
      'settled',
      'shutdown quit',
    ]);
    assert.deepEqual(rig.folder.sessions, []);
  });

  it('starts for hooks at its first event, of whatever kind', async () => {
    const seen: string[] = [];
    const rig = await rigWith([listener(seen), listener(seen, 'v1')]);
    await rig.reply(bash('ls'));
    assert.deepEqual(seen.slice(0, 2), ['start resume', 'session start']);
  });

  it('can be read and added to by hooks', async () => {
    const roles: string[] = [];
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('agent_start', () => pi.appendEntry('mine', { n: 1 }));
        pi.on('tool_call', (_event: Foreign, ctx: Foreign) => {
          for (const entry of ctx.sessionManager.getEntries()) {
            roles.push(String(entry.message?.role ?? `${String(entry.customType)} ${JSON.stringify(entry.data)}`));
          }
        });
      }),
    ]);
    await rig.reply(promptOf('Hello'));
    await rig.reply(bash('ls'));
    assert.deepEqual(roles, ['user', 'mine {"n":1}', 'assistant']);
  });

  it('is told to hooks as ctx.agent, with its subagent, and not to hooks of our own sessions', async () => {
    const agents: unknown[] = [];
    const rig = await rigWith([
      hook('v1', pi => {
        pi.on('tool_call', (_event: Foreign, ctx: Foreign) => void agents.push(ctx.agent));
      }),
      hook('ext', pi => {
        pi.on('tool_call', (_event: Foreign, ctx: Foreign) => void agents.push(ctx.agent));
      }),
    ]);
    const agent = { name: 'claude', version: '2.1.0', sessionId: 's1', isAttended: true };
    const subagent = { id: 'sub-1', type: 'Explore' };
    await rig.reply(bash('ls', { version: '2.1.0', isAttended: true }));
    await rig.reply(bash('ls', { version: '2.1.0', toolCallId: 't2', subagent }));
    await rig.host.emit({ type: 'tool_call', toolCallId: 't3', toolName: 'bash', input: {} });
    assert.deepEqual(agents, [agent, agent, { ...agent, subagent }, { ...agent, subagent }, undefined, undefined]);
    assert.deepEqual(
      rig.host.records.map(record => record.agent?.subagent?.id),
      [undefined, undefined, 'sub-1', 'sub-1', undefined, undefined],
    );
  });

  it('has its own state beside another session', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', (_event: Foreign, ctx: Foreign) => {
          pi.appendEntry('seen', ctx.agent.sessionId);
          const seen = ctx.sessionManager.getEntries().filter(({ type }: Foreign) => type === 'custom');
          return { block: true, reason: seen.map(({ data }: Foreign) => String(data)).join(' ') };
        });
      }),
    ]);
    const answers = await Promise.all([
      rig.answer(bash('ls', { sessionId: 'one' })),
      rig.answer(bash('ls', { sessionId: 'two' })),
    ]);
    assert.deepEqual(answers, [{ deny: 'one' }, { deny: 'two' }]);
    assert.deepEqual(
      rig.folder.sessions.map(({ id }) => id),
      ['claude:one', 'claude:two'],
    );
  });
});

describe('texts that a hook sends to other agents', () => {
  it('go with the call that they are about, of several at once in the only open session', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', async (event: Foreign, ctx: Foreign) => {
          await ctx.ui.confirm('Sure?', '');
          pi.sendMessage({ customType: 'note', content: `about ${String(event.toolCallId)}`, display: true });
        });
      }),
    ]);
    rig.host.detach();
    const answers = ['t1', 't2'].map(toolCallId => rig.answer(bash('ls', { toolCallId })));
    for (const at of [0, 1]) {
      await until(() => rig.asked.length > at, 'the question');
      rig.dialogs.answer(rig.asked[at]?.id ?? '', true);
    }
    assert.deepEqual(await Promise.all(answers), [{ context: 'about t1' }, { context: 'about t2' }]);
  });
});

describe('prompts to other agents', () => {
  it('are denied if a hook takes them over or changes them', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('input', (event: Foreign) =>
          event.text === 'mine' ? { action: 'handled' } : { action: 'transform', text: `${String(event.text)}!` },
        );
      }),
    ]);
    const { deny: handled } = await rig.answer(promptOf('mine'));
    assert.match(handled ?? '', /took over this prompt/);
    const { deny: changed } = await rig.answer(promptOf('Go'));
    assert.match(changed ?? '', /Claude Code cannot take\. Send this in its place:\n\nGo!$/);
  });

  it('get the messages of hooks beside them; a changed system prompt is noted', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('before_agent_start', () => ({
          message: { customType: 'note', content: 'Mind the gap.', display: true },
          systemPrompt: 'Other',
        }));
        pi.on('agent_start', () => pi.sendMessage({ customType: 'note', content: 'And the door.', display: true }));
      }),
    ]);
    assert.deepEqual(await rig.answer(promptOf('Go')), { context: 'Mind the gap.\n\nAnd the door.' });
    assert.deepEqual(rig.noEffects, ['/hooks/1.ts systemPrompt Claude Code']);
  });
});

describe('another agent that stops', () => {
  const goesOn = hook('ext', pi => {
    pi.on('agent_end', () => pi.sendUserMessage('Run the tests.', { deliverAs: 'followUp' }));
  });

  it('goes on with the text of a hook', async () => {
    const rig = await rigWith([goesOn]);
    assert.deepEqual(await rig.answer(stopOf()), { goOn: 'Run the tests.' });
    assert.deepEqual(rig.noEffects, []);
  });

  it('goes on with the answer of a stop hook', async () => {
    const rig = await rigWith([
      hook('omp', pi => {
        pi.on('session_stop', () => ({ continue: true, additionalContext: 'Not yet.' }));
      }),
    ]);
    const { goOn } = await rig.answer(stopOf());
    assert.match(goOn ?? '', /Not yet\./);
  });

  it('stops if it goes on because of a hook already', async () => {
    const seen: string[] = [];
    const rig = await rigWith([goesOn, listener(seen, 'omp')]);
    assert.deepEqual(await rig.answer(stopOf({ isContinued: true })), {});
    assert.deepEqual(rig.noEffects, ['/hooks/1.ts sendUserMessage Claude Code']);
    assert.ok(!seen.includes('stop false'), 'stop hooks are not asked');
  });

  it('ends the calls whose result it did not report', async () => {
    const seen: string[] = [];
    const rig = await rigWith([listener(seen)]);
    await rig.reply(bash('ls'));
    assert.equal(rig.host.host.isGuarding, true);
    await rig.reply(stopOf());
    assert.ok(seen.includes('result t1 Claude Code reported no result of this call.'));
    assert.ok(seen.includes('ends t1 true'));
  });
});

describe('members without effect in sessions of other agents', () => {
  it('do nothing, throw nothing and are noted with their hook', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', async (_event: Foreign, ctx: Foreign) => {
          ctx.ui.setWidget('w', ['line']);
          ctx.ui.setFooter(undefined);
          await ctx.ui.custom(() => ({ render: () => [], invalidate: () => undefined }));
          ctx.abort();
          ctx.compact();
          await pi.setModel({ id: 'm' });
          pi.setActiveTools(['read']);
          ctx.ui.notify('seen');
        });
      }),
    ]);
    assert.deepEqual(await rig.answer(bash('ls')), {});
    assert.deepEqual(rig.host.errors, []);
    assert.deepEqual(rig.notices, ['seen']);
    assert.deepEqual(
      rig.noEffects,
      ['ui.setWidget', 'ui.setFooter', 'ui.custom', 'abort', 'compact', 'setModel', 'setActiveTools'].map(
        member => `/hooks/1.ts ${member} Claude Code`,
      ),
    );
  });

  it('include texts that a hook sends after the event', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', () => {
          setTimeout(() => pi.sendUserMessage('Late'), 20);
        });
      }),
    ]);
    assert.deepEqual(await rig.answer(bash('ls')), {});
    await until(() => rig.noEffects.length > 0, 'the note');
    assert.deepEqual(rig.noEffects, ['/hooks/1.ts sendUserMessage Claude Code']);
  });

  it('include tools and commands', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.registerCommand('mine', { handler: () => undefined });
        pi.on('tool_call', () => undefined);
      }),
    ]);
    await rig.reply(bash('ls'));
    assert.deepEqual(rig.noEffects, ['/hooks/1.ts registerCommand Claude Code']);
  });

  for (const [title, gets, noEffects] of [
    ['include tools that the agent does not get', false, ['/hooks/1.ts registerTool Claude Code']],
    ['are none for tools that the agent gets', true, []],
  ] as const) {
    it(title, async () => {
      const rig = await rigWith(
        [
          hook('ext', pi => {
            const parameters = { type: 'object', properties: {} };
            pi.registerTool({ name: 'deploy', label: 'Deploy', description: '', parameters, execute: () => undefined });
          }),
        ],
        { getsTools: id => Promise.resolve(gets && id === 'claude') },
      );
      await rig.reply(bash('ls'));
      assert.deepEqual(rig.noEffects, noEffects);
    });
  }
});

describe('hooks that change or do not run', () => {
  it('guard a call that comes during a reload', async () => {
    const ending = deferred();
    let isEnding = false;
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('session_shutdown', () => {
          isEnding = true;
          return ending.promise;
        });
      }),
    ]);
    rig.host.hooks = [hook('ext', pi => pi.on('tool_call', () => ({ block: true, reason: 'new' })), '/hooks/2.ts')];
    const reload = rig.host.host.reload({ freshAll: true });
    await until(() => isEnding, 'the end of the old hook');
    const answer = rig.answer(bash('ls'));
    ending.resolve();
    await reload;
    assert.deepEqual(await answer, { deny: 'new' });
  });

  it('are a denial that names how to trust the folder, if they are held back', async () => {
    const file = {
      path: '/work/.pi/hooks/a.ts',
      entry: '/work/.pi/hooks/a.ts',
      origin: 'project',
      claimsGate: true,
      group: 'hooks',
    } as const;
    const rig = await rigWith([], {
      host: {
        discover: () => ({ files: [], problems: [], heldBack: [file] }),
        heldBackReason: () => 'This folder is not trusted. To trust it, run: hookline trust',
      },
    });
    const { deny } = await rig.answer(bash('ls'));
    assert.match(deny ?? '', /a\.ts checks tool calls, but is held back: .*hookline trust/);
  });

  it('are a question if they do not load, and a denial if it is not confirmed', async () => {
    const broken = hook('ext', () => {
      throw new Error('on.tool_call broken');
    });
    const rig = await rigWith([{ ...broken, text: "pi.on('tool_call', () => undefined)" }], { answers: [false] });
    const { deny } = await rig.answer(bash('ls'));
    assert.match(deny ?? '', /checks tool calls, but failed to load/);
  });
});
