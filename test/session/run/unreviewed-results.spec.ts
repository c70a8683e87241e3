import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Type } from '@sinclair/typebox';
import { defineTool } from '../../../src/agent/tools/tool';
import { deferred } from '../../../src/base/async/wait';
import { Rig, until } from '../../support/conversation-rig';

const READER = `export default pi => {
  let key = 'hunter2';
  pi.on('tool_result', ({ content }) => ({ content: content.map(part => ({ ...part, text: part.text.replace(key, '') })) }));
  pi.on('session_shutdown', () => {
    key = '';
    return globalThis.reviewOfTest.end();
  });
};`;

/** A result that no hook could look at never reaches the model. */
describe('a result that waits for a reload of the hooks', () => {
  let rig: Rig;
  let released = deferred();
  /** The limits of all waits, by their ms; a test ends those that it wants to end. */
  const limits = new Map<number, AbortController>();

  /** The agent calls a tool, and while it runs, a reload begins that does not end. */
  async function callDuringReload(): Promise<{ readonly run: Promise<void>; readonly reload: Promise<void> }> {
    const [started, finished, ending] = [deferred(), deferred(), deferred()];
    released = deferred();
    const end = (): Promise<void> => {
      ending.resolve();
      return released.promise;
    };
    Object.assign(globalThis, { reviewOfTest: { end } });
    const secret = defineTool({
      name: 'secret',
      label: 'Secret',
      description: 'Tells a secret',
      parameters: Type.Object({}),
      execute: async () => {
        started.resolve();
        await finished.promise;
        return { content: [{ type: 'text' as const, text: 'hunter2' }], details: undefined };
      },
    });
    const call = { id: 'c', name: 'secret', args: {} };
    rig = await Rig.open([{ calls: [call] }, { text: 'done' }], {
      extensions: { 'reader.ts': READER },
      optionalTools: () => [{ tool: secret, byDefault: true }],
    });
    const run = rig.chat.submit('go');
    await started.promise;
    mock.method(AbortSignal, 'timeout', (ms: number) => {
      const limit = new AbortController();
      limits.set(ms, limit);
      return limit.signal;
    });
    const reload = rig.host.reload({ freshAll: true });
    await ending.promise;
    finished.resolve();
    await until(() => limits.get(60_000), 'the result waits');
    return { run, reload };
  }

  afterEach(async () => {
    mock.restoreAll();
    released.resolve();
    await rig.close();
  });

  const results = (): readonly unknown[] =>
    rig.conversation.run.agent.messages.flatMap(message => (message.role === 'toolResult' ? [message.content] : []));

  it('is withheld when that takes too long, and says why', async () => {
    const { run, reload } = await callDuringReload();
    limits.get(60_000)?.abort();
    await run;
    assert.deepEqual(results(), [
      [{ type: 'text', text: 'The result was withheld: the hooks are being reloaded, which takes too long.' }],
    ]);
    assert.ok(!JSON.stringify(rig.model.requests).includes('hunter2'));
    released.resolve();
    await reload;
  });

  it('is withheld when the run is stopped meanwhile', async () => {
    const { run, reload } = await callDuringReload();
    await rig.conversation.run.stop();
    await run;
    assert.deepEqual(results(), [[{ type: 'text', text: 'Operation aborted' }]]);
    released.resolve();
    await reload;
  });
});

describe('a result that a hook still looks at when the run is stopped', () => {
  it('is withheld', async () => {
    const [asked, never] = [deferred(), deferred()];
    Object.assign(globalThis, {
      reviewOfTest: {
        look: () => {
          asked.resolve();
          return never.promise;
        },
      },
    });
    const call = { id: 'c', name: 'bash', args: { command: 'echo hunter2' } };
    const rig = await Rig.open([{ calls: [call] }], {
      extensions: {
        'reader.ts': `export default pi => { pi.on('tool_result', () => globalThis.reviewOfTest.look()); };`,
      },
    });
    try {
      const run = rig.chat.submit('go');
      await asked.promise;
      await rig.conversation.run.stop();
      await run;
      const results = rig.conversation.run.agent.messages.filter(({ role }) => role === 'toolResult');
      assert.deepEqual(
        results.map(message => 'content' in message && message.content),
        [[{ type: 'text', text: 'Operation aborted' }]],
      );
    } finally {
      await rig.close();
    }
  });
});
