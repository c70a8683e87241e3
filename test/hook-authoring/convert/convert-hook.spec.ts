import assert from 'node:assert/strict';
import { convertHook } from '../../../src/hook-authoring/convert/convert-hook';
import { babel, HOOKS, TODAY, check, inside, whole } from './support';

describe('converting a hook', () => {
  it('keeps comments, blank lines and quotes', () => {
    const text = `// top\n${HOOKS}\n/** Doc. */\nexport default function gate(pi: HookAPI) {\n\n  // why\n  pi.on("tool_call", async (event) => undefined); // end\n}\n`;
    const after = text
      .replace('HookAPI', 'ExtensionAPI')
      .replace(': HookAPI', ': ExtensionAPI')
      .replace('@mariozechner', '@earendil-works')
      .replace('/hooks', '');
    assert.equal(whole('v1', text).text, after);
  });

  it('keeps the line ends of Windows', () => {
    const { text } = whole(
      'v1',
      `${HOOKS}export default (pi: HookAPI) => {\n  pi.on('agent_start', () => {});\n};\n`.replaceAll('\n', '\r\n'),
    );
    assert.ok(text.includes('\r\n'));
    assert.equal(text.replaceAll('\r\n', '').includes('\n'), false);
  });

  it('sends messages as the old ways did', () => {
    check(
      'tree',
      `  pi.on('session', event => {
    if (event.reason === 'compact') pi.sendMessage({ customType: 'a', content: 'b', display: true });
  });
  pi.on('agent_end', () => {
    pi.sendMessage({ customType: 'a', content: 'b', display: false }, false);
  });`,
      `  pi.on('session_compact', event => {
    pi.sendMessage({ customType: 'a', content: 'b', display: true }, { triggerTurn: true });
  });
  pi.on('agent_end', () => {
    pi.sendMessage({ customType: 'a', content: 'b', display: false });
  });`,
    );
    assert.deepEqual(inside('v1', `  pi.send('x', [image]);`).looks.length, 1);
  });

  it('gives the factory of a component the key bindings in between', () =>
    check(
      'omp',
      `  pi.on('agent_end', async (event, ctx) => {
    await ctx.ui.custom((tui, theme, done) => make(tui, done));
  });`,
      `  pi.on('agent_end', async (event, ctx) => {
    await ctx.ui.custom((tui, theme, _keybindings, done) => make(tui, done));
  });`,
    ));

  it('follows the context into functions of the file, and says where pi is out of sight', () => {
    const text = `${HOOKS}export default function (pi: HookAPI) {
  pi.on('agent_end', async (event, ctx) => {
    await status(ctx);
  });
}

async function status(ctx: any) {
  return ctx.exec('git', ['status']);
}
`;
    const { text: after, remarks } = whole('v1', text);
    assert.match(after, /\/\/ Needs a look: exec is a method of pi now/);
    assert.deepEqual(
      remarks.filter(({ severity }) => severity === 'look').map(({ line }) => line),
      [10],
    );
  });

  it('gives an untyped factory its type, and a plain script a word for its dialect', () => {
    assert.equal(
      whole('v1', `export default function (pi) {\n  pi.on('agent_end', () => {});\n}\n`).text,
      `${TODAY}export default function (pi: ExtensionAPI) {\n  pi.on('agent_end', () => {});\n}\n`,
    );
    assert.match(
      whole('v1', `export default pi => {\n  pi.on('agent_end', () => {});\n};\n`, '/hooks/a.js').text,
      /^\/\/ @pi-dialect pi\n/,
    );
    assert.match(
      whole('v1', `#!/usr/bin/env node\nexport default pi => {};\n`, '/hooks/a.js').text,
      /^#!\/usr\/bin\/env node\n\/\/ @pi-dialect pi\n/,
    );
    assert.match(
      whole(undefined, `// @pi-dialect tree\n${HOOKS}export default function (pi: HookAPI) {}\n`).text,
      /^\/\/ @pi-dialect pi\n/,
    );
  });

  it('refuses what is of the newest dialect, and what cannot be parsed', () => {
    const newest = convertHook({ file: '/a.ts', text: `${TODAY}export default (pi: ExtensionAPI) => {};\n`, babel });
    assert.deepEqual(newest.ok ? [] : newest.problems.map(({ message }) => message), [
      'This hook is an extension already.',
    ]);
    const broken = convertHook({ file: '/a.ts', text: `${HOOKS}export default (pi => {`, babel });
    assert.ok(!broken.ok);
    assert.equal(broken.problems[0]?.line, 2);
  });
});
