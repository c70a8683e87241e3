/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { Discovery, HookFile } from '../../../src/hook-load/files/discover';
import { FakeConversation } from '../../support/fake-conversation';
import { hook, hostWith, scopesOf, until, type Factory, type Foreign } from '../../support/hook-host';

describe('the hook host', () => {
  it('loads every file, and one that fails does not stop the others', async () => {
    const host = await hostWith([
      hook('v1', () => {
        throw new Error('broken');
      }),
      hook('v1', pi => pi.on('agent_start', () => undefined)),
    ]);
    assert.deepEqual(
      host.host.infos().map(info => info.state.type),
      ['failed', 'live'],
    );
    assert.deepEqual(
      host.host.infos()[1]?.handlers.map(handler => handler.event),
      ['agent_start'],
    );
    assert.deepEqual(host.host.infos()[1]?.dialect, { id: 'v1', because: 'set by // @pi-dialect', overridden: true });
  });

  it('drops what a throwing factory registered before', async () => {
    let called = 0;
    const host = await hostWith([
      hook('v1', pi => {
        pi.on('agent_start', () => called++);
        throw new Error('late');
      }),
    ]);
    await host.emit({ type: 'agent_start' });
    assert.equal(called, 0);
  });

  it('awaits async factories', async () => {
    const host = await hostWith([
      hook('ext', async pi => {
        await Promise.resolve();
        pi.on('agent_start', () => undefined);
      }),
    ]);
    assert.equal(host.runner.hasHandlers('agent_start'), true);
  });

  describe('on reload', () => {
    const counting =
      (log: string[], name: string): Factory =>
      pi => {
        log.push(`factory ${name}`);
        pi.on('session', (event: Foreign) => log.push(`${name} ${String(event.reason)}`));
        pi.on('tool_call', () => ({ block: true, reason: name }));
      };
    const call = { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: {} } as const;

    it('keeps what lies where nothing can be listed now, in its place, and ends it when it is really gone', async () => {
      const file = (name: string): HookFile => {
        const path = join('/hooks', `${name}.ts`);
        return { path, entry: path, origin: 'global', group: 'hooks' };
      };
      let found: Discovery = { files: ['1', 'a/2', 'b/3'].map(file), problems: [] };
      const log: string[] = [];
      const hooks = ['1', 'a/2', 'b/3'].map(name => hook('v1', counting(log, name), join('/hooks', `${name}.ts`)));
      const { host } = await hostWith(hooks, { discover: () => found });
      found = { files: ['1', 'b/3'].map(file), problems: [], unreadable: [join('/hooks/a')] };
      await host.reload();
      assert.deepEqual(
        host.infos().map(info => `${info.path.replaceAll(sep, '/')} ${info.state.type}`),
        ['/hooks/1.ts live', '/hooks/a/2.ts live', '/hooks/b/3.ts live'],
      );
      assert.equal((await host.runner.emit(call, new FakeConversation())).block, true);
      found = { files: ['1', 'b/3'].map(file), problems: [] };
      await host.reload();
      assert.deepEqual(
        host.infos().map(info => info.path.replaceAll(sep, '/')),
        ['/hooks/1.ts', '/hooks/b/3.ts'],
      );
    });

    it('keeps unchanged files and their state', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'hooks '));
      try {
        const path = join(folder, 'a.ts');
        const text = '// @pi-dialect v1\nkept';
        writeFileSync(path, text);
        const log: string[] = [];
        const host = await hostWith([{ dialect: 'v1', path, text: 'kept', factory: counting(log, 'a') }]);
        const [before] = host.runner.loaded;
        await host.host.reload();
        assert.deepEqual(log, ['factory a']);
        assert.equal(host.runner.loaded[0], before);
        await host.host.reload({ freshAll: true });
        assert.deepEqual(log, ['factory a', 'a shutdown', 'factory a', 'a start']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('ends the old instance, releases it, starts the new one and greets it', async () => {
      const log: string[] = [];
      const host = await hostWith([hook('v1', counting(log, 'old'))]);
      const [oldScope] = scopesOf(host);
      oldScope?.own({
        what: 'server',
        close: () => {
          log.push('released');
        },
      });
      host.hooks = [hook('v1', counting(log, 'new'))];
      await host.host.reload();
      assert.deepEqual(log, ['factory old', 'old shutdown', 'released', 'factory new', 'new start']);
      assert.equal(oldScope?.isReleased, true);
      assert.deepEqual(await host.emit(call), { block: true, reason: 'new', by: '/hooks/1.ts' });
    });

    it('starts the last good version again when the new factory throws, and says so', async () => {
      const log: string[] = [];
      const host = await hostWith([hook('v1', counting(log, 'good'))]);
      host.hooks = [
        hook('v1', () => {
          throw new Error('bad edit');
        }),
      ];
      await host.host.reload();
      assert.deepEqual(log, ['factory good', 'good shutdown', 'factory good', 'good start']);
      assert.deepEqual(await host.emit(call), { block: true, reason: 'good', by: '/hooks/1.ts' });
      assert.deepEqual(host.host.infos()[0]?.state, {
        type: 'stale',
        problems: [{ message: 'Failed to load hook: bad edit', file: '/hooks/1.ts' }],
      });
      assert.match(host.errors.at(-1)?.message ?? '', /last good one was started again, and its state was reset/);
    });

    it('ends hooks whose file is gone', async () => {
      const log: string[] = [];
      const host = await hostWith([hook('v1', counting(log, 'a'))]);
      host.hooks = [];
      await host.host.reload();
      assert.deepEqual(log, ['factory a', 'a shutdown']);
      assert.deepEqual(await host.emit(call), { block: false });
    });

    it('lets running dispatches end on the old set, and their verdict counts', async () => {
      let release = (): void => undefined;
      const host = await hostWith([
        hook('v1', pi =>
          pi.on(
            'tool_call',
            () =>
              new Promise(resolve => {
                release = () => resolve({ block: true, reason: 'old' });
              }),
          ),
        ),
      ]);
      const running = host.emit(call);
      host.hooks = [hook('v1', pi => pi.on('tool_call', () => ({ block: true, reason: 'new' })))];
      await host.host.reload();
      assert.equal(((await host.emit(call)) as { reason: string }).reason, 'new');
      release();
      assert.equal(((await running) as { reason: string }).reason, 'old');
    });

    it('joins calls that come while one runs into one further run', async () => {
      let found = 0;
      const host = await hostWith([], {
        discover: () => {
          found++;
          return { files: [], problems: [] };
        },
      });
      found = 0;
      await Promise.all([host.host.reload(), host.host.reload(), host.host.reload(), host.host.reload()]);
      assert.equal(found, 2);
    });

    it('tells of the change once the new set counts', async () => {
      const host = await hostWith([]);
      const seen: number[] = [];
      host.host.onDidChange(() => seen.push(host.host.infos().length));
      host.hooks = [hook('v1', () => undefined)];
      await host.host.reload();
      assert.deepEqual(seen, [1]);
    });
  });

  it('says goodbye once per conversation, then releases everything', async () => {
    const log: string[] = [];
    const host = await hostWith([
      hook('v1', pi =>
        pi.on('session', (event: Foreign, ctx: Foreign) => log.push(`${String(event.reason)} ${String(ctx.cwd)}`)),
      ),
    ]);
    const [scope] = scopesOf(host);
    host.host.attach(new FakeConversation('c2', '/other'));
    await host.host.sessions.farewell(host.conversation);
    await host.host.dispose();
    assert.deepEqual(log, ['shutdown /work', 'shutdown /other']);
    assert.equal(scope?.isReleased, true);
  });

  it('sends late calls to the conversation whose event started them, else to the active one', async () => {
    let late: Foreign;
    const host = await hostWith([
      hook('v1', pi => {
        pi.on('session', () => {
          setTimeout(() => pi.send('from the event'), 1);
        });
        late = () => pi.send('from nowhere');
      }),
    ]);
    const second = new FakeConversation('c2');
    host.host.attach(second);
    await host.runner.emit({ type: 'session_start', reason: 'startup' }, second);
    await until(() => second.actions.length === 1, 'the late message');
    assert.deepEqual(host.conversation.actions, []);
    late();
    await until(() => host.conversation.actions.length === 1, 'the message of the active conversation');
  });

  it('a ctx kept from an event works later, also when its conversation is gone', async () => {
    let kept: Foreign;
    const host = await hostWith([
      hook('ext', pi =>
        pi.on('session_start', (_event: Foreign, ctx: Foreign) => {
          kept = ctx;
        }),
      ),
    ]);
    const second = new FakeConversation('c2');
    const open = host.host.attach(second);
    await host.runner.emit({ type: 'session_start', reason: 'startup' }, second);
    kept.ui.notify('one');
    open.dispose();
    kept.ui.notify('two');
    assert.deepEqual(
      second.ui.notices.map(notice => notice.message),
      ['one'],
    );
    assert.deepEqual(
      host.conversation.ui.notices.map(notice => notice.message),
      ['two'],
    );
  });

  it('a reloaded extension hears session_shutdown, then session_start with its reason', async () => {
    const log: string[] = [];
    const factory: Factory = pi => {
      for (const name of ['session_shutdown', 'session_start']) {
        pi.on(name, (event: Foreign) => log.push(`${String(event.type)} ${String(event.reason)}`));
      }
    };
    const host = await hostWith([hook('ext', factory)]);
    await host.host.reload({ freshAll: true });
    assert.deepEqual(log, ['session_shutdown reload', 'session_start reload']);
  });

  it('hasUI is asked anew at each event', async () => {
    const seen: unknown[] = [];
    const host = await hostWith([
      hook('ext', pi => pi.on('agent_start', (_event: Foreign, ctx: Foreign) => seen.push(ctx.hasUI))),
    ]);
    host.conversation.hasUI = false;
    await host.emit({ type: 'agent_start' });
    host.conversation.hasUI = true;
    await host.emit({ type: 'agent_start' });
    assert.deepEqual(seen, [false, true]);
  });

  it('exec with a signal that already fired is killed', async () => {
    let pi: Foreign;
    await hostWith([
      hook('ext', given => {
        pi = given;
      }),
    ]);
    const result = await pi.exec(process.execPath, ['-e', '1'], { signal: AbortSignal.abort() });
    assert.deepEqual([result.killed, result.code === 0], [true, false]);
  });

  it('of two renderers or flags with one name the first loaded wins; a failing renderer is reported', async () => {
    const component = { render: () => ['drawn'], invalidate: () => undefined };
    const host = await hostWith([
      hook('tree', pi => {
        pi.registerMessageRenderer('a', (_message: Foreign, options: Foreign, theme: Foreign) => {
          assert.equal(options.width, 80);
          theme.fg('accent', 'x');
          return component;
        });
        pi.registerFlag('f', { type: 'string', description: 'first' });
      }),
      hook('ext', pi => {
        pi.registerMessageRenderer('a', () => {
          throw new Error('second');
        });
        pi.registerMessageRenderer('b', () => {
          throw new Error('cannot draw');
        });
        pi.registerMessageRenderer('c', () => null);
        pi.registerFlag('f', { type: 'string', description: 'second' });
      }),
    ]);
    const draw = (type: string): unknown => host.host.drawing.message(type)?.({}, { expanded: false, width: 80 });
    assert.deepEqual([draw('a'), draw('b'), draw('c'), draw('d')], [component, undefined, undefined, undefined]);
    assert.deepEqual(
      host.errors.map(error => [error.event, error.message]),
      [['render:b', 'cannot draw']],
    );
    assert.deepEqual(
      host.host.flags().map(flag => flag.description),
      ['first'],
    );
  });

  it('tells when a hook registers something later', async () => {
    let pi: Foreign;
    const host = await hostWith([
      hook('ext', given => {
        pi = given;
      }),
    ]);
    let changes = 0;
    host.host.onDidChange(() => changes++);
    pi.registerCommand('later', { handler: () => undefined });
    assert.equal(changes, 1);
    assert.deepEqual(
      host.host.commands.list().map(command => command.name),
      ['later'],
    );
  });

  it('is not held up by handlers that never end: at reload, at start and at the end', async () => {
    const host = await hostWith(
      [
        hook('ext', pi => {
          pi.on('session_shutdown', () => new Promise(() => undefined));
          pi.on('session_start', () => new Promise(() => undefined));
        }),
      ],
      { timeouts: { farewell: 200, greeting: 200 } },
    );
    await host.host.reload({ freshAll: true });
    assert.deepEqual(
      host.host.infos().map(info => info.state.type),
      ['live'],
    );
  }).timeout(20_000);
});
