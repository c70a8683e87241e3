import assert from 'node:assert/strict';
import { deferred, type Deferred } from '../../../src/base/async/wait';
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
    await rig.chat.submit('go');
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
    await rig.chat.submit('again');
    await rig.chat.submit('again');
    assert.equal(rig.model.requests.length, 3);
    assert.deepEqual(active(), ['false', 'false', 'false']);
    assert.ok(failures.some(text => text.includes('"continue" needs a text')));
    assert.ok(failures.includes('broken'));
  });

  it('continue at most eight times in a row, and again after the next prompt', async () => {
    await open(`return { continue: true, additionalContext: 'more' };`, times(18));
    assert.equal(rig.model.requests.length, 9);
    assert.ok(failures.includes('session_stop asked to continue more than 8 times in a row'));
    await rig.chat.submit('again');
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
    const sending = rig.chat.submit('again');
    await until(() => (rig.model.requests.length > 1 ? true : undefined), 'the request');
    await rig.conversation.run.stop();
    await sending;
    assert.deepEqual(active(), ['false', 'error']);
  });

  it('do not continue when the agent is stopped meanwhile', async () => {
    await open(`ctx.abort(); return { decision: 'block', reason: 'no' };`, times(2));
    assert.equal(rig.model.requests.length, 1);
  });

  it('are asked about an error no more often than they may continue, even when they block', async () => {
    const fails: Script = { stopReason: 'error', errorMessage: '400 no' };
    await open(`if (asked <= 12) return { decision: 'block', reason: 'tests fail' };`, Array(13).fill(fails));
    assert.equal(rig.model.requests.length, 9);
    assert.ok(failures.includes('session_stop asked to continue more than 8 times in a row'));
  });

  it('that only write a message into the chat let the agent stop', async () => {
    await open(`if (asked <= 3) pi.sendMessage({ customType: 'note', content: 'checked', display: true });`, times(4));
    assert.equal(rig.model.requests.length, 1);
    assert.deepEqual(
      rig.conversation.run.agent.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'custom'],
    );
  });

  it('may start the next request with a message', async () => {
    await open(
      `if (asked === 1) pi.sendMessage({ customType: 'note', content: 'check it', display: true }, { triggerTurn: true });`,
      times(2),
    );
    assert.equal(rig.model.requests.length, 2);
    assert.match(lastSent(), /check it/);
  });

  describe('of several files', () => {
    const stop = (code: string): string =>
      `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
       export default (pi: HookAPI) => { pi.on('session_stop', event => { if (!event.stop_hook_active) { ${code} } }); };`;

    async function openAll(...codes: readonly string[]): Promise<void> {
      const files = codes.map((code, at) => [`stop${at}.ts`, stop(code)]);
      rig = await Rig.open(times(2), { hooks: Object.fromEntries(files) as Record<string, string> });
      failures = [];
      rig.host.onError(({ message }) => failures.push(message));
      await rig.chat.submit('go');
    }
    const sent = (): readonly unknown[] =>
      (rig.model.requests[1]?.messages ?? []).slice(2).map(({ content }) => content);
    const text = (words: string): unknown => [[{ type: 'text', text: words }]];
    const goOn = (words: string): string => `return { continue: true, additionalContext: '${words}' };`;

    it('a block counts, whatever the others say before it', async () => {
      await openAll(goOn('one'), `return { decision: 'block', reason: 'two' };`, goOn('three'));
      assert.deepEqual(sent(), text('two'));
    });

    it('the first text to go on with counts when none blocks', async () => {
      await openAll(goOn('one'), goOn('two'));
      assert.deepEqual(sent(), text('one'));
    });

    it('one that throws does not keep the others from being asked', async () => {
      await openAll(`throw new Error('broken');`, goOn('two'));
      assert.deepEqual(sent(), text('two'));
      assert.deepEqual(failures, ['broken']);
    });
  });

  describe('that take their time', () => {
    let answer: Deferred<object | undefined>;

    /** Sends a text, and another one as soon as the hook is asked about the first answer. */
    async function typeMeanwhile(delivery: 'steer' | 'followUp'): Promise<readonly Promise<void>[]> {
      const asked = deferred();
      answer = deferred();
      const held = { answer: answer.promise, asked: () => asked.resolve() };
      Object.assign(globalThis, { stopOfTest: held });
      const hook = `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
        export default (pi: HookAPI) => {
          pi.on('session_stop', event => {
            if (event.stop_hook_active) return;
            globalThis.stopOfTest.asked();
            return globalThis.stopOfTest.answer;
          });
        };`;
      rig = await Rig.open(times(3), { hooks: { 'stop.ts': hook } });
      const first = rig.chat.submit('go');
      await asked.promise;
      const second = rig.chat.submit('typed', { delivery });
      await until(() => (rig.conversation.inbox.waiting.hasTexts ? true : undefined), 'the text waits');
      return [first, second];
    }
    const texts = (): readonly unknown[] =>
      rig.model.requests.map(({ messages }) =>
        messages.flatMap(({ role, content }) =>
          role === 'user' && Array.isArray(content) ? content.map(part => part.type === 'text' && part.text) : [],
        ),
      );

    for (const delivery of ['steer', 'followUp'] as const) {
      it(`a text that was typed meanwhile (${delivery}) is answered when they let the agent stop`, async () => {
        const sending = await typeMeanwhile(delivery);
        answer.resolve(undefined);
        await Promise.all(sending);
        assert.deepEqual(texts(), [['go'], ['go', 'typed']]);
      });
    }

    it('a text that was typed meanwhile is answered together with theirs', async () => {
      const sending = await typeMeanwhile('steer');
      answer.resolve({ decision: 'block', reason: 'not yet' });
      await Promise.all(sending);
      assert.deepEqual(texts(), [['go'], ['go', 'not yet', 'typed']]);
    });

    it('a follow-up that was typed meanwhile waits until theirs is answered', async () => {
      const sending = await typeMeanwhile('followUp');
      answer.resolve({ decision: 'block', reason: 'not yet' });
      await Promise.all(sending);
      assert.deepEqual(texts(), [['go'], ['go', 'not yet'], ['go', 'not yet', 'typed']]);
    });

    it('a stop does not wait for them, and gives the text back', async () => {
      const sending = await typeMeanwhile('steer');
      await rig.conversation.run.stop();
      await Promise.all(sending);
      assert.equal(rig.chat.composer.text, 'typed');
      answer.resolve({ decision: 'block', reason: 'not yet' });
      await answer.promise;
      await rig.conversation.run.waitForSettled();
      assert.deepEqual(texts(), [['go']]);
    });
  });
});
