import assert from 'node:assert/strict';
import { check, inside } from './support';

describe('converting commands', () => {
  it('hands commands what was typed first', () =>
    check(
      'tree',
      `  pi.registerCommand('one', { handler: ctx => ctx.ui.notify(ctx.args) });
  pi.registerCommand('two', { async handler(ctx) { ctx.ui.notify('x'); } });
  pi.registerCommand('three', { handler: async (args, ctx) => { ctx.ui.notify(args); } });`,
      `  pi.registerCommand('one', { handler: (args, ctx) => ctx.ui.notify(args) });
  pi.registerCommand('two', { async handler(_args, ctx) { ctx.ui.notify('x'); } });
  pi.registerCommand('three', { handler: async (args, ctx) => { ctx.ui.notify(args); } });`,
    ));

  it('hands commands their context where it is taken apart, and says where it cannot', () => {
    check(
      'tree',
      `  pi.registerCommand('one', { handler: async ({ ui }) => ui.notify('x') });`,
      `  pi.registerCommand('one', { handler: async (_args, { ui }) => ui.notify('x') });`,
    );
    const message = 'The handler of a command gets (args, ctx) now, but this one takes only the context.';
    const run = `  const run = async (ctx: any) => ctx.ui.notify('x');\n  pi.registerCommand('one', { handler: run });`;
    assert.deepEqual(inside('tree', run).looks, [`5: ${message}`]);
    const { looks } = inside('tree', `  pi.registerCommand('one', { handler: ({ args }) => log(args) });`);
    assert.ok(looks.includes(`5: ${message}`), looks.join());
  });

  it("shows the status of v2's commands", () =>
    check(
      'v2',
      `  pi.command('hi', { handler: () => ({ status: 'hello' }) });
  pi.command('raw', { handler: ctx => { if (!ctx.argsRaw) return { status: 'empty' }; return; } });`,
      `  pi.registerCommand('hi', { handler: (_args, ctx) => {
    ctx.ui.notify('hello', 'info');
  } });
  pi.registerCommand('raw', { handler: (args, ctx) => { if (!args) {
    ctx.ui.notify('empty', 'info');
    return;
  } return; } });`,
    ));

  it('says where a status is returned that it cannot show', () => {
    const message = 'A returned status is not shown now: use ctx.ui.notify(status).';
    const { looks } = inside(
      'v2',
      `  pi.command('one', { handler: ctx => (ctx.argsRaw ? { status: 'some' } : { status: 'none' }) });
  pi.command('two', { handler: async () => {
    const done = { status: 'done' };
    return done;
  } });
  pi.command('three', { handler: ctx => ctx.ui.notify('shown') });
  pi.command('four', { handler: async ctx => { await ctx.waitForIdle(); return { status: 'idle' }; } });`,
    );
    assert.deepEqual(looks, [`4: ${message}`, `8: ${message}`]);
  });
});
