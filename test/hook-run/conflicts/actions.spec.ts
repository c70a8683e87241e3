/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { DIALECTS, hook, hostWith, until, type Foreign, type InlineHook, type TestHost } from '../../support/hook-host';

const message = (more: object = {}) => ({ customType: 'x', content: 'text', display: true, ...more });

/** A host, and the `pi` of its only hook. */
async function withPi(dialect: DialectId, more: Partial<InlineHook> = {}): Promise<{ host: TestHost; pi: Foreign }> {
  let given: Foreign;
  const host = await hostWith([
    {
      dialect,
      factory: pi => {
        given = pi;
      },
      ...more,
    },
  ]);
  return { host, pi: given };
}

async function sent(host: TestHost, count = 1): Promise<readonly Foreign[]> {
  await until(() => host.conversation.actions.length >= count, 'the action');
  return host.conversation.actions as readonly Foreign[];
}

describe('conflicts over pi and commands', () => {
  describe('C14 the second argument of sendMessage', () => {
    const turn = async (
      dialect: DialectId,
      args: readonly unknown[],
      more: Partial<InlineHook> = {},
    ): Promise<Foreign> => {
      const { host, pi } = await withPi(dialect, more);
      pi.sendMessage(...args);
      return (await sent(host))[0][2];
    };
    it('may be a boolean or an object in every dialect', async () => {
      for (const dialect of DIALECTS) {
        assert.deepEqual(await turn(dialect, [message(), true]), { triggerTurn: true, busyUntil: 'end' });
        assert.deepEqual(await turn(dialect, [message(), { triggerTurn: true, deliverAs: 'nextTurn' }]), {
          triggerTurn: true,
          deliverAs: 'nextTurn',
          busyUntil: 'end',
        });
        assert.deepEqual(await turn(dialect, [message(), { deliverAs: 'nonsense' }]), {
          triggerTurn: false,
          busyUntil: 'end',
        });
      }
    });
    it('D8 left out starts a turn only in a tree file that follows the description, for a shown message', async () => {
      for (const dialect of DIALECTS) {
        assert.deepEqual(await turn(dialect, [message()]), { triggerTurn: false, busyUntil: 'end' }, dialect);
      }
      const byDocument: Partial<InlineHook> = {};
      let pi: Foreign;
      const host = await hostWith([
        {
          dialect: 'tree',
          factory: given => {
            pi = given;
            given.on('session', () => undefined);
          },
          ...byDocument,
        },
      ]);
      pi.sendMessage(message());
      pi.sendMessage(message({ display: false }));
      assert.deepEqual(
        (await sent(host, 2)).map(action => action[2].triggerTurn),
        [true, false],
      );
    });
    it('a message of the wrong shape is reported with what is wrong', async () => {
      const { host, pi } = await withPi('ext');
      pi.sendMessage({ customType: 5, content: 5 });
      await until(() => host.errors.length === 1, 'the report');
      assert.match(host.errors[0]?.message ?? '', /"customType" must be a string; "content" must be/);
    });
  });

  it('C28 actions before the start do nothing in v1 and tree, and throw in omp and ext', async () => {
    const early = async (dialect: DialectId, act: (pi: Foreign) => unknown): Promise<TestHost> =>
      await hostWith([hook(dialect, act)]);
    for (const dialect of ['v1', 'v2', 'tree'] as const) {
      const host = await early(dialect, pi => {
        pi.send('x');
        pi.sendMessage(message());
        pi.appendEntry('x', 1);
      });
      assert.equal(host.host.infos()[0]?.state.type, 'live');
      assert.deepEqual(host.conversation.actions, []);
    }
    const problemOf = (host: TestHost): string => {
      const state = host.host.infos()[0]?.state;
      return state?.type === 'failed' ? (state.problems[0]?.message ?? '') : 'it loaded';
    };
    assert.equal(
      problemOf(await early('omp', pi => pi.sendMessage(message()))),
      'Failed to load hook: sendMessage handler not initialized',
    );
    assert.equal(
      problemOf(
        await early('omp', pi => {
          pi.appendEntry('x');
        }),
      ),
      'Failed to load hook: appendEntry handler not initialized',
    );
    assert.equal(
      problemOf(await early('ext', pi => pi.sendUserMessage('x'))),
      'Failed to load hook: Extension runtime not initialized. Action methods cannot be called during extension loading.',
    );
    let rejected: Foreign;
    await early('ext', async pi => {
      rejected = await pi.setModel({}).catch((error: Error) => error.message);
    });
    assert.match(rejected, /not initialized/);
  });

  it('C23 exec is on ctx and on pi, its timeout in ms, and an unknown program gives code 1', async () => {
    const results: Foreign[] = [];
    let pi: Foreign;
    const host = await hostWith([
      hook('v1', given => {
        pi = given;
        given.on('agent_start', async (_event: Foreign, ctx: Foreign) => {
          const { exec } = ctx;
          results.push(
            await exec('no-such-program-here', []),
            await ctx.exec(process.execPath, ['-e', 'console.log(process.cwd())'], { timeout: 20_000 }),
          );
        });
      }),
    ]);
    Reflect.set(host.conversation, 'cwd', process.cwd()); // eslint-disable-line no-restricted-syntax
    await host.emit({ type: 'agent_start' });
    results.push(await pi.exec(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeout: 50 }));
    assert.deepEqual(results[0], { stdout: '', stderr: 'spawn no-such-program-here ENOENT', code: 1, killed: false });
    assert.equal(results[1].stdout.trim(), process.cwd()); // eslint-disable-line no-restricted-syntax
    assert.deepEqual([results[2].killed, results[2].code === 0], [true, false]);
  });

  it('exec with maxBuffer says in every dialect whether the output was cut', async () => {
    for (const dialect of [...DIALECTS, 'pi'] as const) {
      const { pi } = await withPi(dialect);
      const print = (maxBuffer?: number): Promise<Foreign> =>
        pi.exec(process.execPath, ['-e', 'process.stdout.write("0123456789")'], { maxBuffer });
      const [cut, whole, plain] = [await print(4), await print(10), await print()];
      assert.deepEqual([cut.truncated, cut.killed, cut.stdout], [true, true, '0123'], dialect);
      assert.deepEqual([whole.truncated, whole.stdout], [false, '0123456789'], dialect);
      assert.equal('truncated' in plain, dialect === 'pi', dialect);
    }
  });

  it('6.1 send queues, sendUserMessage refuses without deliverAs; attachments become parts', async () => {
    const { host, pi } = await withPi('v1');
    pi.send('hello', [
      { id: '1', type: 'image', fileName: 'a.png', mimeType: 'image/png', size: 1, content: 'DATA' },
      {
        id: '2',
        type: 'document',
        fileName: 'a.txt',
        mimeType: 'text/plain',
        size: 1,
        content: '',
        extractedText: 'words',
      },
    ]);
    pi.sendUserMessage('plain', { deliverAs: 'followUp' });
    assert.deepEqual(await sent(host, 2), [
      [
        'sendUserMessage',
        [
          { type: 'text', text: 'hello' },
          { type: 'image', data: 'DATA', mimeType: 'image/png' },
          { type: 'text', text: '\n\n[Document: a.txt]\nwords' },
        ],
        { queueWhenStreaming: true },
      ],
      ['sendUserMessage', 'plain', { queueWhenStreaming: false, deliverAs: 'followUp', busyUntil: 'end' }],
    ]);
    host.conversation.refuseMessages = 'Agent is already processing. Specify streamingBehavior.';
    pi.sendUserMessage('now');
    await until(() => host.errors.length === 1, 'the report');
    assert.deepEqual(
      [host.errors[0]?.event, host.errors[0]?.message],
      ['send_user_message', 'Agent is already processing. Specify streamingBehavior.'],
    );
  });

  it('every other action reaches the conversation', async () => {
    const { host, pi } = await withPi('ext');
    host.conversation.session.user('a');
    pi.appendEntry('state', { n: 1 });
    pi.setSessionName('name');
    pi.setLabel('e1', 'mark');
    pi.setActiveTools(['read', 'nope']);
    pi.setThinkingLevel('high');
    assert.equal(await pi.setModel({ id: 'm' }), true);
    assert.equal(pi.getSessionName(), 'named');
    assert.equal(pi.getThinkingLevel(), 'low');
    assert.deepEqual(pi.getActiveTools(), ['read', 'bash']);
    assert.deepEqual(pi.getAllTools(), []);
    assert.deepEqual(pi.getCommands(), []);
    assert.deepEqual(host.conversation.actions, [
      ['appendEntry', 'state', { n: 1 }],
      ['setSessionName', 'name'],
      ['setLabel', 'e1', 'mark'],
      ['setActiveTools', 'read', 'nope'],
      ['setThinkingLevel', 'high'],
      ['setModel', 'm'],
    ]);
    assert.throws(() => pi.setLabel('e99', 'x'), /Entry e99 not found/);
  });
});
