import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NEWEST_FIRST, shapeOf } from '../../src/hook-authoring/templates/dialect-shape';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import { installedPlugin, TsServer, type Underlined } from '../support/ts-server';

/** Untyped, and enough of the dialect's own to be told as such. */
const BODIES: { readonly [I in DialectId]: string } = {
  v1: `export default pi => {
  pi.on('session', async (event, ctx) => { if (event.reason === 'clear') pi.send(ctx.cwd); });
};
`,
  v2: `export default pi => {
  pi.command('hi', { handler: ctx => ({ status: ctx.cwd }) });
  pi.on('tool_call', (event, ctx) => { if (ctx.hasUI) return { block: event.toolName === 'x' }; });
};
`,
  tree: `export default pi => {
  pi.on('session', (event, ctx) => { ctx.ui.notify(event.reason); });
  pi.appendEntry('mine', { a: 1 });
};
`,
  omp: `import { basename } from 'node:path';
export default pi => {
  pi.on('auto_retry_start', (event, ctx) => { pi.logger.info(basename(ctx.cwd), event); });
};
`,
  ext: `export default pi => {
  pi.on('model_select', (event, ctx) => { ctx.ui.notify(event.model.id); });
  pi.setSessionName('a');
};
`,
  pi: `export default pi => {
  pi.on('agent_settled', (event, ctx) => { ctx.ui.notify(event.type); });
  pi.getSettings();
};
`,
};

const IMPORTS = `import { Type } from '@sinclair/typebox';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { isToolCallEventType } from '@mariozechner/pi-coding-agent';
import { Text } from '@mariozechner/pi-tui';
import { readFileSync } from 'node:fs';
import { twice } from './lib/twice.ts';
import { missing } from 'no-such-module';

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: 'two', label: 'Two', description: '', parameters: Type.Object({ n: Type.Number() }),
    execute: async (_id, { n }) => ({ content: [{ type: 'text', text: String(twice(n)) + process.pid }], details: undefined }),
  });
  pi.on('tool_call', event => { if (isToolCallEventType('bash', event)) readFileSync(event.input.command); });
  console.log(new Text('a'), missing);
}
`;

/** Asks for a module of Hookline, which only hooks find. */
const ASKS = "import '@mariozechner/pi-tui';\nimport { Text } from '@mariozechner/pi-tui';\nText;";

