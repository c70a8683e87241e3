/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { GuardedSession } from '../../../src/guard/calls/guarded-session';
import { hook, until, type Foreign } from '../../support/hook-host';
import { bash, endOf, resultOf, rigWith, stopOf } from './guard-rig';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const LONG = 200_000;

describe('the memory of guarded sessions', function () {
  this.timeout(60_000);

  it('keeps beginning and end of long results, which hooks review as a whole', async () => {
    let reviewed = '';
    let kept = '';
    const rig = await rigWith([
      hook('ext', pi => {
        pi.on('tool_result', (event: Foreign) => void (reviewed = String(event.content[0].text)));
        pi.on('agent_end', (_event: Foreign, ctx: Foreign) => {
          const entries: readonly Foreign[] = ctx.sessionManager.getEntries();
          kept = String(entries.find(({ message }) => message?.role === 'toolResult').message.content[0].text);
        });
      }),
    ]);
    const call = bash('cat large');
    const text = `first ${'x'.repeat(LONG)} last`;
    await rig.reply(call);
    assert.deepEqual(await rig.answer(resultOf(call, text)), {});
    await rig.reply(stopOf());
    assert.equal(reviewed, text);
    assert.match(kept, /^first x+…x+ last$/);
    assert.ok(kept.length <= 4_000);
  });

  it('grows little with many large results', async () => {
    const rig = await rigWith([]);
    const used = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const run = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        const call = bash(`cat ${index}`, { toolCallId: `t${index}` });
        await rig.reply(call);
        await rig.reply(resultOf(call, String(index).padEnd(LONG, '.')));
      }
    };
    await run(0, 200); // The last ones are remembered, since an agent may tell them twice.
    const before = used();
    await run(200, 600);
    const grown = used() - before;
    assert.ok(grown < 20_000_000, `${grown} bytes for ${400 * LONG} bytes of results`);
  });

  it('lets a session go that has ended', async () => {
    const rig = await rigWith([hook('ext', pi => void pi.on('tool_call', () => undefined))]);
    const call = bash('ls');
    const open = async (): Promise<WeakRef<GuardedSession>> => {
      await rig.reply(call);
      await rig.reply(resultOf(call, 'done'));
      const session = new WeakRef(rig.folder.sessions[0]!);
      await rig.reply(endOf());
      return session;
    };
    const session = await open();
    await until(() => {
      collectGarbage();
      return session.deref() === undefined;
    }, 'the session to be collected');
    assert.deepEqual(rig.folder.sessions, []);
  });
});
