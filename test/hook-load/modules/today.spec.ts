import assert from 'node:assert/strict';
import { PI_AI_VERSION } from '@mariozechner/pi-ai';
import { modulesForFiles } from '../../../src/hook-load/modules/modules-for-file';
import { shippedModules } from '../../../src/hook-load/modules/shipped-modules';
import { DARK_PALETTE, HookTheme } from '../../../src/hook-contract/ui/theme';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { RUNTIME_EXPORTS } from '../../../src/hook-run/tool-call/runtime-exports';

const shipped = shippedModules({
  runtime: RUNTIME_EXPORTS,
  agentDir: () => '/agent',
  theme: () => new HookTheme('dark', DARK_PALETTE),
});

describe("modules for files of today's pi", () => {
  let loading: Loading;
  const given = (files: Readonly<Record<string, string>>, set: Readonly<Record<string, string>> = {}): void => {
    const temp = new TempFiles(files);
    const settings = new Map(Object.entries(set).map(([name, dialect]) => [temp.path(name), dialect]));
    loading = new Loading(temp, {
      modules: modulesForFiles(shipped, { settingOf: path => settings.get(path), needsOf: () => undefined }),
    });
  };
  afterEach(() => loading.end());

  const TYPEBOX = `import { Type } from "@sinclair/typebox"; import { Value } from "@sinclair/typebox/value";
    import * as all from "@sinclair/typebox"; import { Type as Newer } from "typebox"; import { Compile } from "@sinclair/typebox/compile";
    export default () => [Type === Newer, Value.Check(Type.String(), "x"), "Refine" in all, typeof Compile];`;

  it('@sinclair/typebox is the newer TypeBox for them, and the older one for others', async () => {
    given(
      {
        'today.ts': `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"; ${TYPEBOX}`,
        'older.ts': `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent"; ${TYPEBOX}`,
        'said.ts': `// @pi-dialect pi\n${TYPEBOX}`,
        'set.ts': `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent"; ${TYPEBOX}`,
        'parts.ts': `import { made } from "./part.ts"; import "@earendil-works/pi-ai"; export default () => made;`,
        'part.ts': `import { Type } from "@sinclair/typebox"; import { Type as Newer } from "typebox"; export const made = Type === Newer;`,
      },
      { 'set.ts': 'pi' },
    );
    assert.deepEqual(await loading.run('today.ts'), [true, true, true, 'function']);
    assert.deepEqual(await loading.run('older.ts'), [false, true, false, 'function']);
    assert.deepEqual(await loading.run('said.ts'), [true, true, true, 'function']);
    assert.deepEqual(await loading.run('set.ts'), [true, true, true, 'function']);
    assert.equal(await loading.run('parts.ts'), true);
  });

  it('a computed name works each way, also through createRequire and a file beside the hook', async () => {
    given({
      'h.ts': `import { createRequire } from "node:module";
        const name = ["@earendil-works", "pi-tui"].join("/"); const own = createRequire(import.meta.url);
        export default async () => {
          const found = [require(name), await import(name), own(name), own("@earendil-works/pi-tui"), (await import("./" + "beside.mjs")).default(name)];
          return [found.every(module => module.visibleWidth === found[0].visibleWidth), found[0].visibleWidth("ab")];
        };`,
      'beside.mjs':
        'import { createRequire } from "node:module"; export default name => createRequire(import.meta.url)(name);',
    });
    assert.deepEqual(await loading.run('h.ts'), [true, 2]);
  });

  it('import.meta.resolve names files beside the hook, and shipped modules by their name', async () => {
    given({
      'h.ts': `export default () => [import.meta.resolve("./beside.ts"), import.meta.resolve("@earendil-works/pi-tui"), import.meta.resolve("node:fs")];`,
      'beside.ts': '',
    });
    const [beside, shippedName, builtin] = (await loading.run('h.ts')) as string[];
    assert.ok(beside?.startsWith('file:') === true && beside.endsWith('/beside.ts'));
    assert.equal(shippedName, '@earendil-works/pi-tui');
    assert.equal(builtin, 'node:fs');
  });

  it('pi-tui and pi-ai are whole, and of pi-agent-core the types', async () => {
    given({
      'h.ts': `import * as tui from "@earendil-works/pi-tui"; import { getModelType, PI_AI_VERSION } from "@earendil-works/pi-ai";
        import { runToolCall } from "@earendil-works/pi-agent-core";
        const said = (use) => { try { use(); return "nothing"; } catch (error) { return error.message; } };
        export default () => ({
          hex: tui.colorToHex(tui.mixColors(tui.parseColor("#000"), tui.parseColor("#ffffff"), 0.5, "srgb")),
          round: tui.colorToHex(tui.oklchColor(...Object.values(tui.colorToOklch(tui.rgbColor(79, 163, 255))))), index: tui.colorToRgb(tui.indexedColor(196)),
          style: tui.styleText("a", { fg: tui.rgbColor(1, 2, 3), bold: true }, "truecolor"), near: tui.foregroundAnsi(tui.rgbColor(255, 0, 0), "256color"),
          plain: tui.replaceControlCharacters("a\\x07b"), type: getModelType({}), version: PI_AI_VERSION, refused: said(() => runToolCall()),
        });`,
    });
    assert.deepEqual(await loading.run('h.ts'), {
      hex: '#808080',
      round: '#4fa3ff',
      index: { r: 255, g: 0, b: 0 },
      style: '\x1b[38;2;1;2;3m\x1b[1ma\x1b[22m\x1b[39m',
      near: '\x1b[38;5;196m',
      plain: 'a b',
      type: 'chat',
      version: PI_AI_VERSION,
      refused: "'runToolCall' of '@mariozechner/pi-agent-core' is not available in this runtime.",
    });
  });
});
