/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument, @typescript-eslint/unbound-method -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { Component, TUI } from '@mariozechner/pi-tui';
import { ENTRY_SCHEMAS } from '../../../src/agent/session/entry';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { BACKGROUND_COLORS, FOREGROUND_COLORS } from '../../../src/hook-contract/ui/theme';
import { noUi } from '../../../src/hook-contract/ui/ui';
import { DIALECTS, hook, hostWith, scopesOf, until, type Foreign, type TestHost } from '../../support/hook-host';

const NONE: Record<DialectId, null | undefined> = {
  v1: null,
  v2: null,
  tree: null,
  omp: undefined,
  ext: undefined,
  pi: undefined,
};
const FAKE_TUI = { terminal: true } as unknown as TUI;

/** The ctx that a hook got from an event, kept. */
async function ctxOf(
  dialect: DialectId,
  prepare: (host: TestHost) => void = () => undefined,
): Promise<{ host: TestHost; ctx: Foreign }> {
  let ctx: Foreign;
  const host = await hostWith([
    hook(dialect, pi =>
      pi.on('agent_start', (_event: Foreign, given: Foreign) => {
        ctx = given;
      }),
    ),
  ]);
  prepare(host);
  await host.emit({ type: 'agent_start' });
  return { host, ctx };
}

async function withoutUi(dialect: DialectId): Promise<Foreign> {
  const { ctx } = await ctxOf(dialect, host => {
    Reflect.set(host.conversation, 'ui', noUi);
    host.conversation.hasUI = false;
  });
  return ctx;
}

