/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { samplesOf } from '../../../src/hook-insight/samples';
import { EVENT_TYPES, rowOf } from '../../../src/hook-contract/events/event-table';
import type { HookEvent, HookEventType } from '../../../src/hook-contract/hook-event';
import type { Asker } from '../../../src/hook-contract/ui/ui';
import { hook, hostWith, until, type Foreign } from '../../support/hook-host';

/** Events whose handlers can block or change something, or send something to the model. */
const DECIDING: ReadonlySet<HookEventType> = new Set<HookEventType>([
  'tool_call',
  'tool_result',
  'input',
  'user_bash',
  'before_agent_start',
  'context',
  'context_with_system',
  'before_provider_headers',
  'before_provider_request',
  'cache_warming_decision',
  'message_end',
  'turn_end',
  'agent_before_settle',
  'session_stop',
  'project_trust',
  'resources_discover',
  'session_directory',
  'session_before_switch',
  'session_before_branch',
  'session_before_tree',
  'session_before_compact',
  'session_compacting',
]);

const FACTS = { cwd: '/work', model: undefined, messages: [], sessionFile: undefined };

/** Who asks when a handler of this name opens a dialog; undefined if the event does not reach such a hook. */
async function askerAt(
  event: HookEvent,
  name: string,
  dialect: Parameters<typeof hook>[0],
): Promise<Asker | undefined> {
  let isHeard = false;
  const asking = hook(dialect, (pi: Foreign) =>
    pi.on(name, async (_event: unknown, ctx: Foreign) => {
      isHeard = true;
      await ctx.ui.confirm('Really?', '');
    }),
  );
  const host = await hostWith([asking]);
  host.conversation.ui.answers.push(false);
  await host.emit(event);
  const [asker] = host.conversation.ui.askers;
  assert.equal(asker !== undefined, isHeard, `${name} of ${dialect}`);
  return asker;
}

describe('who asks a question', () => {
  for (const type of EVENT_TYPES) {
    const expected = DECIDING.has(type) ? 'deciding' : 'listening';
    it(`of ${type} is ${expected} code, under all names of the event in all dialects`, async () => {
      let heard = 0;
      for (const event of samplesOf(type, FACTS)) {
        for (const { name, of } of rowOf(type).names) {
          for (const dialect of of) {
            const asker = await askerAt(event, name, dialect);
            if (asker === undefined) continue;
            heard += 1;
            assert.deepEqual(asker, { type: expected }, `${name} of ${dialect}`);
          }
        }
      }
      assert.ok(heard > 0);
    });
  }

  it('of an event that can stop a call, a prompt or a change of the session is deciding code', () => {
    const before = EVENT_TYPES.filter(type => type.startsWith('session_before_'));
    for (const type of [...before, 'tool_call', 'user_bash', 'input'] as const) assert.ok(DECIDING.has(type), type);
  });

  it('of a tool is deciding code, as its answer goes to the model', async () => {
    const host = await hostWith([
      hook('ext', (pi: Foreign) =>
        pi.registerTool({
          name: 'ask',
          description: 'asks',
          parameters: { type: 'object', properties: {} },
          execute: async (_id: string, _params: object, _signal: unknown, _update: unknown, ctx: Foreign) => ({
            content: [{ type: 'text', text: String(await ctx.ui.input('Name?')) }],
          }),
        }),
      ),
    ]);
    const [tool] = host.host.tools(host.conversation);
    assert.ok(tool !== undefined);
    host.conversation.ui.answers.push('Ada');
    await tool.execute('call', {}, undefined);
    assert.deepEqual(host.conversation.ui.askers, [{ type: 'deciding' }]);
  });

  describe('of a command', () => {
    const host = () =>
      hostWith([
        hook('ext', (pi: Foreign) => {
          const ask = async (ctx: Foreign): Promise<void> => {
            await ctx.ui.confirm('One?', '');
            await ctx.ui.confirm('Two?', '');
          };
          pi.registerCommand('go', { handler: (_args: string, ctx: Foreign) => ask(ctx) });
          pi.registerShortcut('ctrl+shift+y', { handler: ask });
        }),
      ]);
    const actedAt = (asker: Asker | undefined): number => {
      assert.equal(asker?.type, 'command');
      return asker.actedAt;
    };

    it('is the command, if the user started it; each answer counts as the latest thing that they did', async () => {
      const { host: of, conversation } = await host();
      const before = performance.now();
      const running = of.commands.run('go', '', conversation, { by: 'person' });
      await until(() => conversation.ui.open.length === 1, 'the first dialog');
      const started = performance.now();
      await new Promise(resolve => setTimeout(resolve, 5));
      const answered = performance.now();
      conversation.ui.open[0]?.answer(true);
      await until(() => conversation.ui.open.length === 1, 'the second dialog');
      conversation.ui.open[0]?.answer(undefined);
      await running;
      const [first, second] = conversation.ui.askers.map(actedAt);
      assert.ok(first !== undefined && first >= before && first <= started);
      assert.ok(second !== undefined && second >= answered);
    });

    it('is the command, if the user pressed its shortcut', async () => {
      const { host: of, conversation } = await host();
      conversation.ui.answers.push(true, true);
      await of.commands.runShortcut('ctrl+shift+y', conversation);
      assert.deepEqual(
        conversation.ui.askers.map(({ type }) => type),
        ['command', 'command'],
      );
    });

    it('is deciding code, if a hook or another program started it', async () => {
      const { host: of, conversation } = await host();
      conversation.ui.answers.push(true, true);
      await of.commands.run('go', '', conversation);
      assert.deepEqual(conversation.ui.askers, [{ type: 'deciding' }, { type: 'deciding' }]);
    });

    it('does not count a dialog that ended without an answer as something that the user did', async () => {
      const { host: of, conversation } = await host();
      conversation.ui.answers.push(undefined, undefined);
      await of.commands.run('go', '', conversation, { by: 'person' });
      const [first, second] = conversation.ui.askers.map(actedAt);
      assert.equal(second, first);
    });
  });
});
