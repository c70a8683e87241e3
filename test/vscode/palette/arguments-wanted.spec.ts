import assert from 'node:assert/strict';
import { DIALECTS } from '../../../src/hook-contract/dialects';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import type { RegisteredCommand } from '../../../src/hook-contract/loaded-hook';
import { wantsArguments } from '../../../src/vscode/palette/arguments-wanted';

/** Source of a handler, as jiti leaves it. */
function wants(source: string, dialect: DialectId = 'ext', given: Partial<RegisteredCommand> = {}): boolean {
  const run = (0, eval)(`(${source})`) as RegisteredCommand['run'];
  return wantsArguments({ run, completions: undefined, form: 'registerCommand', ...given }, DIALECTS[dialect]);
}

describe('a person is asked for the arguments of a hook command', () => {
  it('when the command completes them', () =>
    assert.ok(wants('async (_args, ctx) => {}', 'ext', { completions: () => [] })));

  it('when its code reads them, in every generation of the API', () => {
    assert.ok(wants('async (args, ctx) => { ctx.ui.notify(args); }'));
    assert.ok(wants('async function (target, { ui }) { ui.notify(`go ${target}`); }'));
    assert.ok(wants('async args => { console.log(args); }'));
    assert.ok(wants('({ length }, ctx) => length'));
    assert.ok(wants('async (ctx) => { ctx.ui.notify(ctx.args); }', 'tree'));
    assert.ok(wants('async ({ args, ui }) => { ui.notify(args); }', 'tree'));
    assert.ok(wants('async ctx => ({ status: ctx.args[0] })', 'v2', { form: 'command' }));
    assert.ok(wants('ctx => ({ status: ctx.argsRaw })', 'v2', { form: 'command' }));
  });

  it('when nobody can tell', () => {
    assert.ok(
      wantsArguments(
        { run: Object.is.bind(Object) as RegisteredCommand['run'], completions: undefined, form: 'registerCommand' },
        DIALECTS.ext,
      ),
    );
    assert.ok(wants('function () { return arguments[0]; }'));
  });

  it('but not when it evidently looks at none', () => {
    assert.ok(!wants('async (_args, ctx) => { ctx.ui.notify("x"); }'));
    assert.ok(!wants('async (args, ctx) => { ctx.ui.notify("x"); }'));
    assert.ok(!wants('async () => {}'));
    assert.ok(!wants('async (ctx) => { ctx.ui.notify("x"); }', 'tree'));
    assert.ok(!wants('async ctx => ({ status: "done" })', 'v2', { form: 'command' }));
  });
});
