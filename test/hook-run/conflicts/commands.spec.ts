/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { DIALECTS, hook, hostWith, type Factory, type Foreign, type TestHost } from '../../support/hook-host';

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
      for (const dialect of DIALECTS) {
        let got: Foreign;
        await called(dialect, 'registerCommand', (text: Foreign, other: Foreign) => {
          got = [text, other.cwd];
        });
        assert.deepEqual(got, [raw, '/work'], dialect);
      }
    });
    it('that are missing fail when the command runs, and not before', async () => {
      for (const form of ['command', 'registerCommand'] as const) {
        const host = await called('ext', form, undefined);
        assert.deepEqual(
          host.errors.map(({ message }) => message),
          [`${form}("cmd") needs a handler`],
        );
      }
    });
    it('that are missing are a problem of the hook, which loads, in every dialect', async () => {
      for (const dialect of DIALECTS) {
        for (const options of [undefined, null, 'text', {}, { handler: null }, { handler: 'text' }]) {
          const { host } = await hostWith([hook(dialect, pi => pi.registerCommand('cmd', options))]);
          assert.deepEqual(
            host.problems().map(({ message, file }) => [message, file]),
            [['Command "/cmd" has no handler. It fails when it is run.', '/hooks/1.ts']],
            dialect,
          );
          assert.deepEqual(
            host.infos().map(({ state }) => state.type),
            ['live'],
          );
        }
      }
    });
    it('get (ctx) when their only parameter is called so or is taken apart', async () => {
      for (const dialect of DIALECTS) {
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
      for (const dialect of DIALECTS) {
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
      for (const dialect of DIALECTS) {
        let got: Foreign;
        const host = await called(dialect, 'registerCommand', (thing: Foreign) => {
          got = thing;
        });
        assert.equal(typeof got === 'string' ? 'args' : 'ctx', dialect === 'omp' || dialect === 'ext' ? 'args' : 'ctx');
        assert.match(
          host.host.problems()[0]?.message ?? '',
          /Handler of "\/cmd": its only parameter "thing" is treated as the/,
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

  it('C27 two commands with one name are numbered, the bare one is the first; built-ins win; both are told', async () => {
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
    await host.host.commands.runText('/go:2', host.conversation);
    await host.host.commands.runText('/go:1', host.conversation);
    assert.deepEqual(log, ['first', 'second', 'first']);
    assert.deepEqual(
      host.host.commands.list().map(({ name, registeredAs, description }) => [name, registeredAs, description]),
      [
        ['go:1', 'go', 'first'],
        ['go:2', 'go', 'second'],
      ],
    );
    assert.deepEqual(
      host.host.problems().map(problem => [problem.message, problem.file]),
      [
        ['Command "/go" is also registered by /hooks/1.ts. This one is "/go:2".', '/hooks/2.ts'],
        ['Command "/new" conflicts with built-in commands. Skipping.', '/hooks/3.ts'],
      ],
    );
  });

  it('C27 a number that another command has as its own name is passed over', async () => {
    const log: string[] = [];
    const command =
      (name: string, who: string): Factory =>
      pi =>
        pi.registerCommand(name, { handler: () => void log.push(who) });
    const host = await hostWith([
      hook('ext', command('go:1', 'literal')),
      hook('ext', command('go', 'first')),
      hook('ext', command('go', 'second')),
    ]);
    const names = host.host.commands.list().map(({ name }) => name);
    assert.deepEqual(names, ['go:1', 'go:2', 'go:3']);
    for (const name of [...names, 'go']) await host.host.commands.runText(`/${name}`, host.conversation);
    assert.deepEqual(log, ['literal', 'first', 'second', 'first']);
  });

  describe('slash commands', () => {
    it('one space is taken off, a newline belongs to the name, case counts', async () => {
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
    it('a throwing handler is reported as command:<name>, and the text counts as handled', async () => {
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