describe('the plugin for TypeScript', function () {
  this.timeout(120_000);
  let workspace: string;
  let server: TsServer;
  let extension: string;

  before(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'hookline plugin ä '));
    extension = await installedPlugin();
    server = await TsServer.start(extension);
  });
  after(() => {
    server.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  /** Writes and opens a file. */
  const open = (path: string, text: string): string => {
    const file = join(workspace, path).replaceAll('\\', '/');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    server.open(file, workspace);
    return file;
  };
  /**
   * Without the hint that a file is a CommonJS module. The server checks everything again after a file was opened, so what is
   * asked together is opened first.
   */
  const problems = async (file: string): Promise<readonly Underlined[]> =>
    (await server.problems(file)).filter(({ code }) => code !== 80001);

  for (const dialect of NEWEST_FIRST) {
    it(`types an untyped factory as ${dialect} and complains about nothing`, async () => {
      const text = BODIES[dialect];
      const file = open(`.pi/hooks/as-${dialect}.ts`, text);
      assert.deepEqual(await server.problems(file), []);
      const { api, from } = shapeOf(dialect);
      const name = from.startsWith('@oh-my-pi/') ? 'OmpHookAPI' : api;
      assert.equal(await server.hover(file, text, 'default pi'), `(parameter) pi: ${name}`);
      assert.doesNotMatch(await server.hover(file, text, dialect === 'v2' ? '(event' : 'event'), /: any$/);
    });
  }

  it('knows JavaScript extensions, and does not complain about types that nobody wrote', async () => {
    const text = "export default pi => { pi.on('tool_call', e => { e.toolName; }); };\n";
    const file = open('.pi/extensions/plain.js', text);
    const typed = open('.pi/extensions/typed.js', 'export default (pi, more: string) => { pi.on(more); };\n');
    assert.deepEqual(await server.problems(file), []);
    assert.match(await server.hover(file, text, 'default pi'), /pi: ExtensionAPI/);
    assert.match(await server.hover(file, text, 'e => { e'), /e: ToolCallEvent/);
    assert.deepEqual(
      (await server.problems(typed)).filter(({ code }) => code === 8010).map(({ text }) => text),
      ['1: Type annotations can only be used in TypeScript files.'],
    );
  });

  it('offers the events, the members of an event and those of ctx', async () => {
    const text = "export default pi => {\n  pi.on('tool_call', (e, ctx) => { e.; ctx.ui.; });\n  pi.on('');\n};\n";
    const file = open('.pi/hooks/offers.ts', text);
    const events = await server.completions(file, text, "pi.on('");
    for (const name of ['tool_call', 'tool_result', 'session_start', 'agent_end']) {
      assert.ok(events.includes(name), name);
    }
    const event = await server.completions(file, text, '{ e.');
    assert.ok(event.includes('toolName') && event.includes('input'), event.join());
    const ui = await server.completions(file, text, 'ctx.ui.');
    assert.ok(ui.includes('confirm') && ui.includes('select'), ui.join());
  });

  it('sees every way to export a factory', async () => {
    const handler = "pi.on('tool_call', e => { e.toolName; });";
    const ways = {
      'arrow in brackets': `export default (pi => { ${handler} });`,
      'async function': `export default async function (pi) { ${handler} }`,
      'named function': `export default function guard(pi) { ${handler} }`,
      'name of a function': `function guard(pi) { ${handler} }\nexport default guard;`,
      'name of a constant': `const guard = pi => { ${handler} };\nexport default guard;`,
      'export clause': `const guard = (pi) => { ${handler} };\nexport { guard as default };`,
    };
    const files = Object.entries(ways).map(
      ([what, text], index) => [what, open(`.pi/hooks/way-${index}.ts`, text)] as const,
    );
    const common = `module.exports = function (pi) { ${handler} };`;
    const script = open('.pi/extensions/common.js', common);
    const arrow = open('.omp/hooks/pre/common.cjs', common.replace('function (pi)', 'pi =>'));
    for (const [what, file] of [...files, ['CommonJS', script], ['CommonJS arrow', arrow]] as const) {
      assert.deepEqual(await problems(file), [], what);
    }
    assert.match(await server.hover(script, common, '(pi'), /pi: ExtensionAPI/);
  });

  it('leaves a factory that has types, and a default export that takes nothing', async () => {
    const typed = 'export default (pi: { on: 1 }) => pi.on;\n';
    const file = open('.pi/hooks/typed.ts', typed);
    const nothing = open('.pi/hooks/nothing.ts', 'export default () => 1;\n');
    const value = open('.pi/hooks/value.ts', 'export default { a: 1 };\n');
    const noted = '/** @param {{ on: 1 }} pi */\nexport default pi => pi.on;\n';
    const script = open('.pi/extensions/noted.js', noted);
    assert.equal(await server.hover(file, typed, '(pi'), '(parameter) pi: {\n    on: 1;\n}');
    assert.deepEqual(await problems(nothing), []);
    assert.deepEqual(await problems(value), []);
    assert.match(await server.hover(script, noted, 'default pi'), /on: 1/);
  });

  it('types no module of a hook, and no file beside the folders', async () => {
    const text = 'export default pi => pi;\n';
    const files = ['.pi/hooks/lib/helper.ts', 'src/other.ts', '.pi/elsewhere.ts'].map(path => open(path, text));
    const asks = open('src/asks.ts', ASKS);
    for (const file of files) {
      assert.deepEqual(
        (await problems(file)).map(({ code }) => code),
        [7006],
        file,
      );
    }
    assert.match((await problems(asks)).map(each => each.text).join(), /Cannot find module/);
  });

  it('keeps its types while the file is broken and mended', async () => {
    let text = BODIES.pi;
    const file = open('.pi/hooks/broken.ts', text);
    assert.deepEqual(await server.problems(file), []);
    text = server.edit(file, text, ['(event, ctx) => {', '(event, ctx) => {{']);
    assert.ok((await server.problems(file)).length > 0);
    text = server.edit(file, text, ['{{', '{']);
    text = server.edit(file, text, ['event.type', 'event.typ']);
    assert.match(
      (await server.problems(file)).map(each => each.text).join(),
      /'typ' does not exist.*AgentSettledEvent/,
    );
    text = server.edit(file, text, ['event.typ', 'event.type']);
    text = server.edit(file, text, ['export default pi', 'const late = pi']);
    assert.deepEqual(
      (await server.problems(file)).map(({ code }) => code).filter(code => code !== 6133),
      [7006, 7006, 7006],
      'no factory, no types',
    );
    text = server.edit(file, text, ['const late = pi', 'export default pi']);
    assert.deepEqual(await server.problems(file), []);
    text = server.edit(file, text, ['agent_settled', 'no_such_event']);
    assert.match((await server.problems(file)).map(each => each.text).join(), /no_such_event/);
  });

  it('follows the dialect as the text changes', async () => {
    let text = BODIES.ext.replace("pi.on('model_select', (event, ctx) => { ctx.ui.notify(event.model.id); });\n  ", '');
    const file = open('.pi/hooks/changes.ts', text);
    assert.match(await server.hover(file, text, 'default pi'), /ExtensionAPI/);
    text = server.edit(file, text, ["pi.setSessionName('a')", "pi.send('a')"]);
    assert.match(await server.hover(file, text, 'default pi'), /HookAPI/);
    text = server.edit(file, text, ['export', '// @pi-dialect omp\nexport']);
    assert.match(await server.hover(file, text, 'default pi'), /OmpHookAPI/);
  });

  it('is told of hooks in other places and of dialects that were set', async () => {
    const text = "export default pi => { pi.on('tool_call', e => { e.toolName; }); };\n";
    const file = open('tools/my-hook.ts', text);
    assert.deepEqual(
      (await server.problems(file)).map(({ code }) => code),
      [7006, 7006],
    );
    await server.ask('configurePlugin', {
      pluginName: 'hookline-typescript-plugin',
      configuration: { hooks: [file], dialects: { [file]: 'omp' }, more: 1 },
    });
    assert.deepEqual(await server.problems(file), []);
    assert.match(await server.hover(file, text, 'default pi'), /OmpHookAPI/);
    await server.ask('configurePlugin', { pluginName: 'hookline-typescript-plugin', configuration: 'nonsense' });
    assert.deepEqual(
      (await server.problems(file)).map(({ code }) => code),
      [7006, 7006],
    );
  });

  // The last one that checks: from now on the server has the declarations of all that is shipped.
  it('finds what Hookline ships, Node and modules of the hook, and still misses what is not there', async () => {
    open('.pi/hooks/lib/twice.ts', 'export const twice = (n: number): number => n * 2;\n');
    const file = open('.pi/hooks/imports.ts', IMPORTS);
    const beside = open('src/asks-beside.ts', ASKS);
    assert.deepEqual(
      (await problems(file)).map(({ text }) => text),
      ["7: Cannot find module 'no-such-module' or its corresponding type declarations."],
    );
    assert.match((await problems(beside)).map(({ text }) => text).join(), /Cannot find module/);
  });

  it('wrote nothing beside the hooks', () => {
    assert.deepEqual(readdirSync(join(workspace, '.pi')).sort(), ['elsewhere.ts', 'extensions', 'hooks']);
  });
});
