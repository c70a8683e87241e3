/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { DialectId } from '../../src/hooks/hook';
import {
  hook,
  hostWith,
  until,
  type Factory,
  type Foreign,
  type InlineHook,
  type TestHost,
} from '../support/hook-host';

const ALL: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext'];

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

const message = (more: object = {}) => ({ customType: 'x', content: 'text', display: true, ...more });

async function sent(host: TestHost, count = 1): Promise<readonly Foreign[]> {
  await until(() => host.conversation.actions.length >= count, 'the action');
  return host.conversation.actions as readonly Foreign[];
}

describe('conflicts over pi and commands', () => {
  describe('C12 command handlers', () => {
    /** What a handler of this source got for `/cmd one two`. */
    const called = async (
      dialect: DialectId,
      register: 'command' | 'registerCommand',
      handler: Foreign,
    ): Promise<TestHost> => {
      const host = await hostWith([hook(dialect, pi => pi[register]('cmd', { handler }))]);
      await host.host.commands.runText('/cmd one "two three"', host.conversation);
      return host;
    };
    const raw = 'one "two three"';

    it('get (args, ctx) when they have two parameters, in every dialect', async () => {
      for (const dialect of ALL) {
        let got: Foreign;
        await called(dialect, 'registerCommand', (text: Foreign, other: Foreign) => {
          got = [text, other.cwd];
        });
        assert.deepEqual(got, [raw, '/work'], dialect);
      }
    });
    it('get (ctx) when their only parameter is called so or is taken apart', async () => {
      for (const dialect of ALL) {
        let got: Foreign[] = [];
        await called(dialect, 'registerCommand', (ctx: Foreign) => {
          got.push(ctx.args);
        });
        await called(dialect, 'registerCommand', (_ctx: Foreign) => {
          got.push(_ctx.args);
        });
        await called(dialect, 'registerCommand', ({ args }: Foreign) => {
          got.push(args);
        });
        assert.deepEqual(got, [raw, raw, raw], dialect);
        got = [];
      }
    });
    it('get (args) when their only parameter is called so', async () => {
      for (const dialect of ALL) {
        const got: Foreign[] = [];
        await called(dialect, 'registerCommand', async (_args: Foreign) => {
          await Promise.resolve();
          got.push(_args);
        });
        await called(dialect, 'registerCommand', (...args: Foreign[]) => {
          got.push(args[0]);
        });
        assert.deepEqual(got, [raw, raw], dialect);
      }
    });
    it('are guessed by dialect when nothing tells, and the guess is shown', async () => {
      for (const dialect of ALL) {
        let got: Foreign;
        const host = await called(dialect, 'registerCommand', (thing: Foreign) => {
          got = thing;
        });
        assert.equal(typeof got === 'string' ? 'args' : 'ctx', dialect === 'omp' || dialect === 'ext' ? 'args' : 'ctx');
        assert.match(
          host.host.problems()[0]?.message ?? '',
          /Handler of "\/cmd": its only parameter "thing" is taken for the/,
        );
      }
    });
    it('of pi.command always get (ctx)', async () => {
      let got: Foreign;
      await called('ext', 'command', (thing: Foreign) => {
        got = thing;
      });
      assert.equal(got.argsRaw, raw);
    });
    it('C13 ctx.args is an array for command and text for registerCommand; argsRaw and argv are always there', async () => {
      const got: Foreign[] = [];
      const note = (ctx: Foreign): void => {
        got.push(ctx.args, ctx.argsRaw, ctx.argv);
      };
      await called('v2', 'command', note);
      await called('tree', 'registerCommand', note);
      assert.deepEqual(got, [['one', 'two three'], raw, ['one', 'two three'], raw, raw, ['one', 'two three']]);
    });
    it('of v2 may answer with a status', async () => {
      const host = await hostWith([hook('v2', pi => pi.command('pop', { handler: () => ({ status: 'Popped' }) }))]);
      assert.deepEqual(await host.host.commands.runText('/pop', host.conversation), {
        handled: true,
        status: 'Popped',
      });
    });
  });

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
      for (const dialect of ALL) {
        assert.deepEqual(await turn(dialect, [message(), true]), { triggerTurn: true });
        assert.deepEqual(await turn(dialect, [message(), { triggerTurn: true, deliverAs: 'nextTurn' }]), {
          triggerTurn: true,
          deliverAs: 'nextTurn',
        });
        assert.deepEqual(await turn(dialect, [message(), { deliverAs: 'nonsense' }]), { triggerTurn: false });
      }
    });
    it('D8 left out starts a turn only in a tree file written by the document, for a shown message', async () => {
      for (const dialect of ALL) assert.deepEqual(await turn(dialect, [message()]), { triggerTurn: false }, dialect);
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
      pi.sendMessage({ content: 5 });
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

  it('C27 #31 of two commands with one name the first loaded runs; built-ins win over all; both are told', async () => {
    const log: string[] = [];
    const command =
      (name: string, who: string): Factory =>
      pi =>
        pi.registerCommand(name, {
          description: who,
          handler: () => {
            log.push(who);
          },
        });
    const host = await hostWith(
      [hook('tree', command('go', 'first')), hook('ext', command('go', 'second')), hook('ext', command('new', 'mine'))],
      { builtInCommands: new Set(['new']) },
    );
    await host.host.commands.runText('/go', host.conversation);
    assert.deepEqual(await host.host.commands.runText('/new', host.conversation), { handled: false });
    assert.deepEqual(log, ['first']);
    assert.deepEqual(
      host.host.commands.list().map(info => info.description),
      ['first'],
    );
    assert.deepEqual(
      host.host.problems().map(problem => [problem.message, problem.file]),
      [
        ['Command "/go" is already registered by /hooks/1.ts. Skipping.', '/hooks/2.ts'],
        ['Command "/new" conflicts with built-in commands. Skipping.', '/hooks/3.ts'],
      ],
    );
  });

  it('C29 tools are executed in either order of arguments, told apart by their parameters', async () => {
    const done = { content: [{ type: 'text', text: 'ok' }], details: 1 };
    const got: Foreign[] = [];
    const tool = (name: string, execute: Foreign): Foreign => ({
      name,
      label: name,
      description: '',
      parameters: {},
      execute,
    });
    const host = await hostWith([
      hook('ext', pi => {
        pi.registerTool(
          tool('new', (_id: Foreign, _params: Foreign, signal: Foreign, update: Foreign, ctx: Foreign) => {
            got.push([signal?.aborted, typeof update, ctx.cwd]);
            return done;
          }),
        );
        pi.registerTool(
          tool('old', (_id: Foreign, _params: Foreign, onUpdate: Foreign, ctx: Foreign, signal: Foreign) => {
            got.push([signal?.aborted, typeof onUpdate, ctx.cwd]);
            return done;
          }),
        );
        pi.registerTool(
          tool('short', (_id: Foreign, params: Foreign) => {
            got.push(params);
            return done;
          }),
        );
        pi.registerTool(tool('wrong', () => 'text'));
      }),
    ]);
    const [newer, older, short, wrong] = host.host.tools(host.conversation);
    const { signal } = new AbortController();
    for (const one of [newer, older, short]) assert.deepEqual(await one!.execute('t', { a: 1 }, signal), done);
    assert.deepEqual(got, [[false, 'function', '/work'], [false, 'function', '/work'], { a: 1 }]);
    await assert.rejects(wrong!.execute('t', {}, signal), /Tool "wrong" of \/hooks\/1\.ts did not return/);
  });

  it('#31 #51 of two tools with one name the first loaded wins; a tool registered later is there at once', async () => {
    const tool = (description: string): Foreign => ({
      name: 'x',
      label: 'x',
      description,
      parameters: {},
      execute: () => undefined,
    });
    let later: Foreign;
    const host = await hostWith([
      hook('ext', pi => {
        later = pi;
      }),
      hook('ext', pi => pi.registerTool(tool('second'))),
    ]);
    assert.deepEqual(
      host.host.tools(host.conversation).map(one => one.description),
      ['second'],
    );
    later.registerTool(tool('first'));
    assert.deepEqual(
      host.host.tools(host.conversation).map(one => one.description),
      ['first'],
    );
    assert.throws(
      () => later.registerTool({ name: 'y', parameters: {} }),
      /registerTool\("y"\): "execute" must be a function/,
    );
  });

  it('C21 both generations of every name are there', async () => {
    let got: Foreign;
    const host = await hostWith([
      hook('tree', pi => {
        pi.on('agent_start', (_event: Foreign, ctx: Foreign) => {
          got = ctx;
        });
        pi.registerCommand('c', {
          handler: (ctx: Foreign) => {
            got = ctx;
          },
        });
      }),
    ]);
    host.conversation.session.user('a');
    await host.emit({ type: 'agent_start' });
    const { getPath, getBranch, getEntries } = got.sessionManager;
    assert.deepEqual([getPath().length, getBranch().length, getEntries().length], [1, 1, 1]);
    assert.deepEqual(
      [(await got.modelRegistry.getAvailableModels()).length, (await got.modelRegistry.getAvailable()).length],
      [1, 1],
    );
    assert.equal(got.hasQueuedMessages(), got.hasPendingMessages());
    assert.equal(got.newSession, undefined);
    await host.host.commands.runText('/c', host.conversation);
    await got.branch('e1');
    await got.fork('e1');
    assert.deepEqual(host.conversation.actions, [
      ['fork', 'e1'],
      ['fork', 'e1'],
    ]);
  });

  it('C23 #26 exec is on ctx and on pi, its timeout in ms, and an unknown program gives code 1', async () => {
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
    assert.deepEqual(results[0], { stdout: '', stderr: '', code: 1, killed: false });
    assert.equal(results[1].stdout.trim(), process.cwd()); // eslint-disable-line no-restricted-syntax
    assert.deepEqual([results[2].killed, results[2].code === 0], [true, false]);
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
      ['sendUserMessage', 'plain', { queueWhenStreaming: false, deliverAs: 'followUp' }],
    ]);
    host.conversation.refuseMessages = 'Agent is already processing. Specify streamingBehavior.';
    pi.sendUserMessage('now');
    await until(() => host.errors.length === 1, 'the report');
    assert.deepEqual(
      [host.errors[0]?.event, host.errors[0]?.message],
      ['sendUserMessage', 'Agent is already processing. Specify streamingBehavior.'],
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

  it('flags: the command line wins over the default, and foreign flags are undefined', async () => {
    const pis: Foreign[] = [];
    await hostWith(
      [
        hook('ext', pi => {
          pis.push(pi);
          pi.registerFlag('plan', { type: 'boolean', default: false });
          pi.registerFlag('name', { type: 'string', default: 'x' });
        }),
        hook('ext', pi => {
          pis.push(pi);
        }),
      ],
      { flagValue: name => (name === 'plan' ? true : undefined) },
    );
    assert.deepEqual([pis[0].getFlag('plan'), pis[0].getFlag('name'), pis[1].getFlag('plan')], [true, 'x', undefined]);
  });

  it("the event bus is shared, its errors are the listener's, and subscriptions end with the load", async () => {
    const pis: Foreign[] = [];
    const heard: unknown[] = [];
    const host = await hostWith([
      hook('ext', pi => {
        pis.push(pi);
      }),
      hook(
        'ext',
        pi => {
          pi.events.on('ch', (data: unknown) => {
            heard.push(data);
            throw new Error('deaf');
          });
          const off = pi.events.on('ch', () => heard.push('off'));
          off();
        },
        '/hooks/listener.ts',
      ),
    ]);
    pis[0].events.emit('ch', 1);
    assert.deepEqual(heard, [1]);
    await until(() => host.errors.length === 1, 'the report');
    assert.deepEqual([host.errors[0]?.hookPath, host.errors[0]?.event], ['/hooks/listener.ts', 'events:ch']);
    await host.host.dispose();
    pis[0].events.emit('ch', 2);
    assert.deepEqual(heard, [1]);
  });

  it('#31 of two shortcuts with one key the last loaded wins', async () => {
    const log: string[] = [];
    const shortcut =
      (who: string): Factory =>
      pi =>
        pi.registerShortcut('ctrl+x', {
          handler: (ctx: Foreign) => {
            log.push(`${who} ${String(ctx.cwd)}`);
          },
        });
    const host = await hostWith([hook('ext', shortcut('a')), hook('ext', shortcut('b'))]);
    assert.equal(await host.host.commands.runShortcut('ctrl+x', host.conversation), true);
    assert.equal(await host.host.commands.runShortcut('ctrl+y', host.conversation), false);
    assert.deepEqual(log, ['b /work']);
  });

  it('providers are registered through the port, and leave with the load', async () => {
    const log: string[] = [];
    const { host } = {
      host: await hostWith([hook('ext', pi => pi.registerProvider('mine', { baseUrl: 'u' }))], {
        providers: {
          register: (name, config) => {
            log.push(`+${name} ${String(config['baseUrl'])}`);
            return {
              dispose: () => {
                log.push(`-${name}`);
              },
            };
          },
          unregister: name => {
            log.push(`unregister ${name}`);
          },
        },
      }),
    };
    await host.host.dispose();
    assert.deepEqual(log, ['+mine u', '-mine']);
  });

  describe('slash commands', () => {
    it('#28 one space is taken off, a newline belongs to the name, case counts', async () => {
      const got: string[] = [];
      const host = await hostWith([
        hook('ext', pi =>
          pi.registerCommand('cmd', {
            handler: (args: string, _ctx: Foreign) => {
              got.push(args);
            },
          }),
        ),
      ]);
      const run = (text: string) => host.host.commands.runText(text, host.conversation);
      assert.deepEqual(await run('/cmd  two spaces'), { handled: true });
      assert.deepEqual(await run('/cmd'), { handled: true });
      for (const text of ['/cmd\nline', '/CMD', 'cmd', '/']) {
        assert.deepEqual(await run(text), { handled: false }, text);
      }
      assert.deepEqual(got, [' two spaces', '']);
    });
    it('#29 a throwing handler is reported as command:<name>, and the text counts as handled', async () => {
      const host = await hostWith([
        hook('tree', pi =>
          pi.registerCommand('bad', {
            handler: () => {
              throw new Error('oops');
            },
          }),
        ),
      ]);
      assert.deepEqual(await host.host.commands.runText('/bad', host.conversation), { handled: true });
      assert.deepEqual([host.errors[0]?.event, host.errors[0]?.message], ['command:bad', 'oops']);
    });
    it('offer completions, and none when the hook fails', async () => {
      const host = await hostWith([
        hook('ext', pi => {
          pi.registerCommand('a', {
            handler: () => undefined,
            getArgumentCompletions: (prefix: string) => [
              { value: `${prefix}1`, label: 'One', description: 'd' },
              'two',
              5,
            ],
          });
          pi.registerCommand('b', {
            handler: () => undefined,
            getArgumentCompletions: () => {
              throw new Error('x');
            },
          });
          pi.registerCommand('c', { handler: () => undefined, getArgumentCompletions: () => null });
        }),
      ]);
      assert.deepEqual(await host.host.commands.completions('a', 'p'), [
        { value: 'p1', label: 'One', description: 'd' },
        { value: 'two', label: 'two' },
      ]);
      for (const name of ['b', 'c', 'none']) assert.deepEqual(await host.host.commands.completions(name, ''), []);
    });
  });
});
