import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostOptions, webviewOptions } from '../scripts/build/options.ts';
import { ROOT } from '../scripts/support/paths.ts';
import {
  findCycle,
  importersOf,
  reachableFrom,
  readImportGraph,
  readSourceGraph,
  type ImportGraph,
} from './support/import-graph';

const MAY_IMPORT_VSCODE = /^src\/(extension\.ts$|vscode\/)/;
const EXPORTED = /^export (?:abstract |async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
/** The same shape, declared in two layers that must not import each other. */
const DECLARED_TWICE = new Set([
  ...['ApprovalReason', 'DialogKind'],
  ...['BashOperations', 'BashOutcome', 'CompactionPreparation', 'CompactionResult'],
]);
/** What the page may contain of the host's code, besides the protocol. */
const SHARED_TEXTS = new Set(
  ['single-line', 'terminal-strings', 'visible-text'].map(name => `src/base/text/${name}.ts`),
);
const OF_THE_PAGE = /^(webview|src\/protocol|node_modules)\//;

describe('architecture', function () {
  this.timeout(120_000);

  describe('of the sources', () => {
    let graph: ImportGraph;

    before(async () => {
      graph = await readImportGraph(ROOT, '{src,webview}/**/*.ts');
    });

    it('has no import cycle', () => {
      assert.ok(graph.size > 50, 'the sources were read');
      assert.equal(findCycle(graph)?.join(' -> '), undefined);
    });

    it('has no cycle of types either', () => {
      const sources = readSourceGraph(ROOT, '{src,webview}/**/*.ts');
      assert.ok(sources.size > 50, 'the sources were read');
      assert.equal(findCycle(sources)?.join(' -> '), undefined);
    });

    it('imports vscode only at the edge', () => {
      const importers = importersOf(graph, 'vscode');
      assert.ok(importers.length > 0, 'somebody imports vscode');
      assert.deepEqual(
        importers.filter(file => !MAY_IMPORT_VSCODE.test(file)),
        [],
      );
    });

    it('loads the library for MCP servers only when there is one', () => {
      const importers = [...graph].filter(([, imports]) =>
        imports.some(path => path.includes('@modelcontextprotocol')),
      );
      assert.deepEqual(importers.map(([file]) => file).sort(), [
        'src/mcp/connection/sdk.ts',
        'src/mcp/serving/server-sdk.ts',
      ]);
      for (const sdk of importers.flatMap(([file]) => importersOf(graph, file))) {
        assert.doesNotMatch(readFileSync(join(ROOT, sdk), 'utf8'), /^import (?!type ).*\/(?:server-)?sdk';$/m, sdk);
      }
    });

    it('keeps the command line free of vscode', () => assert.ok(!reachableFrom(graph, 'src/cli.ts').has('vscode')));

    it('gives each exported name one meaning', () => {
      const places = new Map<string, Set<string>>();
      for (const file of graph.keys()) {
        if (!/^(src|webview)\//.test(file) || file.startsWith('src/hook-typings/')) continue;
        for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED)) {
          places.set(name, (places.get(name) ?? new Set()).add(file));
        }
      }
      assert.ok(places.size > 2_000, `${places.size} names`);
      const repeated = [...places].filter(([name, files]) => files.size > 1 && !DECLARED_TWICE.has(name));
      assert.deepEqual(
        repeated.map(([name, files]) => `${name}: ${[...files].join(', ')}`),
        [],
      );
    });

    it('keeps the page out of the host and the host out of the page', () => {
      for (const [file, imports] of graph) {
        const wrong = file.startsWith('webview/')
          ? imports.filter(
              path => path.startsWith('src/') && !path.startsWith('src/protocol/') && !SHARED_TEXTS.has(path),
            )
          : imports.filter(path => path.startsWith('webview/'));
        assert.deepEqual(wrong, [], file);
      }
    });
  });

  describe('of the page', () => {
    let bundle: esbuild.BuildResult<{ metafile: true; write: false }>;

    before(async () => {
      bundle = await esbuild.build({ ...webviewOptions({ production: true }), write: false });
    });

    it('holds only the page, the protocol and packages', () =>
      assert.deepEqual(
        Object.keys(bundle.metafile.inputs).filter(file => !OF_THE_PAGE.test(file) && !SHARED_TEXTS.has(file)),
        [],
      ));

    it('needs no eval, which its content security policy forbids', () => {
      const scripts = bundle.outputFiles.filter(file => file.path.endsWith('.js'));
      assert.ok(scripts.some(file => file.path.endsWith('main.js')));
      for (const script of scripts) assert.doesNotMatch(script.text, /\beval\(|new Function\(/, script.path);
    });
  });

  describe('of the command line', () => {
    it('loads no code of a card, a composer or a page', async () => {
      const { metafile } = await esbuild.build({ ...hostOptions({ production: true }), write: false });
      const isOfView = (file: string): boolean => file.startsWith('src/chat/');
      assert.ok(sourcesOf(metafile, 'src/extension.ts').some(isOfView), 'the extension has a view');
      const ofCommandLine = sourcesOf(metafile, 'src/cli.ts');
      assert.ok(ofCommandLine.includes('src/session/conversation.ts'), 'the chunks of the command line are read');
      assert.deepEqual(ofCommandLine.filter(isOfView), []);
    });
  });

  describe('checks themselves', () => {
    it('find a planted cycle, and a vscode below the edge', async () => {
      const graph = await planted({
        'src/agent/a.ts': "import { b } from '../base/b'; export const a = b;",
        'src/base/b.ts': "import { c } from './c'; export const b = () => c;",
        'src/base/c.ts': "import { b } from './b'; import { env } from 'vscode'; export const c = () => [b, env];",
      });
      assert.deepEqual(new Set(findCycle(graph)), new Set(['src/base/b.ts', 'src/base/c.ts']));
      assert.deepEqual(importersOf(graph, 'vscode'), ['src/base/c.ts']);
      assert.ok(reachableFrom(graph, 'src/agent/a.ts').has('vscode'));
    });

    it('find a planted cycle of types, which is none at run time', async () => {
      const files = {
        'src/base/a.ts': "import type { B } from './b'; export interface A { readonly b?: B }",
        'src/base/b.ts': "export type { A } from './a'; export interface B { readonly c: typeof import('./c') }",
        'src/base/c.ts': 'export const c = 1;',
      };
      assert.equal(findCycle(await planted(files)), undefined);
      const graph = await planted(files, readSourceGraph);
      assert.deepEqual(new Set(findCycle(graph)), new Set(['src/base/a.ts', 'src/base/b.ts']));
    });

    it('take a diamond for no cycle', async () => {
      const graph = await planted({
        'src/a.ts': "import { b } from './b'; import { c } from './c'; export const a = [b, c];",
        'src/b.ts': "import { d } from './d'; export const b = d;",
        'src/c.ts': "import { d } from './d'; export const c = d;",
        'src/d.ts': 'export const d = 1;',
      });
      assert.equal(findCycle(graph), undefined);
    });
  });
});

/** The sources in the script of an entry, and in all chunks that it may load. */
function sourcesOf({ outputs }: esbuild.Metafile, entry: string): readonly string[] {
  const [start] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  assert.ok(start !== undefined, entry);
  const loaded = new Set([start]);
  for (const file of loaded) for (const { path } of outputs[file]?.imports ?? []) if (path in outputs) loaded.add(path);
  return [...loaded].flatMap(file => Object.keys(outputs[file]?.inputs ?? {}));
}

async function planted(
  files: Readonly<Record<string, string>>,
  read: (folder: string, pattern: string) => ImportGraph | Promise<ImportGraph> = readImportGraph,
): Promise<ImportGraph> {
  const root = mkdtempSync(join(tmpdir(), 'hookline-graph-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return await read(root, 'src/**/*.ts');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
