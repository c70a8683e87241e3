/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code */
import assert from 'node:assert/strict';
import { hook, DIALECTS, type Foreign } from '../../support/hook-host';
import { bash, callOf, resultOf, rigWith } from './guard-rig';

describe('tool calls of other agents', () => {
  for (const dialect of DIALECTS) {
    it(`are blocked by a hook of ${dialect}, with its reason`, async () => {
      const rig = await rigWith([
        hook(dialect, pi => {
          pi.on('tool_call', (event: Foreign) =>
            event.toolName === 'bash' ? { block: true, reason: `not ${String(event.input.command)}` } : undefined,
          );
        }),
      ]);
      const { output, records } = await rig.reply(bash('rm -rf build'));
      assert.deepEqual(JSON.parse(output), { deny: 'not rm -rf build' });
      assert.deepEqual(
        records.map(({ verdict, hook: by, tool, summary, reason }) => ({ verdict, by, tool, summary, reason })),
        [
          {
            verdict: 'blocked',
            by: '/hooks/1.ts',
            tool: 'bash',
            summary: 'rm -rf build',
            reason: 'not rm -rf build',
          },
        ],
      );
      assert.deepEqual(await rig.answer(callOf('read', { path: '/work/a' }, { toolCallId: 't2' })), {});
    });
  }

  const threeWays = hook('ext', pi => {
    pi.on('tool_call', async (event: Foreign, ctx: Foreign) => {
      const choice = await ctx.ui.select('Delete it?', ['No', 'Dry run', 'Yes']);
      if (choice === 'Yes') return undefined;
      if (choice === 'Dry run') {
        event.input.command = 'echo dry';
        return undefined;
      }
      return { block: true, reason: 'The user said no.' };
    });
  });

  it('are decided by the three answers to a question of a hook', async () => {
    const rig = await rigWith([threeWays], { answers: ['No', 'Dry run', 'Yes'] });
    const of = (toolCallId: string) => bash('rm -rf build', { toolCallId });
    assert.deepEqual(await rig.answer(of('t1')), { deny: 'The user said no.' });
    assert.deepEqual(await rig.answer(of('t2')), { input: [{ command: 'echo dry' }] });
    assert.deepEqual(await rig.answer(of('t3')), {});
    assert.deepEqual(
      rig.asked.map(({ title, about, conversation, toolCallId }) => ({ title, about, conversation, toolCallId }))[0],
      {
        title: 'Delete it?',
        about: { tool: 'bash', summary: 'rm -rf build' },
        conversation: 'Claude Code',
        toolCallId: 't1',
      },
    );
  });

  it('are denied if a hook throws', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_call', () => {
          throw new Error('out of order');
        });
      }),
    ]);
    assert.deepEqual(await rig.answer(bash('ls')), { deny: 'out of order' });
  });

  it('pass where no hook is', async () => {
    const rig = await rigWith([]);
    const { output, records } = await rig.reply(bash('ls'));
    assert.equal(output, '');
    assert.deepEqual(
      records.map(({ verdict }) => verdict),
      ['passed'],
    );
  });
});

describe('results of other agents', () => {
  it('are redacted by a hook', async () => {
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_result', (event: Foreign) => ({
          content: [{ type: 'text', text: String(event.content[0].text).replace(/key-\d+/, 'key-…') }],
        }));
      }),
    ]);
    const call = bash('cat .env');
    assert.deepEqual(await rig.answer(call), {});
    assert.deepEqual(await rig.answer(resultOf(call, 'a key-123')), {
      result: { text: 'a key-…', isError: false },
    });
  });
});
