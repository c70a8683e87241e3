import assert from 'node:assert/strict';
import { check, inside } from './support';

describe('converting null and members of a context', () => {
  it('gives null where somebody can tell it from undefined, and nowhere else', () =>
    check(
      'v1',
      `  pi.on('agent_end', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['a']);
    if (one === null) return;
    const two = await ctx.ui.input('?');
    if (!two) return;
    save(await ctx.ui.input('?'));
    let three = ctx.sessionFile;
    ctx.ui.notify(ctx.sessionFile ?? 'none');
  });`,
      `  pi.on('agent_end', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['a']);
    if (one === undefined) return;
    const two = await ctx.ui.input('?');
    if (!two) return;
    save(((await ctx.ui.input('?')) ?? null));
    let three = (ctx.sessionManager.getSessionFile() ?? null);
    ctx.ui.notify(ctx.sessionManager.getSessionFile() ?? 'none');
  });`,
    ));

  it('gives null to whatever finds it otherwise than by a null written beside it', () => {
    const kept = (body: string): void => {
      const text = (ask: string): string =>
        `  const CANCELLED = null;\n  let last = null;\n  pi.on('tool_call', async (event, ctx) => {\n    const c = ${ask};\n${body}\n  });`;
      check('v1', text("await ctx.ui.select('?', ['No'])"), text("(await ctx.ui.select('?', ['No'])) ?? null"));
    };
    kept("    switch (c) { case null: case 'No': return { block: true, reason: 'no' }; }");
    kept("    if (c === CANCELLED) return { block: true, reason: 'no' };");
    kept("    if (c === last) return { block: true, reason: 'no' };");
    kept("    if (c !== undefined) return { block: true, reason: 'no' };");
    kept("    if (c === 'Yes') return;\n    switch (c) { case null: return { block: true, reason: 'no' }; }");
    kept("    if (c === null) log('Return');\n    if (c === CANCELLED) return { block: true, reason: 'no' };");
    kept("    const d = c;\n    if (d === null) return { block: true, reason: 'no' };");
    check(
      'v1',
      `  pi.on('tool_call', async (event, ctx) => {
    const one = (await ctx.ui.select('?', ['No'])) && event.toolName;
    if (one === null) return { block: true, reason: 'no' };
    const two = event.toolName === 'x' ? null : await ctx.ui.input('?');
    if (two === null) return { block: true, reason: 'no' };
  });`,
      `  pi.on('tool_call', async (event, ctx) => {
    const one = (((await ctx.ui.select('?', ['No'])) ?? null)) && event.toolName;
    if (one === null) return { block: true, reason: 'no' };
    const two = event.toolName === 'x' ? null : ((await ctx.ui.input('?')) ?? null);
    if (two === null) return { block: true, reason: 'no' };
  });`,
    );
  });

  it('knows the dialogs of a ui that was taken out of its context', () => {
    const gate = (handler: string, nothing: string): string =>
      `  pi.on('tool_call', ${handler}.select('?', ['No']);\n    if (c === ${nothing}) return { block: true, reason: 'no' };\n  });`;
    for (const handler of [
      'async (event, { ui }) => {\n    const c = await ui',
      'async (event, { ui: dialogs }) => {\n    const c = await dialogs',
      'async (event, ctx) => {\n    const { ui } = ctx;\n    const c = await ui',
      'async (event, ctx) => {\n    const ui = ctx.ui;\n    const c = await ui',
    ]) {
      check('v1', gate(handler, 'null'), gate(handler, 'undefined'));
    }
    const { looks } = inside(
      'v1',
      `  pi.on('agent_end', async (event, ctx) => {\n    const { select } = ctx.ui;\n  });`,
    );
    assert.deepEqual(looks, ['5: A canceled select now gives undefined, not null.']);
  });

  it('leaves alone members that every object has', () => {
    const text = `  pi.on('tool_call', (event, ctx) => {
    if (!event.hasOwnProperty('input')) throw new Error(event.constructor.name);
    log(ctx.toString(), ctx.hasOwnProperty('ui'), pi.constructor, ctx.ui.constructor.name);
  });`;
    check('v1', text, text);
  });

  it('gives null to whoever waits for a dialog elsewhere than where it is opened', () => {
    const ASK = "ctx.ui.select('?', ['No'])";
    const gave = (code: string, after = `${ASK}.then(answer => answer ?? null)`): void => {
      const gate = (ask: string): string =>
        `  pi.on('tool_call', async (event, ctx) => {\n${code.replace('ASK', ask)}\n  });`;
      check('v1', gate(ASK), gate(after));
    };
    const block = "return { block: true, reason: 'no' };";
    gave("    return ASK.then(c => (c === null ? { block: true, reason: 'no' } : undefined));");
    gave(`    const asked = ASK;\n    const c = await asked;\n    if (c === null) ${block}`);
    gave(`    const ask = () => ASK;\n    if ((await ask()) === null) ${block}`);
    gave(`    const [c] = await Promise.all([ASK]);\n    if (c === null) ${block}`);
    gave('    void ASK;', ASK);
    check(
      'v2',
      `  pi.on('agent_end', (event, ctx) => {\n    save(ctx.findModel('a', 'b'));\n  });`,
      `  pi.on('agent_end', (event, ctx) => {\n    save((ctx.modelRegistry.find('a', 'b') ?? null));\n  });`,
    );
  });

  it('follows the members that a pattern took out of a context or an event', () => {
    check(
      'v1',
      `  pi.on('tool_call', async (event, { ui, sessionFile, model: used }) => {
    if (sessionFile === null || used === null) return { block: true, reason: 'no' };
    ui.notify('x');
  });
  pi.on('turn_start', async (event, ctx) => {
    const { exec, cwd, sessionFile } = ctx;
    await exec('ls', [cwd]);
    save(sessionFile);
  });
  pi.on('turn_end', (_event, { sessionFile }) => save(sessionFile));`,
      `  pi.on('tool_call', async (event, ctx) => {
    const { ui } = ctx;
    const sessionFile = ctx.sessionManager.getSessionFile();
    const used = ctx.model;
    if (sessionFile === undefined || used === undefined) return { block: true, reason: 'no' };
    ui.notify('x');
  });
  pi.on('turn_start', async (event, ctx) => {
    const { cwd } = ctx;
    const exec = pi.exec;
    const sessionFile = (ctx.sessionManager.getSessionFile() ?? null);
    await exec('ls', [cwd]);
    save(sessionFile);
  });
  pi.on('turn_end', (_event, ctx) => {
    const sessionFile = (ctx.sessionManager.getSessionFile() ?? null);
    return save(sessionFile);
  });`,
    );
    check(
      'omp',
      `  pi.on('session_compact', ({ compactionEntry, fromHook }) => {
    log(compactionEntry, fromHook);
  });`,
      `  pi.on('session_compact', (event) => {
    const { compactionEntry } = event;
    const fromHook = event.fromExtension;
    log(compactionEntry, fromHook);
  });`,
    );
    check(
      'v1',
      `  pi.on('turn_end', (event, ctx) => {
    let last = ctx.model;
    if (last === null) save(ctx.model);
  });`,
      `  pi.on('turn_end', (event, ctx) => {
    let last = (ctx.model ?? null);
    if (last === null) save((ctx.model ?? null));
  });`,
    );
  });

  it('leaves alone what no null reaches, and comparisons that it cannot change', () => {
    const text = `  pi.on('tool_call', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['No']);
    if (one == undefined || one === 'No') return { block: true, reason: 'no' };
    log(one);
    const two = await ctx.ui.input('?');
    if (two !== 'yes') return { block: true, reason: 'no' };
  });`;
    check('v1', text, text);
  });
});
