import assert from 'node:assert/strict';
import { eachWithModel } from './support/each-with-model';
import { RpcHost, type Message } from './support/rpc';

const HOOK = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  const list = done => {
    let at = 0;
    const rows = ['one', 'two'];
    return tui => ({
      render: width => ['\\x1b[1mChoose\\x1b[22m ' + width, ...rows.map((row, index) => (index === at ? '> ' : '  ') + row)],
      invalidate() {},
      handleInput(data) {
        if (data === '\\x1b[B') { at = 1; tui.requestRender(); }
        if (data === '\\r') done(rows[at]);
        if (data === '!') throw new Error('on purpose');
      },
    });
  };
  pi.registerCommand('choose', { handler: async (_args, ctx) => {
    const chosen = await ctx.ui.custom((tui, _theme, _keys, done) => list(done)(tui));
    pi.appendEntry('chosen', { chosen: chosen ?? 'nothing', mode: ctx.mode });
  } });
  pi.registerCommand('over', { handler: async (_args, ctx) => {
    const chosen = await ctx.ui.custom((tui, _theme, _keys, done) => list(done)(tui), { overlay: true, overlayOptions: { width: 20 } });
    pi.appendEntry('chosen', { chosen });
  } });
  let count = 0;
  pi.registerCommand('count', { handler: async (args, ctx) => {
    let drawn;
    ctx.ui.setWidget('counter', args === 'off' ? undefined : tui => {
      drawn = tui;
      return { render: () => ['count ' + count], invalidate() {} };
    }, { placement: 'belowEditor' });
    if (args === 'up') { count += 1; setTimeout(() => drawn.requestRender(), 0); }
  } });
};
`;

describe('RPC mode with --rpc-rendered', function () {
  this.timeout(120_000);
  const { place } = eachWithModel();

  const start = (...args: readonly string[]): RpcHost => {
    const file = place.hook('mounts.ts', HOOK);
    return RpcHost.start(place, ['-e', file, ...args]);
  };
  const chosen = async (host: RpcHost, from = 0): Promise<unknown> =>
    ((await host.event('entry_appended', from))['entry'] as { data: unknown }).data;
  /** The first picture since `from` that fits. */
  const picture = (host: RpcHost, line: string, from = 0): Promise<Message> =>
    host.next(
      ({ method, lines }) => method === 'custom' && Array.isArray(lines) && lines.includes(line),
      `a picture with "${line}"`,
      from,
    );

  it('sends what a hook mounts as lines, takes keys for it, and says when it is gone', async () => {
    const host = start('--rpc-rendered');
    host.post('prompt', { message: '/choose' });
    const first = await picture(host, '> one');
    assert.deepEqual(first['lines'], ['\x1b[1mChoose\x1b[22m 80', '> one', '  two']);
    assert.deepEqual([first['columns'], first['overlay']], [80, undefined]);
    host.answer(first, { columns: 40, rows: 20 });
    await picture(host, '\x1b[1mChoose\x1b[22m 40');
    host.answer(first, { data: '\x1b[B' });
    const second = await picture(host, '> two');
    assert.equal(second['id'], first['id']);
    host.answer(first, { data: '\r' });
    const gone = await host.next(message => message['id'] === first['id'] && !('lines' in message), 'its end');
    assert.deepEqual(gone, { type: 'extension_ui_request', id: first['id'], method: 'custom' });
    assert.deepEqual(await chosen(host), { chosen: 'two', mode: 'tui' });
    host.answer(first, { data: 'late' });
    await host.close();
    assert.deepEqual(host.rubbish, []);
  });

  it('lets the host close it, and a component that fails at a key is named and goes on', async () => {
    const host = start('--rpc-rendered');
    host.post('prompt', { message: '/choose' });
    const first = await picture(host, '> one');
    host.answer(first, { data: '!' });
    const failure = await host.event('extension_error');
    assert.match(String(failure['error']), /on purpose/);
    assert.equal(failure['extensionPath'], 'command:choose', 'as pi names what a command fails at');
    host.answer(first, { data: '\x1b[B' });
    await picture(host, '> two');
    host.answer(first, { cancelled: true });
    assert.deepEqual(await chosen(host), { chosen: 'nothing', mode: 'tui' });
    await host.close();
  });

  it('places an overlay, and draws a widget that is a component anew', async () => {
    const host = start('--rpc-rendered');
    host.post('prompt', { message: '/over' });
    const over = await picture(host, '> one');
    const { width, columns } = over['overlay'] as { width: number; columns: number };
    assert.deepEqual([width, columns, (over['lines'] as string[])[0]], [20, 80, '\x1b[1mChoose\x1b[22m 20']);
    host.answer(over, { data: '\r' });
    assert.deepEqual(await chosen(host), { chosen: 'one' });
    const widget = (text: string | undefined, from: number): Promise<Message> =>
      host.next(
        ({ method, widgetLines }) => method === 'setWidget' && (widgetLines as string[] | undefined)?.[0] === text,
        `the widget "${text ?? ''}"`,
        from,
      );
    await host.data('prompt', { message: '/count' });
    const shown = await widget('count 0', 0);
    assert.deepEqual([shown['widgetKey'], shown['widgetPlacement']], ['counter', 'belowEditor']);
    await host.data('prompt', { message: '/count up' });
    const from = host.messages.length;
    await widget('count 1', 0);
    await host.data('prompt', { message: '/count off' });
    await widget(undefined, from);
    await host.close();
  });

  it('is asked for: without the flag nothing is mounted, as in pi', async () => {
    const host = start();
    await host.data('prompt', { message: '/choose' });
    assert.deepEqual(await chosen(host), { chosen: 'nothing', mode: 'rpc' });
    await host.data('prompt', { message: '/count' });
    assert.ok(!host.messages.some(({ method }) => method === 'custom' || method === 'setWidget'));
    await host.close();
  });
});
