import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostToWebview } from '../../../src/protocol/messages';
import type { ComponentFrame } from '../../../src/protocol/items/hook-component';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import { plain } from './support';

/** A page that paints: lines by component, acknowledged at once. */
function openPage(rig: Rig): {
  readonly got: HostToWebview[];
  send(message: unknown): void;
  lines(place: string): readonly string[] | undefined;
  key(data: string): void;
} {
  const page = rig.page();
  const screens = new Map<string, string[]>();
  let seen = 0;
  const frames = (): ComponentFrame[] =>
    page.got.slice(seen).flatMap(message => (message.type === 'frame' ? [message.frame] : []));
  const paint = (): void => {
    const fresh = frames();
    seen = page.got.length;
    for (const frame of fresh) {
      const lines = screens.get(frame.component) ?? [];
      for (const [row, text] of frame.changes) lines[row] = text;
      lines.length = frame.height;
      screens.set(frame.component, lines);
      page.send({ type: 'ack', component: frame.component, sequence: frame.sequence });
    }
  };
  const components = () => page.got.findLast(message => message.type === 'components')?.components ?? [];
  page.send({ type: 'cells', cells: { columns: 60, rows: 30, cardColumns: 40 } });
  return {
    got: page.got,
    send: page.send,
    lines: place => {
      paint();
      const component = components().findLast(one => one.place === place);
      return component?.text ?? (component === undefined ? undefined : screens.get(component.id)?.map(plain));
    },
    key: data => page.send({ type: 'key', component: components().findLast(one => one.takesKeys)?.id ?? '', data }),
  };
}

