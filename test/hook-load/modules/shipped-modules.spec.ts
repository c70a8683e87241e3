import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { PI_AI_VERSION } from '@mariozechner/pi-ai';
import { build } from 'esbuild';
import * as ai from '@mariozechner/pi-ai/compat';
import * as tui from '@mariozechner/pi-tui';
import { Type } from '@sinclair/typebox';
import * as newer from 'typebox';
import { LazyModule } from '../../../src/hook-load/modules/lazy-module';
import { shippedModules } from '../../../src/hook-load/modules/shipped-modules';
import { VirtualModules } from '../../../src/hook-load/modules/virtual-modules';
import { HookTheme, DARK_PALETTE } from '../../../src/hook-contract/ui/theme';
import { ScriptedLlm } from '../../support/scripted-llm';
import { Loading, ROOT } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { RUNTIME_EXPORTS } from '../../../src/hook-run/tool-call/runtime-exports';

const modules = shippedModules({
  runtime: RUNTIME_EXPORTS,
  agentDir: () => '/home/me/.pi/agent',
  theme: () => new HookTheme('dark', DARK_PALETTE),
});

describe('modules that ship with the extension', () => {
  let loading: Loading;
  const given = (files: Readonly<Record<string, string>>): void => {
    loading = new Loading(new TempFiles(files), { modules: () => modules });
  };
  afterEach(() => loading.end());

  /** A value of each module by which it is known. */
  const KNOWN: Readonly<Record<string, string>> = {
    'pi-coding-agent': 'isBashToolResult',
    'pi-coding-agent/hooks': 'isReadToolResult',
    'pi-coding-agent/extensibility/hooks': 'isLsToolResult',
    'pi-ai': 'complete',
    'pi-ai/compat': 'registerApiProvider',
    'pi-ai/models': 'clampThinkingLevel',
    'pi-ai/oauth': 'getOAuthProviders',
    'pi-ai/providers/all': 'builtinProviders',
    'pi-tui': 'visibleWidth',
    'pi-agent-core': 'agentLoop',
    'pi-utils': 'logger',
  };
  const specifiers = ['@mariozechner', '@oh-my-pi', '@gsd', '@earendil-works'].flatMap(scope =>
    Object.entries(KNOWN).map(([name, value]) => [`${scope}/${name}`, value] as const),
  );
  const TYPEBOX = [
    ['@sinclair/typebox', 'Type'],
    ['@sinclair/typebox/value', 'Value'],
    ['@sinclair/typebox/compiler', 'TypeCompiler'],
    ['@sinclair/typebox/compile', 'Compile'],
    ['@sinclair/typebox/errors', 'ValueErrorType'],
    ['@sinclair/typebox/system', 'TypeSystem'],
    ['@sinclair/typebox/type', 'Kind'],
    ['typebox', 'Type'],
    ['typebox/value', 'Check'],
    ['typebox/compile', 'Compile'],
    ['typebox/format', 'IsEmail'],
    ['typebox/schema', 'Compile'],
  ] as const;

  for (const [specifier, value] of [...specifiers, ...TYPEBOX]) {
    it(`${specifier}, each way`, async () => {
      given({
        'named.ts': `import { ${value} } from "${specifier}"; export default () => ${value};`,
        'space.ts': `import * as all from "${specifier}"; export default () => all.${value};`,
        'default.ts': `import all from "${specifier}"; export default () => all.${value};`,
        'dynamic.ts': `export default async () => (await import("${specifier}")).${value};`,
        'require.ts': `const { ${value} } = require("${specifier}"); export default () => ${value};`,
        'computed.ts': `const s = ["${specifier}"]; const all = require(s[0]); export default () => all.${value};`,
        'helper.ts': `import value from "./h.cjs"; export default () => value;`,
        'h.cjs': `module.exports = require("${specifier}").${value};`,
        'packed.ts': `import value from "pack"; export default () => value;`,
        'node_modules/pack/package.json': '{ "name": "pack", "main": "i.js" }',
        'node_modules/pack/i.js': `const name = "${specifier}"; module.exports = require(name).${value};`,
      });
      const seen = new Set<unknown>();
      // These have a default export of their own.
      const ways = /typebox\/compile$|^typebox$/.test(specifier) ? [] : ['default'];
      for (const way of [...ways, 'named', 'space', 'dynamic', 'require', 'computed', 'helper', 'packed']) {
        const found = await loading.run(`${way}.ts`);
        assert.ok(found !== undefined, way);
        if (!specifier.endsWith('/pi-utils')) seen.add(found);
      }
      assert.ok(seen.size <= 1, 'one instance for all ways');
    });
  }

  it("pi-ai and pi-tui are the extension's own instances", async () => {
    given({
      'h.ts': `import { complete, registerApiProvider, Type, StringEnum } from "@mariozechner/pi-ai";
        import { Text, matchesKey } from "@oh-my-pi/pi-tui"; import { Type as T } from "@sinclair/typebox";
        export default () => ({ complete, registerApiProvider, Type, StringEnum, Text, matchesKey, T });`,
    });
    const found = (await loading.run('h.ts')) as Record<string, unknown>;
    const { complete, registerApiProvider, StringEnum } = ai;
    const { Text, matchesKey } = tui;
    assert.deepEqual(found, { complete, registerApiProvider, Type: newer.Type, StringEnum, Text, matchesKey, T: Type });
  });

  it('every name that pi-ai and pi-tui export now is there', async () => {
    given({
      'h.ts': `import * as ai from "@mariozechner/pi-ai"; import * as tui from "@mariozechner/pi-tui"; export default () => [ai, tui];`,
    });
    const [shippedAi, shippedTui] = (await loading.run('h.ts')) as Record<string, unknown>[];
    for (const [name, value] of Object.entries(ai)) {
      // Taken apart below: they stand in for streams that take no prompt beside the messages any more.
      const isStandIn = /^stream(?!Simple$)./.test(name);
      assert.equal(Object.is(shippedAi?.[name], value), !isStandIn, name);
      assert.equal(typeof shippedAi?.[name], typeof value, name);
    }
    for (const [name, value] of Object.entries(tui)) assert.ok(Object.is(shippedTui?.[name], value), name);
  });

  it('streams of one API take prompt and tools beside the messages, as they once did', async () => {
    given({
      'h.ts': `import { streamSimpleOpenAICompletions } from "@mariozechner/pi-ai";
        export default ({ model, context, options }: any) => streamSimpleOpenAICompletions(model, context, options).result();`,
    });
    const module = await loading.load('h.ts');
    const llm = await ScriptedLlm.start();
    try {
      llm.reply({ text: 'hi' });
      const tool = { name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } };
      const messages = [{ role: 'user', content: 'hello', timestamp: 0 }];
      const context = { systemPrompt: 'be kind', messages, tools: [tool] };
      await module.factory({ model: llm.model('openai-completions'), context, options: { apiKey: llm.apiKey } });
      const [sent] = llm.requests.map(({ body }) => body as { messages: { content: string }[]; tools: unknown[] });
      assert.equal(sent?.messages[0]?.content, 'be kind');
      assert.deepEqual([sent.messages.length, sent.tools.length], [2, 1]);
    } finally {
      await llm.stop();
    }
  });

  it('the logins of pi-ai, which renew tokens for a hook', async () => {
    given({
      'h.ts': `import { getOAuthProviders, getOAuthProvider } from "@mariozechner/pi-ai";
        import { getOAuthApiKey, registerOAuthProvider, resetOAuthProviders, loginAnthropic } from "@mariozechner/pi-ai/oauth";
        export default async () => {
          const ids = getOAuthProviders().map(({ id }) => id);
          const refreshToken = async (old) => ({ ...old, access: "new", expires: Date.now() + 9e6 });
          registerOAuthProvider({ id: "mine", name: "Mine", refreshToken, getApiKey: ({ access }) => access });
          const old = { access: "old", refresh: "r", expires: 1 };
          const renewed = await getOAuthApiKey("mine", { mine: old });
          const kept = await getOAuthApiKey("anthropic", { anthropic: { ...old, expires: Date.now() + 9e6 } });
          const none = await getOAuthApiKey("mine", {});
          resetOAuthProviders();
          let said = ""; try { loginAnthropic(); } catch (error) { said = error.message; }
          return { ids, key: renewed.apiKey, kept: kept.apiKey, none, mine: getOAuthProvider("mine"), said };
        };`,
    });
    const { ids, ...found } = (await loading.run('h.ts')) as { readonly ids: string[] };
    for (const id of ['anthropic', 'github-copilot', 'openai-codex']) assert.ok(ids.includes(id), id);
    const said = "'loginAnthropic' of '@mariozechner/pi-ai' is not available in this runtime.";
    assert.deepEqual(found, { key: 'new', kept: 'old', none: null, mine: undefined, said });
  });

  it('the screen of pi-tui is a class under its older name too', async () => {
    given({
      'h.ts': `import { TUI, Text } from "@mariozechner/pi-tui";
        export default (terminal: any) => { const tui = new TUI(terminal); tui.addChild(new Text("hello", 0, 0)); return tui.render(20); };`,
    });
    const module = await loading.load('h.ts');
    const lines = (await module.factory({ columns: 20, rows: 5 })) as string[];
    assert.deepEqual(
      lines.map(line => line.trim()),
      ['hello'],
    );
  });

  it('the key helpers that pi-tui dropped', async () => {
    given({ 'h.ts': 'import * as tui from "@mariozechner/pi-tui"; export default () => tui;' });
    const old = (await loading.run('h.ts')) as Record<string, (data: string) => boolean>;
    const PRESSED: Readonly<Record<string, string>> = {
      isArrowUp: '\x1b[A',
      isArrowDown: '\x1b[B',
      isArrowRight: '\x1b[C',
      isArrowLeft: '\x1b[D',
      isEscape: '\x1b',
      isEnter: '\r',
      isTab: '\t',
      isShiftTab: '\x1b[Z',
      isBackspace: '\x7f',
      isDelete: '\x1b[3~',
      isHome: '\x1b[H',
      isEnd: '\x1b[F',
      isAltEnter: '\x1b[13;3u',
      isAltLeft: '\x1b[1;3D',
      isAltRight: '\x1b[1;3C',
      isAltBackspace: '\x1b\x7f',
      isShiftEnter: '\x1b[13;2u',
      isCtrlLeft: '\x1b[1;5D',
      isCtrlRight: '\x1b[1;5C',
      isCtrlA: '\x01',
      isCtrlC: '\x03',
      isCtrlD: '\x04',
      isCtrlE: '\x05',
      isCtrlG: '\x07',
      isCtrlK: '\x0b',
      isCtrlL: '\x0c',
      isCtrlO: '\x0f',
      isCtrlP: '\x10',
      isCtrlT: '\x14',
      isCtrlU: '\x15',
      isCtrlW: '\x17',
      isCtrlZ: '\x1a',
      isShiftCtrlD: '\x1b[100;6u',
      isShiftCtrlO: '\x1b[111;6u',
      isShiftCtrlP: '\x1b[112;6u',
    };
    for (const [name, data] of Object.entries(PRESSED)) {
      assert.equal(old[name]?.(data), true, name);
      assert.equal(old[name]('x'), false, name);
    }
    assert.equal((old as unknown as { Keys: Record<string, string> }).Keys['CTRL_C'], '\x1b[99;5u');
  });

  it('the editor keybindings of 0.57', async () => {
    given({
      'h.ts': `import { getEditorKeybindings, EditorKeybindingsManager, setEditorKeybindings } from "@mariozechner/pi-tui";
        export default () => { const keys = getEditorKeybindings(); const own = new EditorKeybindingsManager({ submit: "ctrl+s" });
          const found = [keys.matches("\\x1b[A", "selectUp"), keys.matches("\\r", "submit"), keys.matches("\\x1b", "selectCancel"), keys.matches("a", "cursorUp"), own.getKeys("submit")];
          setEditorKeybindings(own); const set = getEditorKeybindings() === own; setEditorKeybindings(keys); return [...found, set]; };`,
    });
    assert.deepEqual(await loading.run('h.ts'), [true, true, true, false, ['ctrl+s'], true]);
  });

  it('the guards, from each entry point', async () => {
    const guards = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Find', 'Ls'];
    const names = guards.map(name => `is${name}ToolResult`).join(', ');
    given({
      'a.ts': `import { ${names} } from "@mariozechner/pi-coding-agent/hooks"; export default () => [${names}];`,
      'b.ts': `import { ${names}, isToolCallEventType } from "@oh-my-pi/pi-coding-agent"; export default () => [${names}, isToolCallEventType];`,
    });
    const found = (await loading.run('a.ts')) as ((event: object) => boolean)[];
    guards.forEach((guard, index) => {
      assert.equal(found[index]?.({ toolName: guard.toLowerCase() }), true);
      assert.equal(found[index]({ toolName: 'other' }), false);
    });
    const isToolCall = ((await loading.run('b.ts')) as ((name: string, event: object) => boolean)[])[7]!;
    assert.deepEqual([isToolCall('bash', { toolName: 'bash' }), isToolCall('bash', { toolName: 'ls' })], [true, false]);
  });

  it("the small values of today's pi", async () => {
    given({
      'h.ts': `import { CONFIG_DIR_NAME, createEventBus, formatReadLineRange, getLanguageFromPath, keyHint, keyText,
          rawKeyHint, AgentSession } from "@earendil-works/pi-coding-agent";
        import { uuidv7 } from "@earendil-works/pi-ai";
        export default async () => {
          const bus = createEventBus();
          const heard: unknown[] = [];
          bus.on("a", () => { throw new Error("bad listener"); });
          const off = bus.on("a", data => heard.push(data));
          bus.emit("a", 1);
          off();
          bus.emit("a", 2);
          return { CONFIG_DIR_NAME, heard, ranges: [formatReadLineRange(), formatReadLineRange(3), formatReadLineRange("3", 5), formatReadLineRange(null, 2), formatReadLineRange("x", 2)],
            languages: ["a/b.TS", "x.py", "x.unknown"].map(getLanguageFromPath),
            keys: [keyText("tui.select.confirm"), keyHint("tui.select.confirm", "choose"), rawKeyHint("esc", "leave"), keyText("app.unknown")],
            id: uuidv7(), refused: (() => { try { AgentSession.make(); } catch (error) { return (error as Error).message; } })() };
        };`,
    });
    const { id, keys, refused, ...rest } = (await loading.run('h.ts')) as Record<string, unknown>;
    assert.deepEqual(rest, {
      CONFIG_DIR_NAME: '.pi',
      heard: [1],
      ranges: ['', ':3', ':3-7', ':1-2', ''],
      languages: ['typescript', 'python', undefined],
    });
    assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal((keys as string[])[0], 'enter');
    assert.match((keys as string[])[1] ?? '', /enter.* choose/);
    assert.match((keys as string[])[2] ?? '', /esc.* leave/);
    assert.equal((keys as string[])[3], '');
    assert.match(String(refused), /AgentSession/);
  });

  it('the values that the descriptions name', async () => {
    given({
      'h.ts': `import { messageTransformer, convertToLlm, serializeConversation, createBashTool, createReadTool, createEditTool,
          createWriteTool, createGrepTool, createFindTool, createLsTool, DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize,
          truncateHead, truncateTail, truncateLine, getAgentDir, VERSION, parseFrontmatter, stripFrontmatter, execCommand,
          HookRunner, wrapToolsWithHooks, wrapToolWithHooks, estimateTokens, getMarkdownTheme, getSettingsListTheme,
          getSelectListTheme, createCodingTools, createReadOnlyTools } from "@mariozechner/pi-coding-agent";
        export default async (dir: string) => {
          const user = { role: "user", content: "hi", timestamp: 0 };
          const exec = await execCommand("sh", ["-c", "pwd; exit 3"], dir);
          return { same: messageTransformer === convertToLlm, text: serializeConversation(convertToLlm([user])),
            tools: [createBashTool, createReadTool, createEditTool, createWriteTool, createGrepTool, createFindTool, createLsTool].map(make => make(dir).name),
            coding: createCodingTools(dir).map(t => t.name), reading: createReadOnlyTools(dir).map(t => t.name),
            limits: [DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, typeof formatSize(1), typeof truncateHead, typeof truncateTail, typeof truncateLine],
            dir: getAgentDir(), VERSION, head: parseFrontmatter("---\\na: 1\\n---\\nbody"), body: stripFrontmatter("---\\na: 1\\n---\\nbody"),
            exec, runtime: [HookRunner, wrapToolsWithHooks, wrapToolWithHooks, estimateTokens].map(value => typeof value),
            themes: [getMarkdownTheme().bold("x"), Object.keys(getSelectListTheme()).length, typeof getSettingsListTheme().cursor] };
        };`,
    });
    const module = await loading.load('h.ts');
    const { root } = loading.files;
    assert.deepEqual(await module.factory(root), {
      same: true,
      text: '[User]: hi',
      tools: ['bash', 'read', 'edit', 'write', 'grep', 'find', 'ls'],
      coding: ['read', 'bash', 'edit', 'write'],
      reading: ['read', 'grep', 'find', 'ls'],
      limits: [51_200, 2000, 'string', 'function', 'function', 'function'],
      dir: '/home/me/.pi/agent',
      VERSION: PI_AI_VERSION,
      head: { frontmatter: { a: 1 }, body: 'body' },
      body: 'body',
      exec: { stdout: `${root}\n`, stderr: '', code: 3, killed: false, truncated: false },
      runtime: ['function', 'function', 'function', 'function'],
      themes: ['\x1b[1mx\x1b[22m', 5, 'string'],
    });
  });

  it('components that can be drawn, and an editor that can be extended', async () => {
    given({
      'h.ts': `import { DynamicBorder, BorderedLoader, CustomEditor, UserMessageComponent, AssistantMessageComponent,
          ToolExecutionComponent, CustomMessageComponent, getSelectListTheme } from "@mariozechner/pi-coding-agent";
        import { Container } from "@mariozechner/pi-tui";
        class Modal extends CustomEditor { seen = ""; handleInput(data: string) { this.seen += data; super.handleInput(data); } }
        export default ({ ui, theme }: any) => {
          const tool = new ToolExecutionComponent("bash", "id", { command: "ls" }); tool.updateResult({ content: [{ type: "text", text: "out" }] });
          const parts = [new DynamicBorder(), new UserMessageComponent("hello"), new AssistantMessageComponent({ content: [{ type: "text", text: "answer" }, { type: "thinking", thinking: "hm" }] }),
            tool, new CustomMessageComponent({ customType: "note", content: "custom" })];
          const lines = parts.map(part => part.render(40).join("\\n"));
          const loader = new BorderedLoader(ui, theme, "busy"); const shown = loader.render(40).join("\\n");
          let aborted = false; loader.onAbort = () => { aborted = true; }; loader.handleInput("\\x1b"); loader.dispose();
          const editor = new Modal(ui, { borderColor: (t: string) => t, selectList: getSelectListTheme() }, { matches: (d: string, a: string) => d === "!" && a === "bang" }, { paddingX: 2 });
          let escaped = false; let bang = false; editor.onEscape = () => { escaped = true; }; editor.onAction("bang", () => { bang = true; });
          for (const key of ["h", "i", "\\x1b", "!"]) editor.handleInput(key);
          return { lines, shown, aborted: aborted && loader.signal.aborted, container: parts[1] instanceof Container, text: editor.getText(), seen: editor.seen, escaped, bang, pad: editor.getPaddingX() };
        };`,
    });
    const module = await loading.load('h.ts');
    const ui = { requestRender: () => undefined, terminal: { rows: 40, columns: 80 } };
    const theme = new HookTheme('dark', DARK_PALETTE);
    const found = (await module.factory({ ui, theme })) as Record<string, unknown> & { lines: string[]; shown: string };
    ['─', 'hello', 'answer', 'out', 'custom'].forEach((text, index) =>
      assert.ok(found.lines[index]?.includes(text), text),
    );
    assert.match(found.shown, /busy/);
    const { aborted, container, text, seen, escaped, bang, pad } = found;
    const expected = { aborted: true, container: true, text: 'hi', seen: 'hi\x1b!', escaped: true, bang: true, pad: 2 };
    assert.deepEqual({ aborted, container, text, seen, escaped, bang, pad }, expected);
  });

  it('names that are not offered can be imported and extended, and say so when used', async () => {
    given({
      'h.ts': `import { AgentSession, createAgentSessionRuntime, InteractiveMode, bashTool, discoverAndLoadHooks } from "@mariozechner/pi-coding-agent";
        import { agentLoop } from "@mariozechner/pi-agent-core"; import { logger, anything } from "@oh-my-pi/pi-utils";
        class Mine extends InteractiveMode {}
        const said = (use: () => unknown) => { try { use(); return "nothing"; } catch (error) { return error.message; } };
        export default () => [() => AgentSession.open("x"), () => new AgentSession(), () => createAgentSessionRuntime(), () => new Mine(),
          () => bashTool.execute(), () => discoverAndLoadHooks([]), () => agentLoop(), () => logger.info("x"), () => anything()].map(said);`,
    });
    const root = "of '@mariozechner/pi-coding-agent' is not available in this runtime";
    assert.deepEqual(await loading.run('h.ts'), [
      `'AgentSession.open' ${root}.`,
      `'AgentSession' ${root}.`,
      `'createAgentSessionRuntime' ${root}.`,
      `'InteractiveMode' ${root}.`,
      `'bashTool.execute' ${root}; use the factory with a folder, such as createBashTool(cwd).`,
      `'discoverAndLoadHooks' ${root}.`,
      "'agentLoop' of '@mariozechner/pi-agent-core' is not available in this runtime.",
      "'logger.info' of '@oh-my-pi/pi-utils' is not available in this runtime.",
      "'anything' of '@oh-my-pi/pi-utils' is not available in this runtime.",
    ]);
  });

  it('values that the host gives win', async () => {
    const own = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => '',
      theme: () => new HookTheme('dark', DARK_PALETTE),
      values: { loadHooks: () => 'ours', HookRunner: 'mine' },
    });
    loading = new Loading(new TempFiles(), { modules: () => own });
    loading.files.write({
      'h.ts':
        'import { loadHooks, HookRunner } from "@mariozechner/pi-coding-agent/hooks"; export default () => [loadHooks(), HookRunner];',
    });
    assert.deepEqual(await loading.run('h.ts'), ['ours', 'mine']);
  });

  it('what oh-my-pi puts on the API object is there for hooks that mention it', async () => {
    given({ 'h.ts': 'export default (pi: any) => [typeof pi.pi.createLsTool, typeof pi.typebox.Type.Object];' });
    const module = await loading.load('h.ts');
    const api = { pi: modules.get('@oh-my-pi/pi-coding-agent'), typebox: modules.get('@sinclair/typebox') };
    assert.deepEqual(module.factory(api), ['function', 'function']);
  });

  it('a module installed next to the hook does not hide a shipped one', async () => {
    given({
      'node_modules/@sinclair/typebox/package.json': '{ "main": "i.js" }',
      'node_modules/@sinclair/typebox/i.js': 'exports.Type = "another";',
      'h.ts': 'import { Type } from "@sinclair/typebox"; export default () => Type;',
    });
    assert.equal(await loading.run('h.ts'), Type);
  });

  for (const [kind, file, text] of [
    ['CommonJS', 'i.js', 'exports.Type = require("@sinclair/typebox").Type;'],
    ['TypeScript', 'i.ts', 'const { Type: own } = require("@sinclair/typebox"); export const Type: object = own;'],
    ['ES modules', 'i.mjs', 'export { Type } from "@sinclair/typebox";'],
  ] as const) {
    it(`a package of ${kind} next to the hook gets them, although the hook names none`, async () => {
      given({
        'node_modules/needy/package.json': JSON.stringify({ main: file, exports: `./${file}` }),
        [`node_modules/needy/${file}`]: text,
        'h.ts': 'import { Type } from "needy"; export default () => Type;',
      });
      assert.equal(await loading.run('h.ts'), Type);
    });
  }

  it('none is loaded for a package that Node loads, and one that is named by such a `require` is', async () => {
    const loaded: string[] = [];
    const lazy = (specifier: string): [string, LazyModule] => {
      const load = (): Promise<object> => {
        loaded.push(specifier);
        return Promise.resolve({ is: specifier });
      };
      return [specifier, new LazyModule({ specifier, parts: [{ load }] })];
    };
    const own = new VirtualModules(new Map(['shipped', 'other'].map(lazy)));
    loading = new Loading(new TempFiles(), { modules: () => own });
    loading.files.write({
      'node_modules/plain/package.json': '{ "main": "i.js" }',
      'node_modules/plain/i.js': 'exports.is = "plain";',
      'node.ts': `import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        export default () => [require("plain").is, require("shipped").is];`,
      'own.ts': 'export default () => require("plain").is;',
    });
    assert.deepEqual(await loading.run('node.ts'), ['plain', 'shipped']);
    assert.deepEqual(loaded, ['shipped']);
    assert.equal(await loading.run('own.ts'), 'plain');
    assert.deepEqual(loaded, ['shipped', 'other']);
  });

  it('nothing is loaded for a hook that needs nothing', async () => {
    const files = new TempFiles();
    loading = new Loading(files);
    await build({
      stdin: {
        contents: `import { shippedModules } from ${JSON.stringify(`${ROOT}/src/hook-load/modules/shipped-modules`)};
          const modules = shippedModules({ runtime: { load: async () => ({}) }, agentDir: () => "", theme: () => null });
          await modules.load("@mariozechner/pi-coding-agent/hooks", name => name === "isBashToolResult");
          if (typeof modules.get("@mariozechner/pi-coding-agent").isBashToolResult !== "function") throw 1;`,
        resolveDir: ROOT,
        loader: 'ts',
      },
      outdir: files.path('out'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      outExtension: { '.js': '.mjs' },
      logLevel: 'silent',
    });
    // No package can be found from there, so that any import of one would fail.
    writeFileSync(files.path('package.json'), '{}');
    execFileSync(process.execPath, [files.path('out', 'stdin.mjs')]);
  });
});
