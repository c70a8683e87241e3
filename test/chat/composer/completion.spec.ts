import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RipgrepLocator } from '../../../src/agent/tools/search/ripgrep';
import { mentionsOf } from '../../../src/chat/composer/completion/dropped-files';
import { fuzzyScore, Mentions } from '../../../src/chat/composer/completion/mentions';
import { mentionText } from '../../../src/chat/composer/completion/mention-text';
import type { ContextSource } from '../../../src/session/attachments/context-source';
import type { Completion } from '../../../src/protocol/composer/composer';

const FILES = [
  'README.md',
  'src/main.ts',
  'src/main.spec.ts',
  'src/vscode/chat-view.ts',
  'src/agent/domain.ts',
  'docs/my notes.md',
  'node_modules/main/index.js',
];

describe('completion behind @', () => {
  let cwd: string;

  before(() => {
    cwd = mkdtempSync(join(tmpdir(), 'hookline mentions ü '));
    for (const file of [...FILES, '.git/config']) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), '');
    }
    writeFileSync(join(cwd, '.gitignore'), 'node_modules\n');
  });

  after(() => rmSync(cwd, { recursive: true, force: true }));

  const context = (change: Partial<ContextSource> = {}): ContextSource => ({
    openFiles: () => [],
    offers: () => [],
    symbols: () => Promise.resolve([]),
    read: () => Promise.resolve('nothing'),
    linesOfSymbol: () => Promise.resolve(undefined),
    unsavedText: () => undefined,
    ...change,
  });
  const find = async (
    typed: string,
    own?: ContextSource,
  ): Promise<{ readonly last: readonly string[]; readonly told: readonly boolean[] }> => {
    const mentions = new Mentions({ cwd, ripgrep: new RipgrepLocator(), context: own });
    let last: readonly Completion[] = [];
    const told: boolean[] = [];
    await mentions.find(typed, new AbortController().signal, (found, final) => {
      last = found;
      told.push(final);
    });
    return { last: last.map(({ insert }) => insert), told };
  };

  it('offers files and folders that are not ignored, what is near the root first', async () => {
    const { last } = await find('');
    assert.deepEqual(new Set(last.slice(0, 2)), new Set(['@.gitignore', '@README.md']));
    assert.ok(
      last.includes('@src/') && last.includes('@src/vscode/chat-view.ts') && last.includes('@"docs/my notes.md"'),
    );
    assert.ok(!last.some(insert => insert.includes('node_modules') || insert.includes('.git/')));
  });

  it('offers the sources of the editor without ripgrep, and says what is missing', async () => {
    const nowhere = new RipgrepLocator('/nowhere', {
      ...{ platform: 'linux', arch: 'x64', env: {}, execPath: '/nowhere/node' },
      packaged: () => Promise.resolve(undefined),
    });
    const source: Completion = { kind: 'problems', label: 'problems', detail: '2 errors', insert: '@problems' };
    const own = context({ offers: () => [source] });
    let offered: readonly Completion[] = [];
    await new Mentions({ cwd, ripgrep: nowhere, context: own }).find('', new AbortController().signal, found => {
      offered = found;
    });
    assert.deepEqual(
      offered.map(({ kind, label }) => [kind, label]),
      [
        ['problems', 'problems'],
        ['note', 'No files are listed, because ripgrep was not found'],
      ],
    );
  });

  it('ranks by how well the letters fit the name', async () => {
    assert.deepEqual((await find('main')).last.slice(0, 2), ['@src/main.ts', '@src/main.spec.ts']);
    assert.equal((await find('chv')).last[0], '@src/vscode/chat-view.ts');
    assert.equal((await find('mynot')).last[0], '@"docs/my notes.md"');
    assert.deepEqual((await find('zzzz')).last, []);
  });

  it('shows what is in a folder', async () => {
    assert.deepEqual((await find('src/vsc')).last.slice(0, 2).sort(), ['@src/vscode/', '@src/vscode/chat-view.ts']);
    assert.ok(!(await find('src/')).last.includes('@src/'));
  });

  it('puts open files first, the latest before the others', async () => {
    const open = context({
      openFiles: () => [join(cwd, 'src/agent/domain.ts'), join(cwd, 'README.md'), '/elsewhere/x'],
    });
    assert.deepEqual((await find('', open)).last.slice(0, 2), ['@src/agent/domain.ts', '@README.md']);
    assert.equal((await find('main', open)).last[0], '@src/agent/domain.ts');
  });

  it('offers the sources of the editor before files, and symbols after what was found at once', async () => {
    const source: Completion = { kind: 'problems', label: 'problems', detail: '2 errors', insert: '@problems' };
    const symbol: Completion = { kind: 'symbol', label: 'greet', detail: 'src/main.ts', insert: '@src/main.ts#greet' };
    const asked: string[] = [];
    const own = context({
      offers: () => [source],
      symbols: query => {
        asked.push(query);
        return Promise.resolve([symbol]);
      },
    });
    assert.equal((await find('', own)).last[0], '@problems');
    assert.equal((await find('prob', own)).last[0], '@problems');
    const main = await find('mai', own);
    assert.deepEqual([main.last.at(-1), main.told], ['@src/main.ts#greet', [false, true]]);
    assert.deepEqual(asked, ['prob', 'mai'], 'one letter fits nearly every symbol');
  });

  it('says nothing more once the question is taken back or the list is closed', async () => {
    const mentions = new Mentions({ cwd, ripgrep: new RipgrepLocator(), context: undefined });
    const told: string[] = [];
    const question = new AbortController();
    const first = mentions.find('main', question.signal, () => told.push('first'));
    question.abort();
    await first;
    const second = mentions.find('main', new AbortController().signal, () => told.push('second'));
    mentions.end();
    await second;
    assert.deepEqual(told, []);
    writeFileSync(join(cwd, 'brand-new.txt'), '');
    const seen: string[] = [];
    await mentions.find('brand', new AbortController().signal, found => seen.push(...found.map(one => one.insert)));
    assert.deepEqual(seen, ['@brand-new.txt'], 'the next list sees new files');
    rmSync(join(cwd, 'brand-new.txt'));
  });

  it('gives up while it looks for symbols', async () => {
    const question = new AbortController();
    const told: boolean[] = [];
    const own = context({
      symbols: (_query, signal) => new Promise(resolve => signal.addEventListener('abort', () => resolve([]))),
    });
    const mentions = new Mentions({ cwd, ripgrep: new RipgrepLocator(), context: own });
    await mentions.find('main', question.signal, (_found, final) => {
      told.push(final);
      question.abort();
    });
    assert.deepEqual(told, [false]);
  });

  it('quotes what could not be told from the text around it', () =>
    assert.deepEqual(['a.ts', 'my file.ts', "it's", 'a.', 'a/b/'].map(mentionText), [
      '@a.ts',
      '@"my file.ts"',
      `@"it's"`,
      '@"a."',
      '@a/b/',
    ]));

  it('scores nothing that lacks a letter', () => {
    assert.equal(fuzzyScore('xyz', 'src/main.ts'), undefined);
    assert.ok((fuzzyScore('cv', 'chat-view.ts') ?? 0) > (fuzzyScore('cv', 'archive.ts') ?? 0));
  });

  it('says what words name, each thing once, and nothing of other words', async () => {
    const mentions = new Mentions({ cwd, ripgrep: new RipgrepLocator(), context: context() });
    const words = ['nobody', 'src/main.ts', './src/main.ts', 'src/main.ts:3-8', 'docs/my notes.md', 'src/', 'src'];
    const path = (below: string): string => join(cwd, below);
    assert.deepEqual(await mentions.named([...words.map(word => [word]), ['README.md,', 'README.md'], ['diff']]), [
      { name: 'src/main.ts', kind: 'file', path: path('src/main.ts') },
      { name: 'src/main.ts:3-8', kind: 'file', path: path('src/main.ts'), line: 3 },
      { name: 'docs/my notes.md', kind: 'file', path: path('docs/my notes.md') },
      { name: 'src/', kind: 'folder', path: path('src') },
      { name: 'README.md', kind: 'file', path: path('README.md') },
      { name: 'diff', kind: 'diff' },
    ]);
  });

  describe('of what is dropped', () => {
    it('names files and folders as a person would type them, wherever the window is', async () => {
      const uris = [
        pathToFileURL(join(cwd, 'src', 'main.ts')).href,
        `vscode-remote://ssh-remote%2Bbox${pathToFileURL(join(cwd, 'docs', 'my notes.md')).pathname}`,
        pathToFileURL(join(cwd, 'src')).href,
        pathToFileURL(join(cwd, 'src', 'main.ts')).href,
      ];
      const { text, problems } = await mentionsOf(uris, cwd);
      assert.equal(text, '@src/main.ts @"docs/my notes.md" @src/ ');
      assert.deepEqual(problems, []);
    });

    it('names what is no file here', async () => {
      const { text, problems } = await mentionsOf(['https://example.org/a', 'file:///nowhere/at/all', 'nonsense'], cwd);
      assert.equal(text, '');
      assert.deepEqual(problems.length, 3);
      assert.match(problems[0] ?? '', /https:\/\/example\.org\/a cannot be attached/);
    });

    it('takes a file outside of the folder by its whole path, and says where it stops', async () => {
      const { text } = await mentionsOf([pathToFileURL(import.meta.filename).href], join(cwd, 'src'));
      assert.match(text, /^@"?\//);
      const many = Array.from({ length: 60 }, () => pathToFileURL(join(cwd, 'README.md')).href);
      assert.deepEqual((await mentionsOf(many, cwd)).problems, ['Only the first 50 of 60 files were attached.']);
    });
  });
});
