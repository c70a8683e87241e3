import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Check } from 'typebox/schema';
import ts from 'typescript';
import { ROOT } from '../scripts/support/paths.ts';
import { AuthFile } from '../src/agent/models/keys/auth-file';
import { helpText } from '../src/modes/arguments/help';
import { readManifest } from '../src/packages/manifest';

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

const read = (...path: readonly string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
];
const BLOCKS: readonly Block[] = PAGES.flatMap(page =>
  [...read(page).matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', code = '']) => ({
    page,
    language,
    code,
  })),
);
const blocksOf = (language: string): readonly Block[] => BLOCKS.filter(block => block.language === language);

describe('code blocks of the docs', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'doc-blocks-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('of JSON are files that their readers accept', async () => {
    const fits = (schema: string, value: unknown): boolean =>
      Check(JSON.parse(read('media', 'schemas', `${schema}.schema.json`)) as object, value);
    const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
      mcpServers: value => assert.ok(fits('mcp', value)),
      packages: value => assert.ok(fits('settings', value)),
      pi: async value => {
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', ...(value as object) }));
        const problems: never[] = [];
        const { parts } = await readManifest(folder, problems);
        assert.deepEqual([problems, Object.keys(parts ?? {}).length], [[], 3]);
      },
      azure: async value => {
        const file = new AuthFile(join(folder, 'auth.json'));
        writeFileSync(file.path, JSON.stringify(value));
        await file.load();
        assert.deepEqual([file.problems, file.get('azure')?.type], [[], 'api_key']);
      },
      // The settings of editors.
      agent_servers: value => {
        const { agent_servers: servers } = value as { readonly agent_servers: Readonly<Record<string, object>> };
        assert.deepEqual(Object.keys(servers), ['Hookline']);
        assert.deepEqual(Reflect.get(servers['Hookline'] ?? {}, 'args'), ['acp']);
      },
      // The settings of another package.
      asyncByDefault: value => assert.deepEqual(value, { asyncByDefault: false }),
      // A record of the hook log, which test/docs.spec.ts reads.
      run: () => undefined,
    };
    const seen = new Set<string>();
    for (const { page, code } of blocksOf('json')) {
      const value = JSON.parse(code) as object;
      const [key = ''] = Object.keys(value);
      await (readers[key] ?? (() => assert.fail(`${page}: no reader for "${key}"`)))(value);
      seen.add(key);
    }
    assert.deepEqual([...seen].toSorted(), Object.keys(readers).toSorted());
  });

  it('of JavaScript have no error of syntax', () => {
    const blocks = blocksOf('js');
    assert.equal(blocks.length, 2);
    for (const { page, code } of blocks) {
      const { diagnostics = [] } = ts.transpileModule(code, {
        fileName: 'block.mjs',
        reportDiagnostics: true,
        compilerOptions: { allowJs: true, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      assert.deepEqual(
        diagnostics.map(({ messageText }) => messageText),
        [],
        page,
      );
    }
  });

  it('about the API for other extensions use members that it has', () => {
    const block = blocksOf('js').find(({ page }) => page === 'docs/extension-api.md');
    const used = [...(block?.code.matchAll(/hookline\??\.(\w+)\(/g) ?? [])].map(([, name = '']) => name);
    const api = read('src', 'vscode', 'window', 'public-api.ts');
    assert.deepEqual(used.toSorted(), ['conversations', 'hooks', 'onDidChange']);
    for (const name of used) assert.match(api, new RegExp(`^  (?:readonly )?${name}[(:]`, 'm'), name);
  });

  describe('of a shell', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const known = [
      helpText(),
      read('src', 'modes', 'packages', 'package-arguments.ts'),
      read('src', 'modes', 'guard', 'guard-arguments.ts'),
    ].join('\n');
    const commands = blocksOf('sh').flatMap(({ page, code }) =>
      code.split('\n').map(line => ({ page, command: line.split(/\s+#/)[0] ?? '' })),
    );
    const optionsOf = (command: string): readonly string[] =>
      [...command.matchAll(/(?<=\s)--([a-z][\w-]*)/g)].map(([, name = '']) => name);
    const ofNpm = commands.filter(({ command }) => /^npm (?!install)/.test(command));
    const ofHookline = commands.filter(({ command }) => /(?:^|\| )(?:hookline|node dist\/cli\.js) /.test(command));

    it('name scripts of npm and options that exist', () => {
      assert.ok(ofNpm.length > 12);
      for (const { page, command } of ofNpm) {
        const [, script = ''] = /^npm (?:run )?([\w:]+)/.exec(command) ?? [];
        const [, task] = /run\.mjs (\S+)/.exec(scripts[script] ?? '') ?? [];
        assert.ok(task !== undefined, `${page}: ${command}`);
        const program = read('scripts', `${task}.ts`);
        const options = [...program.matchAll(/from '\.\/(support\/[\w-]*options\.ts)'/g)];
        const source = [program, ...options.map(([, path = '']) => read('scripts', path))].join('\n');
        for (const name of optionsOf(command)) {
          assert.match(source, new RegExp(`(?:'${name}'|\\b${name}): (?:\\{|flag)`), `${page}: ${command}`);
        }
      }
    });

    it('name commands and options of hookline that exist', () => {
      assert.ok(ofHookline.length > 8);
      for (const { page, command } of ofHookline) {
        const [, subcommand] = /^hookline ([a-z]+)/.exec(command) ?? [];
        if (subcommand !== undefined) {
          assert.match(known, new RegExp(`hookline (?:\\w+\\|)*${subcommand}\\b`), `${page}: ${command}`);
        }
        for (const name of optionsOf(command)) assert.ok(known.includes(`--${name}`), `${page}: ${command}`);
      }
    });

    it('name nothing else but the install of what is packed, and a client that starts hookline', () => {
      const ofClient = commands.filter(({ command }) => command.startsWith("acpx --agent 'hookline acp' "));
      assert.ok(ofClient.length > 0);
      const others = commands.filter(each => ![...ofNpm, ...ofHookline, ...ofClient].includes(each));
      assert.deepEqual(
        [...new Set(others.map(({ command }) => command))].filter(command => command !== ''),
        ['npm install -g ./out/hookline-<version>.tgz'],
      );
    });
  });
});
