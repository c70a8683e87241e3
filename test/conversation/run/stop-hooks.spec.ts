import assert from 'node:assert/strict';
import { Rig, until } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

/** The stop hooks of oh-my-pi: `session_stop` is sent before the agent stops and may make it go on. */
describe('stop hooks', () => {
  let rig: Rig;
  let failures: string[];

  afterEach(() => rig.close());

  async function open(answer: string, script: readonly Script[]): Promise<void> {
    const hook = `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
      export default (pi: HookAPI) => {
        let asked = 0;
        pi.on('session_stop', (event, ctx) => {
          asked++;
          ctx.ui.notify(String(event.stop_hook_active));
          ${answer}
        });
      };`;
    rig = await Rig.open(script, { hooks: { 'stop.ts': hook } });
    failures = [];
    rig.host.onError(({ message }) => failures.push(message));
    await rig.chat.inbox.submit('go');
  }
  const active = (): readonly string[] =>
    rig.items('notice').flatMap(({ text, hook }) => (hook === undefined || text.startsWith('Hook ') ? [] : [text]));
  const lastSent = (): string => JSON.stringify(rig.model.requests.at(-1)?.messages.at(-1));
  const times = (count: number): readonly Script[] => Array.from({ length: count }, () => ({ text: 'done' }));

  it('let the agent go on with a context, which the chat does not show', async () => {
    await open(`if (asked === 1) return { continue: true, additionalContext: 'run the tests' };`, times(2));
    assert.equal(rig.model.requests.length, 2);
    assert.match(lastSent(), /run the tests/);
    assert.deepEqual(active(), ['false', 'true']);
    assert.equal(rig.items('custom').length, 0);
  });

  it('block with a reason', async () => {
    await open(`if (!event.stop_hook_active) return { decision: 'block', reason: 'not yet' };`, times(2));
    assert.match(lastSent(), /not yet/);
    assert.deepEqual(active(), ['false', 'true']);
  });

  it('let it stop without an answer, without a text and when they throw', async () => {
    await open(
      `if (asked === 2) return { continue: true, additionalContext: '' };
       if (asked === 3) throw new Error('broken');`,
      times(3),
    );
    await rig.chat.inbox.submit('again');
    await rig.chat.inbox.submit('again');
    assert.equal(rig.model.requests.length, 3);
    assert.deepEqual(active(), ['false', 'false', 'false']);
    assert.ok(failures.some(text => text.includes('"continue" needs a text')));
    assert.ok(failures.includes('broken'));
  });

  it('continue at most eight times in a row, and again after the next prompt', async () => {
    await open(`return { continue: true, additionalContext: 'more' };`, times(18));
    assert.equal(rig.model.requests.length, 9);
    assert.ok(failures.includes('session_stop asked to continue more than 8 times in a row'));
    await rig.chat.inbox.submit('again');
    assert.equal(rig.model.requests.length, 18);
    assert.deepEqual(
      active().flatMap((text, index) => (text === 'false' ? [index] : [])),
      [0, 9],
    );
  });

  it('may block more often', async () => {
    await open(`if (asked <= 10) return { decision: 'block', reason: 'more' };`, times(11));
    assert.equal(rig.model.requests.length, 11);
    assert.deepEqual(failures, []);
  });

  it('are asked after an error, and not after a stop', async () => {
    await open(`ctx.ui.notify((event.last_assistant_message as any).stopReason);`, [
      { stopReason: 'error', errorMessage: '400 no' },
      'hang',
    ]);
    assert.deepEqual(active(), ['false', 'error']);
    const sending = rig.chat.inbox.submit('again');
    await until(() => (rig.model.requests.length > 1 ? true : undefined), 'the request');
    await rig.chat.run.stop();
    await sending;
    assert.deepEqual(active(), ['false', 'error']);
  });

  it('do not continue when the agent is stopped meanwhile', async () => {
    await open(`ctx.abort(); return { decision: 'block', reason: 'no' };`, times(2));
    assert.equal(rig.model.requests.length, 1);
  });
});
