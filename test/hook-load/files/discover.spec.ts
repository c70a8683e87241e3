import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import {
  discoverHooks,
  resolveHookPath,
  type DiscoverOptions,
  type HookFile,
} from '../../../src/hook-load/files/discover';
import { TempFiles } from '../support/temp-files';
import { itWith } from '../../support/platform';

describe('discoverHooks', () => {
  let files: TempFiles;
  const given = (texts: Readonly<Record<string, string>>): void => {
    files = new TempFiles(texts);
  };
  const discover = (options: Partial<DiscoverOptions> = {}) =>
    discoverHooks({
      agentDir: files.path('home', '.pi', 'agent'),
      cwd: files.path('work'),
      home: files.path('home'),
      includeProject: true,
      ...options,
    });
  const within = (path: string): string => relative(files.root, path).replaceAll(sep, '/');
  const listed = (found: { readonly files: readonly HookFile[] }): string[] =>
    found.files.map(file => `${file.group} ${file.origin} ${within(file.path)}`);
  afterEach(() => files.remove());

  it('lists hooks, then extensions, in order, names sorted', () => {
    given({
      'home/.pi/agent/hooks/b.ts': '',
      'home/.pi/agent/hooks/a.ts': '',
      'home/.pi/agent/extensions/g.ts': '',
      'work/.pi/hooks/p.ts': '',
      'work/.pi/extensions/e.js': '',
      'work/set.ts': '',
      'work/cli.ts': '',
      'work/ext.ts': '',
      'work/cli-ext.ts': '',
    });
    const found = discover({
      settingsPaths: [
        { path: './set.ts', from: 'hooks in settings.json' },
        { path: './ext.ts', from: 'extensions in settings.json', group: 'extensions' },
      ],
      explicit: ['cli.ts', { path: 'cli-ext.ts', from: '-e', group: 'extensions' }],
    });
    assert.deepEqual(listed(found), [
      'hooks global home/.pi/agent/hooks/a.ts',
      'hooks global home/.pi/agent/hooks/b.ts',
      'hooks workspace work/.pi/hooks/p.ts',
      'hooks settings work/set.ts',
      'hooks explicit work/cli.ts',
      'extensions workspace work/.pi/extensions/e.js',
      'extensions global home/.pi/agent/extensions/g.ts',
      'extensions settings work/ext.ts',
      'extensions explicit work/cli-ext.ts',
    ]);
    assert.deepEqual(found.problems, []);
  });

  it('takes only *.ts from hooks/, without folders and declarations', () => {
    given({
      'work/.pi/hooks/a.ts': '',
      'work/.pi/hooks/b.js': '',
      'work/.pi/hooks/c.d.ts': '',
      'work/.pi/hooks/d.ts.bak': '',
      'work/.pi/hooks/sub/e.ts': '',
      'work/.pi/hooks/folder.ts/x.ts': '',
      'work/.pi/hooks/README.md': '',
    });
    assert.deepEqual(listed(discover()), ['hooks workspace work/.pi/hooks/a.ts']);
  });

  it('takes *.ts, *.js and one level of folders from extensions/', () => {
    given({
      'work/.pi/extensions/a.ts': '',
      'work/.pi/extensions/b.js': '',
      'work/.pi/extensions/c.mjs': '',
      'work/.pi/extensions/c.d.ts': '',
      'work/.pi/extensions/declared/package.json': '{ "pi": { "extensions": ["./src/two.ts", "one.js", "gone.ts"] } }',
      'work/.pi/extensions/declared/src/two.ts': '',
      'work/.pi/extensions/declared/one.js': '',
      'work/.pi/extensions/declared/index.ts': '',
      'work/.pi/extensions/empty/package.json': '{ "name": "x" }',
      'work/.pi/extensions/empty/index.js': '',
      'work/.pi/extensions/index/index.ts': '',
      'work/.pi/extensions/index/index.js': '',
      'work/.pi/extensions/none/other.ts': '',
      'work/.pi/extensions/deep/er/index.ts': '',
      'work/.pi/extensions/torn/package.json': '{ "pi": ',
      'work/.pi/extensions/torn/index.ts': '',
    });
    const found = discover();
    assert.deepEqual(listed(found), [
      'extensions workspace work/.pi/extensions/a.ts',
      'extensions workspace work/.pi/extensions/b.js',
      'extensions workspace work/.pi/extensions/declared/src/two.ts',
      'extensions workspace work/.pi/extensions/declared/one.js',
      'extensions workspace work/.pi/extensions/empty/index.js',
      'extensions workspace work/.pi/extensions/index/index.ts',
      'extensions workspace work/.pi/extensions/torn/index.ts',
    ]);
    const [gone, torn] = found.problems;
    assert.equal(gone?.message, '"pi.extensions" names a file that does not exist: gone.ts');
    assert.equal(gone.file, files.path('work/.pi/extensions/declared/package.json'));
    assert.match(torn?.message ?? '', /^package\.json cannot be read: /);
    assert.equal(found.problems.length, 2);
  });

  itWith('links', 'lists a file once, at its first place, also when reached through a link', () => {
    given({ 'home/.pi/agent/hooks/a.ts': '', 'work/.pi/hooks/.keep': '' });
    symlinkSync(files.path('home/.pi/agent/hooks/a.ts'), files.path('work/.pi/hooks/link.ts'));
    const settingsPaths = [{ path: '~/.pi/agent/hooks/../hooks/a.ts', from: 'hooks in settings.json' }];
    assert.deepEqual(listed(discover({ settingsPaths })), ['hooks global home/.pi/agent/hooks/a.ts']);
  });

  itWith('links', 'follows links, and tells of one that points nowhere', () => {
    given({ 'elsewhere/real.ts': '', 'work/.pi/hooks/.keep': '' });
    symlinkSync(files.path('elsewhere/real.ts'), files.path('work/.pi/hooks/link.ts'));
    symlinkSync(files.path('elsewhere/gone.ts'), files.path('work/.pi/hooks/broken.ts'));
    const found = discover();
    assert.deepEqual(listed(found), ['hooks workspace elsewhere/real.ts']);
    assert.equal(found.files[0]?.entry, files.path('work/.pi/hooks/link.ts'));
    assert.deepEqual(found.problems, [
      { message: 'The symbolic link points to nothing.', file: files.path('work/.pi/hooks/broken.ts') },
    ]);
  });

  itWith(
    'links',
    'tells of a folder that is a link to itself or to nothing, and of such links among the hooks of other tools',
    () => {
      given({ 'home/.pi/agent/.keep': '', 'work/.pi/.keep': '', 'work/.omp/hooks/pre/.keep': '' });
      const links = [
        ['work/.pi/hooks', 'hooks'],
        ['work/.pi/extensions', 'gone'],
        ['home/.pi/agent/hooks', 'hooks'],
        ['work/.omp/hooks/pre/gate.ts', 'gate.ts'],
      ] as const;
      for (const [link, target] of links) symlinkSync(target, files.path(link));
      assert.deepEqual(
        discover()
          .problems.map(({ message, file }) => [message, file])
          .sort(),
        links.map(([link]) => ['The symbolic link points to nothing.', files.path(link)]).sort(),
      );
    },
  );

  it('names the setting of a path that does not exist', () => {
    given({});
    const from = 'hooks in /home/me/.pi/agent/settings.json';
    const { problems } = discover({ settingsPaths: [{ path: '~/no.ts', from }], explicit: ['no.ts'] });
    assert.deepEqual(problems, [
      { message: `${from} names a path that does not exist: ~/no.ts`, file: files.path('home/no.ts') },
      {
        message: `--hook names a path that does not exist: ${files.path('work/no.ts')}`,
        file: files.path('work/no.ts'),
      },
    ]);
  });

  it('takes a configured folder as what its group makes of it', () => {
    given({
      'work/h/a.ts': '',
      'work/h/b.js': '',
      'work/e/index.ts': '',
      'work/many/x.ts': '',
      'work/many/y/index.js': '',
    });
    const extension = (path: string) => ({ path, from: 'x', group: 'extensions' as const });
    const settingsPaths = [{ path: 'h', from: 'x' }, extension('e'), extension('many')];
    assert.deepEqual(listed(discover({ settingsPaths })), [
      'hooks settings work/h/a.ts',
      'extensions settings work/e/index.ts',
      'extensions settings work/many/x.ts',
      'extensions settings work/many/y/index.js',
    ]);
  });

  it('reads lists of extensions from the folder of their file, with their rules about what is found', () => {
    given({
      'home/.pi/agent/extensions/a.ts': '',
      'home/.pi/agent/extensions/b.ts': '',
      'home/.pi/agent/mine/c.ts': '',
      'home/.pi/agent/mine/d/index.ts': '',
      'work/.pi/extensions/a.ts': '',
      'work/.pi/extensions/e/index.ts': '',
      'work/.pi/own.ts': '',
      'work/own.ts': '',
    });
    const list = (folder: string, scope: 'user' | 'project', ...entries: string[]) => ({
      entries,
      scope,
      base: files.path(folder),
      from: files.path(folder, 'settings.json'),
    });
    const found = discover({
      extensionLists: [
        list('work/.pi', 'project', 'own.ts', 'gone.ts', '!extensions/e/*'),
        list('home/.pi/agent', 'user', 'mine', '-mine/c.ts', '-extensions/a.ts', '!nothing'),
      ],
    });
    assert.deepEqual(listed(found), [
      'extensions workspace work/.pi/extensions/a.ts',
      'extensions global home/.pi/agent/extensions/b.ts',
      'extensions settings work/.pi/own.ts',
      'extensions settings home/.pi/agent/mine/d/index.ts',
    ]);
    const from = `extensions in ${files.path('work/.pi/settings.json')}`;
    assert.deepEqual(found.problems, [
      { message: `${from} names a path that does not exist: gone.ts`, file: files.path('work/.pi/gone.ts') },
    ]);
  });

  it('looks at nothing of the project without trust, or without a folder', () => {
    given({ 'work/.pi/hooks/a.ts': '', 'work/.pi/extensions/a.ts': '', 'work/.omp/hooks/pre/a.ts': '' });
    assert.deepEqual(discover({ includeProject: false }), { files: [], problems: [] });
    assert.deepEqual(
      discoverHooks({ agentDir: files.path('x'), home: files.path('x'), includeProject: true }).files,
      [],
    );
  });

  itWith('links', 'takes nothing from the folder without trust, whoever names it, except what is named by hand', () => {
    given({
      'home/.pi/agent/hooks/mine.ts': '',
      'home/.pi/agent/extensions/mine.ts': '',
      'work/.pi/hooks/evil.ts': '',
      'work/.pi/extensions/evil.ts': '',
      'work/manifest/package.json': '{"pi":{"extensions":["../../elsewhere/evil.ts"]}}',
      'work/by-hand.ts': '',
      'elsewhere/evil.ts': '',
      'elsewhere/fine.ts': '',
      'workshop/fine.ts': '',
    });
    symlinkSync(files.path('work', '.pi', 'hooks', 'evil.ts'), files.path('home', '.pi', 'agent', 'hooks', 'link.ts'));
    symlinkSync(files.path('work'), files.path('elsewhere', 'link'));
    const from = 'hooks in ~/.pi/agent/settings.json';
    const found = discover({
      includeProject: false,
      explicit: ['by-hand.ts'],
      settingsPaths: [
        { path: '.pi/hooks', from },
        { path: '.pi/hooks/evil.ts', from },
        { path: files.path('elsewhere', 'link', '.pi', 'hooks'), from },
        { path: files.path('elsewhere', 'fine.ts'), from },
        { path: '../workshop', from },
        { path: '.pi/extensions', from, group: 'extensions' },
        { path: 'manifest', from, group: 'extensions' },
      ],
    });
    assert.deepEqual(listed(found), [
      'hooks global home/.pi/agent/hooks/mine.ts',
      'hooks settings elsewhere/fine.ts',
      'hooks settings workshop/fine.ts',
      'hooks explicit work/by-hand.ts',
      'extensions global home/.pi/agent/extensions/mine.ts',
    ]);
  });

  it("takes the person's own hooks without trust, even when their home folder is the folder that is open", () => {
    given({ 'home/.pi/agent/hooks/mine.ts': '', 'home/.pi/hooks/other.ts': '' });
    assert.deepEqual(listed(discover({ cwd: files.path('home'), includeProject: false })), [
      'hooks global home/.pi/agent/hooks/mine.ts',
    ]);
  });

  itWith('links', 'tells what is there but cannot be looked at', () => {
    given({ 'work/.pi/keep': '' });
    const folder = files.path('work', '.pi', 'hooks');
    // A link to a name longer than any system allows cannot be followed by anybody, whatever their rights are.
    symlinkSync('x'.repeat(300), folder);
    const found = discover();
    assert.deepEqual(found.unreadable, [folder]);
    assert.equal(found.problems[0]?.file, folder);
    assert.match(found.problems[0].message, /^Hookline cannot look for hooks here: ENAMETOOLONG/);
  });

  it('tells of a manifest that is half written', () => {
    given({ 'work/.pi/extensions/guard/package.json': '{"pi":{"ext', 'work/.pi/extensions/guard/main.ts': '' });
    assert.deepEqual(discover().unreadable, [files.path('work', '.pi', 'extensions', 'guard')]);
  });

  it('marks what is switched off', () => {
    given({ 'work/.pi/hooks/a.ts': '', 'work/.pi/hooks/b.ts': '' });
    const found = discover({ disabled: ['.pi/hooks/a.ts'] });
    assert.deepEqual(
      found.files.map(file => file.disabled),
      [true, undefined],
    );
  });

  it("lists other tools' scripts as never executed (D29), and oh-my-pi's modules as hooks", () => {
    given({
      'work/.omp/hooks/pre/gate.ts': '',
      'work/.omp/hooks/post/log.sh': '',
      'work/.claude/hooks/pre/bash.py': '',
      'home/.omp/agent/hooks/post/g.js': '',
    });
    assert.deepEqual(
      discover().files.map(file => [within(file.path), file.unsupported?.split(':')[0]]),
      [
        ['home/.omp/agent/hooks/post/g.js', undefined],
        ['work/.omp/hooks/pre/gate.ts', undefined],
        ['work/.omp/hooks/post/log.sh', 'Failed to load hook'],
        ['work/.claude/hooks/pre/bash.py', 'Failed to load hook'],
      ],
    );
  });

  it("reports modules directly in oh-my-pi's folders, which it does not load, and nothing else there", () => {
    given({
      'work/.omp/hooks/gate.ts': '',
      'work/.omp/hooks/types.d.ts': '',
      'work/.omp/hooks/notes.md': '',
      'work/.omp/hooks/run.sh': '',
      'work/.omp/hooks/lib/helper.ts': '',
      'work/.omp/hooks/pre/ok.ts': '',
      'work/.claude/hooks/check.js': '',
      'home/.omp/agent/hooks/mine.mjs': '',
    });
    const found = discover();
    assert.deepEqual(
      found.problems.map(({ file = '', message }) => [within(file), message.split(':')[0]]),
      [
        ['home/.omp/agent/hooks/mine.mjs', 'This file is not loaded'],
        ['work/.omp/hooks/gate.ts', 'This file is not loaded'],
      ],
    );
    assert.deepEqual(
      found.files.map(file => within(file.path)),
      ['work/.omp/hooks/pre/ok.ts'],
    );
    assert.deepEqual(discover({ includeProject: false }).problems.length, 1);
  });

  it('finds files in folders with spaces and letters of other scripts', () => {
    given({ 'wörk 日本/.pi/hooks/ä b.ts': '' });
    assert.deepEqual(listed(discover({ cwd: files.path('wörk 日本') })), [
      'hooks workspace wörk 日本/.pi/hooks/ä b.ts',
    ]);
  });
});

describe('resolveHookPath', () => {
  it('expands ~, plain and Unicode spaces, and relative paths', () => {
    const resolved = (path: string): string => resolveHookPath(path, '/work', '/home/me');
    assert.equal(resolved('~'), '/home/me');
    assert.equal(resolved('~/a.ts'), join('/home/me/a.ts'));
    assert.equal(resolved('~a.ts'), resolve('/work/~a.ts'));
    assert.equal(resolved(' ./a.ts '), resolve('/work/a.ts'));
    assert.equal(resolved('/x/a\u00a0b\u202fc.ts'), resolve('/x/a b c.ts'));
    assert.equal(resolveHookPath('a.ts', undefined, '/home/me'), resolve('/home/me/a.ts'));
  });
});
