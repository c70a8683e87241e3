/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { hook, hostWith, until, type Factory, type Foreign } from '../../support/hook-host';

describe('conflicts over pi and commands', () => {
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

  it('of two tools with one name the first loaded wins; a tool registered later is there at once', async () => {
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

  it("P9 flags of today's pi have defaults of their kind, and nothing else while the factory runs", async () => {
    const seen: Foreign[] = [];
    const factory: Factory = pi => {
      pi.registerFlag('tint', { type: 'string', default: 'grey' });
      try {
        pi.registerFlag('odd', { type: 'string', default: true });
      } catch (error) {
        seen.push((error as Error).message);
      }
      seen.push(pi.getFlag('tint'));
      pi.on('turn_start', () => seen.push(pi.getFlag('tint')));
    };
    for (const dialect of ['pi', 'ext'] as const) {
      const host = await hostWith([hook(dialect, factory)], { flagValue: () => 'red' });
      await host.emit({ type: 'turn_start', turnIndex: 0, timestamp: 1 });
    }
    assert.deepEqual(seen, ['registerFlag("odd"): the default must be a string', 'grey', 'red', 'red', 'red']);
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

  it('of two shortcuts with one key the last loaded wins', async () => {
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
    const provides = (dialect: DialectId, name: string): ReturnType<typeof hook> =>
      hook(dialect, pi => pi.registerProvider(name, { baseUrl: 'u' }));
    const { host } = {
      host: await hostWith([provides('ext', 'mine'), provides('pi', 'newer')], {
        providers: {
          register: (name, config, { takesSystemMessages }) => {
            log.push(`+${name} ${String(config['baseUrl'])} ${takesSystemMessages()}`);
            return {
              dispose: () => {
                log.push(`-${name}`);
              },
            };
          },
          unregister: name => {
            log.push(`unregister ${name}`);
          },
          registerNative: () => assert.fail('no whole provider'),
          registerVirtual: () => assert.fail('no virtual model'),
          unregisterVirtual: () => undefined,
        },
      }),
    };
    await host.host.dispose();
    assert.deepEqual(log.slice(0, 2), ['+mine u false', '+newer u true'], 'only the newer takes system messages');
    assert.deepEqual(log.slice(2).sort(), ['-mine', '-newer']);
  });
});