describe('conflicts over ctx.ui', () => {
  it('a choice gives the option itself, which may be an object with a label', async () => {
    const { host, ctx } = await ctxOf('tree');
    const options = [{ value: 'local', label: 'Local' }, 7, 'last'];
    host.conversation.ui.answers.push('Local', '7', 'last');
    const chosen = [];
    for (let time = 0; time < 3; time++) chosen.push(await ctx.ui.select('t', options));
    assert.deepEqual(chosen, options);
  });

  for (const dialect of DIALECTS) {
    it(`C10 cancelled dialogs give ${String(NONE[dialect])} in ${dialect}`, async () => {
      const { host, ctx } = await ctxOf(dialect);
      host.conversation.ui.answers.push(undefined, undefined, undefined, undefined);
      assert.deepEqual(
        [
          await ctx.ui.select('t', ['a']),
          await ctx.ui.input('t'),
          await ctx.ui.editor('t'),
          await ctx.ui.confirm('t', 'm'),
        ],
        [NONE[dialect], NONE[dialect], NONE[dialect], false],
      );
    });

    it(`C10 a missing model is ${String(NONE[dialect])} in ${dialect}`, async () => {
      const { host, ctx } = await ctxOf(dialect);
      assert.equal(ctx.model.id, 'fake');
      host.conversation.currentModel = undefined;
      assert.equal(ctx.model, NONE[dialect]);
    });

    it(`C30 without UI every member answers at once in ${dialect}`, async () => {
      const { ui, hasUI } = await withoutUi(dialect);
      assert.equal(hasUI, false);
      assert.deepEqual(
        [await ui.select('t', ['a']), await ui.input('t'), await ui.editor('t'), await ui.confirm('t', 'm')],
        [NONE[dialect], NONE[dialect], NONE[dialect], false],
      );
      for (const name of [
        'notify',
        'setStatus',
        'setWidget',
        'setWorkingMessage',
        'setWorkingVisible',
        'setWorkingIndicator',
        'setHiddenThinkingLabel',
        'setTitle',
        'setHeader',
        'setFooter',
        'setEditorText',
        'pasteToEditor',
        'setEditorComponent',
        'setToolsExpanded',
      ]) {
        assert.equal(ui[name]('x', 'y'), undefined, name);
      }
      assert.equal(ui.getEditorText(), '');
      assert.equal(await ui.custom(() => ({ render: () => [] })), undefined);
      const handle = ui.custom({ render: () => [] });
      handle.requestRender();
      handle.close();
      assert.deepEqual([ui.getAllThemes(), ui.getTheme('dark'), ui.getToolsExpanded()], [[], undefined, false]);
      assert.deepEqual(ui.setTheme('dark'), { success: false, error: 'UI not available' });
      ui.onTerminalInput(() => undefined)();
      assert.match(ui.theme.fg('accent', 'x'), /x/);
    });
  }

  it('members work when taken off ctx and ui', async () => {
    const { host, ctx } = await ctxOf('ext');
    const { ui, isIdle, getSystemPrompt, sessionManager } = ctx;
    const { notify, select, setStatus } = ui;
    const { getEntries } = sessionManager;
    notify('hi', 'warning');
    setStatus('k', 'v');
    host.conversation.ui.answers.push('a');
    assert.equal(await select('t', ['a']), 'a');
    assert.deepEqual([isIdle(), getSystemPrompt(), getEntries()], [true, 'base prompt', []]);
    assert.deepEqual(host.conversation.ui.notices, [{ message: 'hi', level: 'warning' }]);
  });

  it('C11 a component is mounted at once, with a handle; the callback runs after it closed', async () => {
    const { host, ctx } = await ctxOf('tree');
    let cleaned = 0;
    const component: Component = { render: () => ['line'], invalidate: () => undefined };
    const handle = ctx.ui.custom(component, () => {
      cleaned++;
    });
    const [mounted] = host.conversation.ui.mounts;
    assert.equal(await mounted?.mount.create(FAKE_TUI, () => undefined), component);
    handle.requestRender();
    assert.deepEqual(host.conversation.ui.calls, ['render']);
    assert.equal(cleaned, 0);
    handle.close();
    await until(() => cleaned === 1, 'the callback');
  });

  describe('C11 factories', () => {
    /** What a factory got, by dialect; `done` is called with 'value'. */
    const called = async (dialect: DialectId, factory: Foreign, options?: unknown): Promise<Foreign> => {
      const { host, ctx } = await ctxOf(dialect);
      const result = ctx.ui.custom(factory, options);
      const [mounted] = host.conversation.ui.mounts;
      await mounted?.mount.create(FAKE_TUI, mounted.close);
      return { value: await result, mount: mounted?.mount };
    };
    const component = { render: () => [] };

    it('with four parameters get key bindings third, in every dialect', async () => {
      for (const dialect of DIALECTS) {
        const { value } = await called(dialect, (_tui: Foreign, theme: Foreign, _third: Foreign, done: Foreign) => {
          done(theme.bold('x'));
          return component;
        });
        assert.equal(value, '\x1b[1mx\x1b[22m', dialect);
      }
    });
    it('with three parameters get what the third is called', async () => {
      for (const dialect of DIALECTS) {
        const { value } = await called(dialect, (_tui: Foreign, _theme: Foreign, done: Foreign) => {
          done('value');
          return component;
        });
        assert.equal(value, 'value', dialect);
        let third: Foreign;
        const { host, ctx } = await ctxOf(dialect);
        void ctx.ui.custom((_tui: Foreign, _theme: Foreign, keybindings: Foreign) => {
          third = keybindings;
          return component;
        });
        await host.conversation.ui.mounts[0]?.mount.create(FAKE_TUI, () => undefined);
        assert.equal(typeof third.matches, 'function', dialect);
      }
    });
    it('may be async, and may ask for an overlay', async () => {
      let handled: Foreign;
      const { value, mount } = await called(
        'ext',
        async (_tui: Foreign, _theme: Foreign, _kb: Foreign, done: Foreign) => {
          await Promise.resolve();
          done(5);
          return component;
        },
        {
          overlay: true,
          overlayOptions: { width: 5 },
          onHandle: (handle: Foreign) => {
            handled = handle;
          },
        },
      );
      assert.deepEqual(
        [value, mount.overlay, mount.overlayOptions, handled.isHidden()],
        [5, true, { width: 5 }, false],
      );
    });
    it('that throw or make nothing fail the call, not the host', async () => {
      for (const [factory, text] of [
        [
          () => {
            throw new Error('no tui');
          },
          /no tui/,
        ],
        [() => 5, /returned no component/],
      ] as const) {
        const { host, ctx } = await ctxOf('ext');
        const result = ctx.ui.custom(factory);
        const [mounted] = host.conversation.ui.mounts;
        const made = await mounted?.mount.create(FAKE_TUI, mounted.close);
        assert.deepEqual(made?.render(80), []);
        await assert.rejects(result, text);
      }
    });
  });

  it('C35 status texts are one line, in every dialect', async () => {
    for (const dialect of DIALECTS) {
      const { host, ctx } = await ctxOf(dialect);
      ctx.ui.setStatus('k', 'a\nb\t c');
      assert.equal(host.conversation.ui.status.get('k'), 'a b c');
      ctx.ui.setStatus('k', undefined);
      assert.equal(host.conversation.ui.status.has('k'), false);
    }
  });

  it('C36 an unknown kind of notice is information', async () => {
    const { host, ctx } = await ctxOf('ext');
    for (const type of ['success', undefined, 'error']) ctx.ui.notify('x', type);
    assert.deepEqual(
      host.conversation.ui.notices.map(notice => notice.level),
      ['info', 'info', 'error'],
    );
  });

  it('what a load put into the UI goes with it', async () => {
    const { host, ctx } = await ctxOf('ext');
    ctx.ui.setStatus('k', 'v');
    ctx.ui.setWidget('w', ['line']);
    ctx.ui.setHeader(() => ({ render: () => [] }));
    ctx.ui.setFooter((_tui: Foreign, _theme: Foreign, data: Foreign) => ({
      render: () => [...data.getExtensionStatuses().values()],
    }));
    const footer = await host.conversation.ui.footer?.create(FAKE_TUI, () => undefined);
    assert.deepEqual(footer?.render(80), ['v']);
    await scopesOf(host)[0]?.release();
    const { status, widgets, header } = host.conversation.ui;
    assert.deepEqual([status.size, widgets.size, header, host.conversation.ui.footer], [0, 0, undefined, undefined]);
  });

  it('dialogs carry signal and timeout of the caller', async () => {
    const { host, ctx } = await ctxOf('ext');
    const controller = new AbortController();
    const asked = ctx.ui.select('t', ['a'], { signal: controller.signal, timeout: 5 });
    controller.abort();
    assert.equal(await asked, undefined);
    assert.equal(host.conversation.ui.open.length, 0);
  });

  it('two questions at once are both answered', async () => {
    const { host, ctx } = await ctxOf('v1');
    const both = Promise.all([ctx.ui.confirm('one', ''), ctx.ui.select('two', ['a'])]);
    host.conversation.ui.open[1]?.answer('a');
    host.conversation.ui.open[0]?.answer(true);
    assert.deepEqual(await both, [true, 'a']);
  });

  it('the theme knows 45 foreground and 6 background colours, and throws at others', async () => {
    const { ctx } = await ctxOf('ext');
    const { theme } = ctx.ui;
    assert.deepEqual([FOREGROUND_COLORS.length, BACKGROUND_COLORS.length], [45, 6]);
    for (const color of FOREGROUND_COLORS) {
      assert.match(theme.fg(color, 'x').replaceAll('\x1b', 'ESC'), /^ESC\[(39|38;2;\d+;\d+;\d+)mxESC\[39m$/);
    }
    for (const color of BACKGROUND_COLORS) {
      assert.match(theme.bg(color, 'x').replaceAll('\x1b', 'ESC'), /^ESC\[48;2;\d+;\d+;\d+mxESC\[49m$/);
    }
    assert.throws(() => theme.fg('pink', 'x'), /Unknown theme color: pink/);
    assert.equal(theme.strikethrough('x'), '\x1b[9mx\x1b[29m');
    assert.equal(theme.status.success, '✔');
    assert.deepEqual(
      [ctx.ui.getAllThemes().length, ctx.ui.setTheme('dark'), ctx.ui.setTheme('none').success],
      [1, { success: true }, false],
    );
  });

  it('the theme paints in several ways at once, and tells its colours and for which background it is made', async () => {
    const { host, ctx } = await ctxOf('pi');
    const { theme } = ctx.ui;
    const shown = (text: string): string => text.replaceAll('\x1b[', '<');
    host.host.theme.use('hc-light', {
      accent: '#010203',
      toolSuccessBg: '#040506',
      text: '',
      thinkingXhigh: '#070809',
    });
    assert.equal(
      shown(theme.style('x', { fg: 'accent', bg: 'toolSuccessBg', bold: true, italic: false, underline: true })),
      '<48;2;4;5;6m<38;2;1;2;3m<4m<1mx<22m<24m<39m<49m',
    );
    assert.equal(shown(theme.style('x', { fg: theme.colors.toolSuccessBg })), '<38;2;4;5;6mx<39m');
    assert.equal(shown(theme.style('x', { bg: { kind: 'indexed', index: 9 } })), '<48;5;9mx<49m');
    assert.equal(shown(theme.style('x', { fg: { kind: 'oklch', l: 1, c: 0, h: 0 } })), '<38;2;255;255;255mx<39m');
    assert.equal(shown(theme.fg('thinkingMax', 'x')), '<38;2;7;8;9mx<39m');
    assert.throws(() => theme.style('x', { fg: 'pink' }), /Unknown theme color: pink/);
    assert.throws(() => theme.style('x', { fg: { kind: 'cmyk' } }), /Not a color/);
    assert.deepEqual([theme.appearance, theme.colors.text], ['light', { kind: 'rgb', r: 0, g: 0, b: 0 }]);
    host.host.theme.use('dark', {});
    assert.equal(theme.appearance, 'dark');
  });

  it('ctx has the members of all descriptions, in events without what would deadlock', async () => {
    const { host, ctx } = await ctxOf('v1');
    host.conversation.session.user('a');
    for (const name of [
      'ui',
      'hasUI',
      'cwd',
      'exec',
      'sessionFile',
      'sessionManager',
      'modelRegistry',
      'model',
      'thinkingLevel',
      'entries',
      'findModel',
      'availableModels',
      'resolveApiKey',
      'saveEntry',
      'rebuildContext',
      'isIdle',
      'abort',
      'hasQueuedMessages',
      'hasPendingMessages',
      'shutdown',
      'getContextUsage',
      'compact',
      'getSystemPrompt',
    ]) {
      assert.notEqual(ctx[name], undefined, name);
    }
    for (const name of ['waitForIdle', 'newSession', 'fork', 'navigateTree', 'switchSession', 'reload']) {
      assert.equal(ctx[name], undefined, name);
    }
    assert.equal(ctx.findModel('fake', 'fake').id, 'fake');
    assert.equal(ctx.findModel('a', 'b'), null);
    assert.equal((await ctx.availableModels()).length, 1);
    await ctx.saveEntry({ type: 'stack_pop', summary: 's' });
    assert.deepEqual(
      ctx.entries.map((entry: Foreign) => entry.type),
      ['session', 'message', 'stack_pop'],
    );
    await assert.rejects(ctx.saveEntry({ summary: 's' }), /needs an object with a "type"/);
    for (const type of ['session', ...Object.keys(ENTRY_SCHEMAS)]) {
      const message = `saveEntry cannot store an entry of the core type "${type}". Use a type of your own.`;
      const valid = { message: { role: 'user', content: 'x', timestamp: 1 }, customType: 'mine', data: 1, name: 'n' };
      await assert.rejects(ctx.saveEntry({ ...valid, type }), { name: 'TypeError', message });
    }
    assert.equal(ctx.entries.length, 3);
    await ctx.rebuildContext();
    ctx.abort();
    let completed: Foreign;
    ctx.compact({
      customInstructions: 'c',
      onComplete: (result: Foreign) => {
        completed = result;
      },
    });
    await until(() => completed !== undefined, 'the compaction');
    assert.deepEqual(host.conversation.actions, [
      ['rebuildContext'],
      ['abort'],
      ['compact', { customInstructions: 'c' }],
    ]);
  });
});