describe('hooks on the screen', () => {
  let rig: Rig;

  async function open(options: RigOptions): Promise<ReturnType<typeof openPage>> {
    rig = await Rig.open([{ text: 'ok' }], options);
    return openPage(rig);
  }

  afterEach(() => rig.close());

  const notices = (): string[] => rig.items('notice').map(({ text }) => text);

  /** A counter in each generation of `custom`; `q` ends it with its count. */
  const COUNTER = `
    class Counter {
      constructor(tui, end) { this.count = 0; this.tui = tui; this.end = end; }
      invalidate() {}
      handleInput(data) { if (data === 'q') this.end(this.count); else { this.count++; this.tui.requestRender(); } }
      render(width) { return ['count ' + this.count + ' of ' + width]; }
    }`;

  for (const [dialect, code] of [
    [
      'ext',
      `const value = await ctx.ui.custom((tui, _theme, _kb, done) => new Counter(tui, done)); ctx.ui.notify('counted ' + value);`,
    ],
    [
      'omp',
      `const value = await ctx.ui.custom((tui, _theme, done) => new Counter(tui, done)); ctx.ui.notify('counted ' + value);`,
    ],
    [
      'tree',
      `let handle;
       const counter = new Counter({ requestRender: () => handle.requestRender() }, () => handle.close());
       handle = ctx.ui.custom(counter, () => ctx.ui.notify('counted ' + counter.count));`,
    ],
  ] as const) {
    it(`plays in the panel as ${dialect} mounts it`, async () => {
      const page = await open({
        hooks: {
          'game.ts': `// @pi-dialect ${dialect}
            ${COUNTER}
            export default pi => pi.registerCommand('count', { description: 'c', handler: async (...given) => {
              const ctx = given.at(-1);
              ${code}
            } });`,
        },
      });
      const played = rig.chat.submit('/count');
      await until(() => (page.lines('panel')?.[0] === 'count 0 of 60' ? true : undefined), 'the game');
      page.key('x');
      page.key('\x1b[A');
      await until(() => (page.lines('panel')?.[0] === 'count 2 of 60' ? true : undefined), 'the count');
      page.key('q');
      await until(() => (notices().includes('counted 2') ? true : undefined), 'the value');
      await played;
      assert.equal(page.lines('panel'), undefined);
    });
  }

  it('shows the title that a component gives its terminal where the title of a hook stands', async () => {
    const page = await open({
      hooks: {
        'titled.ts': `// @pi-dialect ext
          ${COUNTER}
          export default pi => pi.registerCommand('count', { description: 'c', handler: async (_args, ctx) => {
            await ctx.ui.custom((tui, _theme, _kb, done) => {
              tui.terminal.setTitle('A game of counting');
              return new Counter(tui, done);
            });
          } });`,
      },
    });
    const played = rig.chat.submit('/count');
    await until(() => (page.lines('panel') === undefined ? undefined : true), 'the game');
    assert.equal(rig.chat.status.current.hookTitle, 'A game of counting');
    page.key('q');
    await played;
  });

  it('hands key bindings to factories of a hook that imports nothing', async () => {
    const page = await open({
      extensions: {
        'plain.ts': `export default pi => {
          const shown = bindings => ({ invalidate() {}, render: () => [typeof bindings.matches] });
          pi.registerCommand('c', { handler: async (_args, ctx) => {
            await ctx.ui.custom((tui, theme, keybindings, done) => shown(keybindings));
          } });
          pi.registerCommand('e', { handler: async (_args, ctx) => {
            ctx.ui.setEditorComponent((tui, theme, keybindings) => shown(keybindings));
          } });
        };`,
      },
    });
    void rig.chat.submit('/c');
    await until(() => (page.lines('panel')?.[0] === 'function' ? true : undefined), 'the component');
    await rig.chat.submit('/e');
    await until(() => (page.lines('editor')?.[0] === 'function' ? true : undefined), 'the input box');
  });

  it('tells of a component that fails as of any failure of its hook, with the place in its source', async () => {
    const page = await open({
      hooks: {
        'bad.ts': `export default pi => pi.registerCommand('bad', { handler: async (args, ctx) => {
          await ctx.ui.custom((tui, theme, keybindings, done) => ({
            invalidate() {},
            render() {
              throw new Error('no paint');
            },
          }));
        } });`,
      },
    });
    const played = rig.chat.submit('/bad');
    await until(() => (page.lines('panel')?.join(' ').includes('no paint') ? true : undefined), 'the failure');
    const error = rig.items('notice').find(({ level }) => level === 'error');
    assert.equal(error?.text, 'Hook "bad.ts" error in command:bad: no paint');
    assert.equal(error.file?.line, 5);
    page.key('\x1b');
    await played;
  });

  it('shows widgets, header and footer, and takes them away with their hook', async () => {
    const page = await open({
      extensions: {
        'w.ts': `export default pi => pi.on('session_start', (_event, ctx) => {
          ctx.ui.setWidget('plan', ['one', 'two']);
          ctx.ui.setWidget('live', (tui, theme) => ({ render: () => [theme.fg('accent', 'live')], invalidate() {} }), { placement: 'belowEditor' });
          ctx.ui.setHeader((tui, theme) => ({ render: () => ['head'], invalidate() {} }));
          ctx.ui.setFooter((tui, theme, data) => ({ render: () => ['foot ' + typeof data.getGitBranch], invalidate() {} }));
        });`,
      },
    });
    const components = (): readonly unknown[] =>
      page.got.findLast(message => message.type === 'components')?.components ?? [];
    await until(() => (page.lines('footer')?.[0] === 'foot function' ? true : undefined), 'the footer');
    assert.deepEqual(
      [page.lines('above'), page.lines('header'), page.lines('below')],
      [['one', 'two'], ['head'], ['live']],
    );
    rmSync(join(rig.cwd, '.pi', 'extensions', 'w.ts'));
    await rig.host.reload();
    assert.deepEqual(components(), []);
  });

  it('closes what nobody waits for when its hook is loaded anew, and lets the rest be played to its end', async () => {
    const page = await open({
      hooks: {
        'left.ts': `// @pi-dialect tree
          export default pi => pi.registerCommand('left', { handler: ctx => {
            ctx.ui.custom({ invalidate() {}, render: () => ['left alone'] });
          } });`,
        'awaited.ts': `// @pi-dialect ext
          export default pi => pi.registerCommand('awaited', { handler: async (args, ctx) => {
            const value = await ctx.ui.custom((tui, theme, keys, done) => ({ invalidate() {}, render: () => ['awaited'], handleInput: done }));
            ctx.ui.notify('got ' + value);
          } });`,
      },
    });
    await rig.chat.submit('/left');
    await until(() => (page.lines('panel')?.[0] === 'left alone' ? true : undefined), 'the first');
    const played = rig.chat.submit('/awaited');
    await until(() => (page.lines('panel')?.[0] === 'awaited' ? true : undefined), 'the second');
    await rig.host.reload({ freshAll: true });
    const components = page.got.findLast(message => message.type === 'components')?.components ?? [];
    assert.deepEqual(
      components.map(({ label }) => label),
      ['/awaited'],
    );
    page.key('x');
    await played;
    assert.ok(notices().includes('got x'));
  });

  it('lets a hook’s input box stand in for the composer', async () => {
    const page = await open({
      extensions: {
        'e.ts': `import { CustomEditor } from '@mariozechner/pi-coding-agent';
          class Loud extends CustomEditor { handleInput(data) { super.handleInput(data.toUpperCase()); } }
          export default pi => {
            pi.registerCommand('loud', { handler: async (_args, ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new Loud(tui, theme, keys)) });
            pi.registerCommand('quiet', { handler: async (_args, ctx) => ctx.ui.setEditorComponent(undefined) });
          };`,
      },
    });
    await rig.chat.submit('/loud');
    await until(() => (page.lines('editor') === undefined ? undefined : true), 'the editor');
    for (const key of 'hi') page.key(key);
    await until(() => (page.lines('editor')?.join('').includes('HI') ? true : undefined), 'what was typed');
    assert.equal(rig.chat.ui.getEditorText(), 'HI');
    rig.chat.ui.setEditorText('from a hook');
    page.key('\r');
    await until(() => (rig.items('user').some(({ text }) => text === 'from a hook') ? true : undefined), 'the message');
    page.key('x');
    await rig.chat.submit('/quiet');
    assert.equal(rig.chat.composer.text, 'X');
  });

  it('draws a hook’s messages and tools at the page’s width, and anew when it changes', async () => {
    const page = await open({
      extensions: {
        'r.ts': `import { Text } from '@mariozechner/pi-tui';
          export default pi => {
            pi.registerMessageRenderer('deploy', (message, options, theme) =>
              new Text(theme.bold('[deploy]') + ' ' + message.content + (options.expanded ? ' in full' : ''), 0, 0));
            pi.registerMessageRenderer('broken', () => { throw new Error('cannot draw'); });
            pi.registerCommand('go', { handler: async () => {
              pi.sendMessage({ customType: 'deploy', content: 'green '.repeat(8).trim(), display: true });
              pi.sendMessage({ customType: 'broken', content: 'still said', display: true });
              pi.sendMessage({ customType: 'broken', content: 'again', display: true });
            } });
            pi.registerTool({ name: 'todo', label: 'Todo', description: 'd', parameters: { type: 'object', properties: {} },
              execute: async () => ({ content: [{ type: 'text', text: 'raw' }], details: { n: 2 } }),
              renderCall: (args, theme) => new Text('todo ' + args.what, 0, 0),
              renderResult: (result, { expanded, isPartial }, theme) => new Text(result.details.n + ' left' + (expanded ? '!' : ''), 0, 0) });
          };`,
      },
    });
    await rig.chat.submit('/go');
    const [drawn, broken] = rig.items('custom');
    assert.deepEqual(drawn?.drawing?.lines.map(plain), ['[deploy] green green green green green', 'green green green']);
    assert.equal(broken?.drawing, undefined);
    assert.equal(broken?.text, 'still said');
    assert.equal(notices().filter(text => text.includes('cannot draw')).length, 1, 'a failure is told once');
    page.send({ type: 'expandItem', id: drawn.id, expanded: true });
    await until(
      () => (plain(rig.items('custom')[0]?.drawing?.lines.at(-1) ?? '').endsWith('in full') ? true : undefined),
      'more',
    );
    page.send({ type: 'cells', cells: { columns: 100, rows: 30, cardColumns: 90 } });
    await until(() => (rig.items('custom')[0]?.drawing?.lines.length === 1 ? true : undefined), 'the wider page');
    const { drawings } = rig.chat.ui;
    const call = drawings.call('tool:x', 'todo', 'x', { what: 'paint' });
    assert.deepEqual(call.drawing?.head?.map(plain), ['todo paint']);
    const result = drawings.result('tool:x', {
      value: { content: [], details: { n: 2 } },
      isPartial: false,
      isError: false,
    });
    assert.deepEqual(result.drawing?.lines.map(plain), ['2 left']);
    rig.chat.ui.setToolsExpanded(true);
    assert.equal(
      drawings
        .result('tool:x', { value: { content: [], details: { n: 1 } }, isPartial: false, isError: false })
        .drawing?.lines.map(plain)[0],
      '1 left!',
    );
    assert.equal(drawings.call('tool:y', 'bash', 'y', {}).drawing, undefined);
  });

  it('draws in the colours of VS Code, from the next frame on', async () => {
    const page = await open({
      hooks: {
        'c.ts': `export default pi => pi.registerCommand('c', { handler: async (args, ctx) => {
          await ctx.ui.custom((tui, theme, keybindings, done) => ({ invalidate() {}, render: () => [theme.fg('accent', 'colour')] }));
        } });`,
      },
    });
    const raw = (): string =>
      page.got
        .flatMap(message => (message.type === 'frame' ? message.frame.changes.map(([, text]) => text) : []))
        .at(-1) ?? '';
    void rig.chat.submit('/c');
    await until(() => (page.lines('panel')?.[0] === 'colour' ? true : undefined), 'the component');
    page.send({ type: 'theme', kind: 'light', colors: { accent: '#010203', nonsense: '#ffffff' } });
    await until(() => {
      page.lines('panel');
      return raw().includes('38;2;1;2;3') ? true : undefined;
    }, 'the new colour');
    assert.equal(rig.host.theme.current.name, 'light');
  });

  it('runs shortcuts, and lets a hook listen to what is typed', async () => {
    const page = await open({
      extensions: {
        's.ts': `export default pi => {
          pi.registerShortcut('ctrl+shift+x', { description: 'd', handler: ctx => ctx.ui.notify('shortcut ran') });
          pi.registerCommand('listen', { handler: async (_args, ctx) => { ctx.ui.onTerminalInput(data => data === 'k' ? { consume: true } : undefined); } });
        };`,
      },
    });
    const keys = () => page.got.findLast(message => message.type === 'keys');
    assert.deepEqual(keys()?.shortcuts, ['ctrl+shift+x']);
    page.send({ type: 'shortcut', key: 'ctrl+shift+x' });
    await until(() => (notices().includes('shortcut ran') ? true : undefined), 'the shortcut');
    await rig.chat.submit('/listen');
    assert.equal(keys()?.listening, true);
    page.send({ type: 'rawKey', id: 1, data: 'k' });
    page.send({ type: 'rawKey', id: 2, data: 'l' });
    assert.deepEqual(
      page.got.flatMap(message => (message.type === 'rawKeyDone' ? [message.consumed] : [])),
      [true, false],
    );
  });

  it('colours text of chalk, without telling child processes to', async () => {
    const chalk = dirname(dirname(fileURLToPath(import.meta.resolve('chalk'))));
    rig = await Rig.open([{ text: 'ok' }], { files: { '.pi/hooks/package.json': '{}' } });
    const target = join(rig.cwd, '.pi', 'hooks', 'node_modules', 'chalk');
    mkdirSync(dirname(target), { recursive: true });
    cpSync(chalk, target, { recursive: true });
    await rig.close(true);
    rig = await Rig.open([{ text: 'ok' }], {
      root: rig.root,
      hooks: {
        'chalk.ts': `import chalk from 'chalk';
          export default pi => pi.registerCommand('c', { handler: async (args, ctx) =>
            ctx.ui.notify(JSON.stringify([chalk.red('x'), 'FORCE_COLOR' in { ...process.env }])) });`,
      },
    });
    await rig.chat.submit('/c');
    assert.deepEqual(JSON.parse(notices().at(-1) ?? ''), ['\x1b[31mx\x1b[39m', false]);
  });
});
