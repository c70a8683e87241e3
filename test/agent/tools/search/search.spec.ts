import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createFindTool } from '../../../../src/agent/tools/search/find';
import { createGrepTool, type GrepToolDetails } from '../../../../src/agent/tools/search/grep';
import { createLsTool, type LsToolDetails } from '../../../../src/agent/tools/files/ls';
import {
  RipgrepLocator,
  vscodeRipgrepCandidates,
  type RipgrepMachine,
} from '../../../../src/agent/tools/search/ripgrep';
import type { TempFolder } from '../fixture';
import { call, inFolder, textFrom, textOf } from '../fixture';
import { itOnPosix, itWith } from '../../../support/platform';

const ripgrep = new RipgrepLocator();

/** A machine on which only the folders of `path` may have ripgrep. */
function machineWith(path: string): RipgrepMachine {
  const packaged = (): Promise<undefined> => Promise.resolve(undefined);
  return { platform: 'linux', arch: 'x64', env: { PATH: path }, execPath: '/nowhere/bin/node', packaged };
}

describe('RipgrepLocator', () => {
  it('finds the program of the installed package', async () => assert.match(await ripgrep.locate(), /rg/));

  itOnPosix('takes the program of VS Code before one on PATH, and only what can be run', () =>
    inFolder({ 'bin/rg': '', 'plain/rg': '', 'app/node_modules/@vscode/ripgrep/bin/rg': '' }, async folder => {
      const inVscode = join(folder.path, 'app/node_modules/@vscode/ripgrep/bin/rg');
      const machine = machineWith(`${folder.path}/plain:${folder.path}/bin`);
      chmodSync(join(folder.path, 'bin/rg'), 0o755);
      assert.equal(await new RipgrepLocator(`${folder.path}/app`, machine).locate(), join(folder.path, 'bin/rg'));
      chmodSync(inVscode, 0o755);
      assert.equal(await new RipgrepLocator(`${folder.path}/app`, machine).locate(), inVscode);
      for (const execPath of ['app/node', 'helper/a/b/c/Code', 'code']) {
        const root = { 'app/node': 'app', code: 'resources/app' }[execPath] ?? 'Resources/app';
        const program = `${root}/node_modules/@vscode/ripgrep/bin/rg`;
        folder.put(program, '');
        chmodSync(join(folder.path, program), 0o755);
        const started = { ...machine, execPath: join(folder.path, execPath) };
        assert.equal(await new RipgrepLocator(undefined, started).locate(), join(folder.path, program), execPath);
      }
    }),
  );

  it('knows where VS Code keeps it', () => {
    const linux = vscodeRipgrepCandidates('/app', { platform: 'linux', arch: 'x64' });
    assert.ok(linux.includes('/app/node_modules/@vscode/ripgrep/bin/rg'));
    assert.ok(linux.includes('/app/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg'));
    const windows = vscodeRipgrepCandidates('C:\\app', { platform: 'win32', arch: 'arm64' });
    assert.ok(windows.includes('C:\\app\\node_modules.asar.unpacked\\@vscode\\ripgrep\\bin\\rg.exe'));
    assert.ok(windows.includes('C:\\app\\node_modules\\@vscode\\ripgrep-universal\\bin\\win32-arm64\\rg.exe'));
  });

  itOnPosix('lets find and grep say where it was looked for and what to do, until it is installed', () =>
    inFolder({ 'a.txt': 'needle', 'bin/': '' }, async folder => {
      const locator = new RipgrepLocator('/nowhere/app', machineWith(`${folder.path}/bin`));
      const message =
        'Cannot search: ripgrep (rg) was not found. Looked for it in VS Code (/nowhere/app), in the folders of PATH and in the ' +
        'npm package @vscode/ripgrep. Install ripgrep so that `rg` is on PATH, then search again.';
      const find = createFindTool(folder.path, { ripgrep: locator });
      await assert.rejects(call(find, { pattern: '*.txt' }), { message });
      await assert.rejects(call(createGrepTool(folder.path, { ripgrep: locator }), { pattern: 'needle' }), { message });
      symlinkSync(await ripgrep.locate(), join(folder.path, 'bin/rg'));
      assert.equal(await textFrom(find, { pattern: '*.txt' }), 'a.txt');
    }),
  );

  itOnPosix('looks again when the program is gone, and lets a search say that it cannot be started', () =>
    inFolder({ 'first/rg': '', 'second/': '', 'a.txt': 'needle' }, async folder => {
      chmodSync(join(folder.path, 'first/rg'), 0o755);
      const locator = new RipgrepLocator('/nowhere', machineWith(`${folder.path}/first:${folder.path}/second`));
      const grep = createGrepTool(folder.path, { ripgrep: locator });
      await locator.locate();
      rmSync(join(folder.path, 'first/rg'));
      symlinkSync(await ripgrep.locate(), join(folder.path, 'second/rg'));
      assert.equal(await textFrom(grep, { pattern: 'needle' }), 'a.txt:1: needle');
      // A folder is "executable" and cannot be run.
      mkdirSync(join(folder.path, 'first/rg'));
      const broken = new RipgrepLocator('/nowhere', machineWith(`${folder.path}/first`));
      await assert.rejects(call(createFindTool(folder.path, { ripgrep: broken }), { pattern: '*' }), {
        message: /^Cannot search: ripgrep \(.*first\/rg\) could not be started: /,
      });
    }),
  );
});

describe('grep', () => {
  const grep = (folder: TempFolder): ReturnType<typeof createGrepTool> => createGrepTool(folder.path, { ripgrep });

  it('prints file, line and text in order', () =>
    inFolder({ 'b.txt': 'x\nfoo ü\r\nfoo', 'a/c d.txt': 'foo', '.hidden': 'foo', '.git/x': 'foo' }, async folder => {
      assert.equal(
        await textFrom(grep(folder), { pattern: 'foo' }),
        '.hidden:1: foo\na/c d.txt:1: foo\nb.txt:2: foo ü\nb.txt:3: foo',
      );
      assert.equal(await textFrom(grep(folder), { pattern: 'foo$', path: 'b.txt' }), 'b.txt:3: foo');
      assert.equal(await textFrom(grep(folder), { pattern: 'foo', path: 'a' }), 'c d.txt:1: foo');
      assert.equal(await textFrom(grep(folder), { pattern: 'nothing' }), 'No matches found');
      assert.equal((await call(grep(folder), { pattern: 'foo' })).details, undefined);
    }));

  it('takes regular expressions, plain text, either case', () =>
    inFolder({ f: 'a.b\naxb\nA.B\n-e x' }, async folder => {
      assert.equal(await textFrom(grep(folder), { pattern: 'a.b' }), 'f:1: a.b\nf:2: axb');
      assert.equal(await textFrom(grep(folder), { pattern: 'a.b', literal: true }), 'f:1: a.b');
      assert.equal(
        await textFrom(grep(folder), { pattern: 'a.b', literal: true, ignoreCase: true }),
        'f:1: a.b\nf:3: A.B',
      );
      assert.equal(await textFrom(grep(folder), { pattern: '-e' }), 'f:4: -e x');
      assert.equal(await textFrom(grep(folder), { pattern: '(?<=a)x' }), 'f:2: axb');
      assert.equal(await textFrom(grep(folder), { pattern: '(?i)a\\.b' }), 'f:1: a.b\nf:3: A.B');
    }));

  it('names an invalid pattern or glob', () =>
    inFolder({ f: 'x' }, async folder => {
      await assert.rejects(call(grep(folder), { pattern: 'a(b' }), /a\(b/);
      await assert.rejects(call(grep(folder), { pattern: 'x', glob: '[a' }), {
        message: "Invalid glob pattern '[a': a bracket is not closed",
      });
      await assert.rejects(call(grep(folder), { pattern: 'x', path: 'none' }), {
        message: `Path not found: ${join(folder.path, 'none')}`,
      });
    }));

  it('says why a pattern with a line end finds nothing, and nothing of it for other patterns', () =>
    inFolder({ 'a.txt': 'one\ntwo\\n\n' }, async folder => {
      const why = /^No matches found\. The pattern has a line end, and grep looks at one line at a time\./;
      for (const pattern of ['one\\ntwo', 'one\ntwo', 'one\\r?\\ntwo', 'x\\\\\\n', '(one\\n|x)y']) {
        assert.match(await textFrom(grep(folder), { pattern }), why, pattern);
      }
      assert.match(await textFrom(grep(folder), { pattern: 'one\ntwo', literal: true }), why);
      for (const pattern of ['x\\\\n', 'x[^\\n]*', 'x[^\\]\\n]*', '\\\\\\\\n']) {
        assert.equal(await textFrom(grep(folder), { pattern }), 'No matches found', pattern);
      }
      assert.equal(await textFrom(grep(folder), { pattern: 'x\\n', literal: true }), 'No matches found');
      assert.match(await textFrom(grep(folder), { pattern: 'one\\n|two' }), /a\.txt:2: two/);
    }));

  it('finds folders whose names have brackets by a glob with these brackets', () =>
    inFolder({ 'app/[id]/page.ts': 'x', 'app/[id]/[...slug].ts': 'x', 'app/i/page.ts': 'x' }, async folder => {
      assert.deepEqual((await textFrom(grep(folder), { pattern: 'x', glob: 'app/[id]/**' })).split('\n'), [
        'app/[id]/[...slug].ts:1: x',
        'app/[id]/page.ts:1: x',
        'app/i/page.ts:1: x',
      ]);
      const slug = 'app/[id]/[...slug].ts:1: x';
      assert.equal(await textFrom(grep(folder), { pattern: 'x', glob: '[...slug].ts' }), slug);
      assert.equal(await textFrom(grep(folder), { pattern: 'x', glob: '!page.ts' }), slug);
      assert.equal(await textFrom(grep(folder), { pattern: 'x', glob: '![id]' }), 'No matches found');
    }));

  it('shows context once, with dashes', () =>
    inFolder({ f: '1\n2\nhit\n4\nhit\n6\n7\n8\nhit' }, async folder =>
      assert.equal(
        await textFrom(grep(folder), { pattern: 'hit', context: 1 }),
        'f-2- 2\nf:3: hit\nf-4- 4\nf:5: hit\nf-6- 6\nf-8- 8\nf:9: hit',
      ),
    ));

  it('stops at the limit, over all files, and says so only when there is more', () =>
    inFolder({ 'a.txt': 'hit\nhit\n', 'b.txt': 'x\nhit\nhit\n', 'c.txt': 'x' }, async folder => {
      const result = await call(grep(folder), { pattern: 'hit', limit: 3 });
      assert.equal(
        textOf(result),
        'a.txt:1: hit\na.txt:2: hit\nb.txt:2: hit\n\n[3 matches limit reached. Use limit=6 for more, or refine pattern]',
      );
      assert.deepEqual(result.details, { matchLimitReached: 3 });
      assert.equal((await call(grep(folder), { pattern: 'hit', limit: 4 })).details, undefined);
      assert.equal(
        await textFrom(grep(folder), { pattern: 'hit', limit: 1, context: 1 }),
        'a.txt:1: hit\na.txt-2- hit\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]',
      );
    }));

  it('has a limit of 100, and shows exactly 100 without a notice', () =>
    inFolder({ 'a.txt': 'hit\n'.repeat(60), 'b.txt': 'hit\n'.repeat(40) }, async folder => {
      assert.equal((await textFrom(grep(folder), { pattern: 'hit' })).split('\n').length, 100);
      folder.put('b.txt', 'hit\n'.repeat(41));
      const text = await textFrom(grep(folder), { pattern: 'hit' });
      assert.match(
        text,
        /\nb\.txt:40: hit\n\n\[100 matches limit reached\. Use limit=200 for more, or refine pattern\]$/,
      );
    }));

  it('cuts long lines to 500 characters', () =>
    inFolder({ f: `${'x'.repeat(5_000_000)} needle\nshort needle ${'€'.repeat(486)}` }, async folder => {
      const result = await call(grep(folder), { pattern: 'needle', context: 1 });
      assert.equal(
        textOf(result),
        `f:1: ${'x'.repeat(500)}... [truncated]\nf:2: short needle ${'€'.repeat(486)}\n\n` +
          '[Some lines truncated to 500 chars. Use read tool to see full lines]',
      );
      assert.deepEqual(result.details, { linesTruncated: true });
    }));

  it('finds a line that is read in many pieces, and the line after it', () =>
    inFolder({ f: `${'€'.repeat(1_000_000)}${'\r€'.repeat(100_000)}end\r\nnext\r\n` }, async folder => {
      const found = (await textFrom(grep(folder), { pattern: '€end|^next' })).split('\n');
      assert.deepEqual([found[0]?.slice(0, 8), found[1]], ['f:1: €€€', 'f:2: next']);
    }));

  it('stops at 50 KB, at whole lines', () =>
    inFolder({ f: `${'y'.repeat(400)}\n`.repeat(300) }, async folder => {
      const result = await call(grep(folder), { pattern: 'y', limit: 1000 });
      assert.match(textOf(result), /y\n\n\[50\.0KB limit reached\]$/);
      assert.equal((result.details as GrepToolDetails).truncation?.totalLines, 300);
    }));

  it('honours .gitignore, also when a glob is given', () =>
    inFolder(
      {
        '.gitignore': '*.log\n/out/\n',
        'a.log': 'hit',
        'out/b.txt': 'hit',
        'src/c.ts': 'hit',
        'src/d.js': 'hit',
        'e.ts': 'hit',
      },
      async folder => {
        const all = { pattern: 'hit' };
        assert.equal(await textFrom(grep(folder), all), 'e.ts:1: hit\nsrc/c.ts:1: hit\nsrc/d.js:1: hit');
        assert.equal(await textFrom(grep(folder), { ...all, glob: '*.log' }), 'No matches found');
        assert.equal(await textFrom(grep(folder), { ...all, glob: '*.ts' }), 'e.ts:1: hit\nsrc/c.ts:1: hit');
        assert.equal(
          await textFrom(grep(folder), { ...all, glob: 'src/**/*.{ts,js}' }),
          'src/c.ts:1: hit\nsrc/d.js:1: hit',
        );
        assert.equal(await textFrom(grep(folder), { ...all, glob: '!*.ts' }), 'src/d.js:1: hit');
        assert.equal(await textFrom(grep(folder), { ...all, path: 'a.log' }), 'a.log:1: hit');
      },
    ));

  it('leaves out what is below a folder that `!` names, at any depth', () =>
    inFolder(
      { 'dist/a.js': 'hit', 'src/dist/b.js': 'hit', 'src/c.js': 'hit', 'src/dist.js': 'hit', 'x/dist': 'hit' },
      async folder => {
        const without = (glob: string): Promise<string> => textFrom(grep(folder), { pattern: 'hit', glob });
        assert.equal(await without('!dist'), 'src/c.js:1: hit\nsrc/dist.js:1: hit');
        assert.equal(await without('!dist/'), 'src/c.js:1: hit\nsrc/dist.js:1: hit\nx/dist:1: hit');
        assert.equal(
          await without('!src/dist'),
          'dist/a.js:1: hit\nsrc/c.js:1: hit\nsrc/dist.js:1: hit\nx/dist:1: hit',
        );
        assert.equal(await without('!{src,x}/**'), 'dist/a.js:1: hit');
      },
    ));

  it('passes over binary files and files it may not read', () =>
    inFolder(
      { bin: Buffer.from('hit\0hit'), 'a.txt': 'hit', 'z.bin': Buffer.from([0, 1, 0x68, 0x69, 0x74]) },
      async folder => {
        assert.equal(await textFrom(grep(folder), { pattern: 'hit', glob: '*.txt' }), 'a.txt:1: hit');
        assert.match(await textFrom(grep(folder), { pattern: 'hit' }), /^a\.txt:1: hit/);
        assert.equal(await textFrom(grep(folder), { pattern: 'hit', path: 'z.bin' }), 'No matches found');
      },
    ));

  it('ends with "Operation aborted"', () =>
    inFolder({ f: 'x' }, async folder => {
      const controller = new AbortController();
      const running = call(grep(folder), { pattern: 'x' }, { signal: controller.signal });
      controller.abort();
      await assert.rejects(running, { message: 'Operation aborted' });
      await assert.rejects(call(grep(folder), { pattern: 'x' }, { signal: AbortSignal.abort() }), {
        message: 'Operation aborted',
      });
    }));
});

describe('find', () => {
  const find = (folder: TempFolder): ReturnType<typeof createFindTool> => createFindTool(folder.path, { ripgrep });

  it('matches a pattern with folders from the folder that is searched, as pi does', () =>
    inFolder({ 'src/a.ts': '', 'app/src/b.ts': '', 'app/src/x/c.ts': '', 'other/src.ts': '' }, async folder => {
      for (const pattern of ['src/*.ts', '/src/*.ts', './src/*.ts', `${folder.path}/src/*.ts`]) {
        assert.equal(await textFrom(find(folder), { pattern }), 'src/a.ts', pattern);
      }
      assert.equal(await textFrom(find(folder), { pattern: '**/src/*.ts' }), 'app/src/b.ts\nsrc/a.ts');
      assert.equal(await textFrom(find(folder), { pattern: 'x/c.ts' }), 'No files found matching pattern');
      assert.equal(await textFrom(find(folder), { pattern: 'app/{src,x}/[bc].ts' }), 'app/src/b.ts');
      assert.equal(await textFrom(find(folder), { pattern: 'app/src/' }), 'app/src/');
      assert.equal(await textFrom(find(folder), { pattern: './src.ts' }), 'other/src.ts');
    }));

  it('matches names anywhere and paths from the folder', () =>
    inFolder(
      { 'a.ts': '', 'src/b.ts': '', 'src/x y/ü.ts': '', 'src/c.js': '', '.hid/d.ts': '', '.git/e.ts': '' },
      async folder => {
        assert.equal(await textFrom(find(folder), { pattern: '*.ts' }), '.hid/d.ts\na.ts\nsrc/b.ts\nsrc/x y/ü.ts');
        assert.equal(await textFrom(find(folder), { pattern: 'src/*.ts' }), 'src/b.ts');
        assert.equal(await textFrom(find(folder), { pattern: 'src/**/*.ts' }), 'src/b.ts\nsrc/x y/ü.ts');
        assert.equal(await textFrom(find(folder), { pattern: '*.ts', path: 'src' }), 'b.ts\nx y/ü.ts');
        assert.equal(await textFrom(find(folder), { pattern: '*.none' }), 'No files found matching pattern');
        assert.equal((await call(find(folder), { pattern: '*.ts' })).details, undefined);
      },
    ));

  it('finds what has brackets in its name by a pattern with these brackets', () =>
    inFolder({ 'app/[id]/page.ts': '', 'app/[userId]/x.ts': '' }, async folder => {
      assert.equal(await textFrom(find(folder), { pattern: '[id]/**', path: 'app' }), '[id]/page.ts');
      assert.equal(await textFrom(find(folder), { pattern: '[userId]' }), 'app/[userId]/');
    }));

  it('finds folders too, marked with a slash; small letters match any case', () =>
    inFolder({ 'Docs/README.md': '', 'docs.md': '' }, async folder => {
      assert.equal(await textFrom(find(folder), { pattern: 'docs*' }), 'Docs/\ndocs.md');
      assert.equal(await textFrom(find(folder), { pattern: 'docs/' }), 'Docs/');
      assert.equal(await textFrom(find(folder), { pattern: 'README*' }), 'Docs/README.md');
      assert.equal(await textFrom(find(folder), { pattern: 'Readme*' }), 'No files found matching pattern');
    }));

  it('honours ignore files, nested and re-including ones', () =>
    inFolder(
      {
        '.gitignore': '*.log\nnode_modules/\n',
        'a.log': '',
        'x/.gitignore': '!keep.log\n',
        'x/keep.log': '',
        'node_modules/y/b.txt': '',
        'c.txt': '',
      },
      async folder => {
        assert.equal(
          await textFrom(find(folder), { pattern: '**' }),
          '.gitignore\nc.txt\nx/\nx/.gitignore\nx/keep.log',
        );
        assert.equal(await textFrom(find(folder), { pattern: '*.txt', path: 'node_modules/y' }), 'b.txt');
      },
    ));

  it('stops at 1000 results, and shows exactly 1000 without a notice', () =>
    inFolder({}, async folder => {
      for (let i = 0; i < 1000; i++) folder.put(`f${String(i).padStart(4, '0')}`, '');
      assert.equal((await call(find(folder), { pattern: 'f*' })).details, undefined);
      folder.put('f1000', '');
      const result = await call(find(folder), { pattern: 'f*' });
      assert.match(
        textOf(result),
        /^f0000\n[^]*\nf0999\n\n\[1000 results limit reached\. Use limit=2000 for more, or refine pattern\]$/,
      );
      assert.deepEqual(result.details, { resultLimitReached: 1000 });
      assert.equal(
        await textFrom(find(folder), { pattern: 'f*', limit: 1 }),
        'f0000\n\n[1 results limit reached. Use limit=2 for more, or refine pattern]',
      );
    }));

  it('says what is wrong', () =>
    inFolder({ f: '' }, async folder => {
      await assert.rejects(call(find(folder), { pattern: '*', path: 'none' }), {
        message: `Path not found: ${join(folder.path, 'none')}`,
      });
      await assert.rejects(call(find(folder), { pattern: '*', path: 'f' }), {
        message: `Not a directory: ${join(folder.path, 'f')}`,
      });
      await assert.rejects(call(find(folder), { pattern: '{a' }), {
        message: "Invalid glob pattern '{a': a brace is not closed",
      });
      await assert.rejects(call(find(folder), { pattern: '*' }, { signal: AbortSignal.abort() }), {
        message: 'Operation aborted',
      });
    }));
});

describe('hostile patterns', () => {
  const long = 'a'.repeat(250);
  it('find, grep and an ignore file answer at once for `*a*a*…q` and a file named `aaa…`', () =>
    inFolder({ [long]: 'aaa', '.gitignore': '*a*a*a*a*a*q\n' }, async folder => {
      const hostile = '*a*a*a*a*a*q';
      assert.match(await textFrom(createFindTool(folder.path, { ripgrep }), { pattern: hostile }), /^No files found/);
      assert.match(
        await textFrom(createGrepTool(folder.path, { ripgrep }), { pattern: 'a', glob: hostile }),
        /^No matches found/,
      );
      assert.equal(await textFrom(createFindTool(folder.path, { ripgrep }), { pattern: 'a*' }), long);
    }));
});

describe('ls', () => {
  itWith('links', 'sorts without regard to case, marks folders, shows dotfiles and links', () =>
    inFolder(
      { 'b.txt': '', 'A.txt': '', '.dot': '', 'Dir/': '', 'z ü': '', 'link-d': '-> Dir', dangling: '-> nowhere' },
      async folder => {
        const result = await call(createLsTool(folder.path), {});
        assert.equal(textOf(result), '.dot\nA.txt\nb.txt\ndangling\nDir/\nlink-d/\nz ü');
        assert.equal(result.details, undefined);
        assert.equal(await textFrom(createLsTool(folder.path), { path: 'Dir' }), '(empty directory)');
      },
    ),
  );

  it('stops at 500 entries, and shows exactly 500 without a notice', () =>
    inFolder({}, async folder => {
      for (let i = 0; i < 500; i++) folder.put(`f${String(i).padStart(3, '0')}`, '');
      assert.equal((await call(createLsTool(folder.path), {})).details, undefined);
      folder.put('g', '');
      const result = await call(createLsTool(folder.path), {});
      assert.match(textOf(result), /\nf499\n\n\[500 entries limit reached\. Use limit=1000 for more\]$/);
      assert.deepEqual(result.details, { entryLimitReached: 500 });
    }));

  it('stops at 50 KB', () =>
    inFolder({}, async folder => {
      for (let i = 0; i < 300; i++) folder.put(`${'n'.repeat(200)}${i}`, '');
      const result = await call(createLsTool(folder.path), {});
      assert.match(textOf(result), /\n\n\[50\.0KB limit reached\]$/);
      assert.equal((result.details as LsToolDetails).truncation?.truncatedBy, 'bytes');
    }));

  it('says what is wrong', () =>
    inFolder({ f: '' }, async folder => {
      const tool = createLsTool(folder.path);
      await assert.rejects(call(tool, { path: 'none' }), { message: `Path not found: ${join(folder.path, 'none')}` });
      await assert.rejects(call(tool, { path: 'f' }), { message: `Not a directory: ${join(folder.path, 'f')}` });
      await assert.rejects(call(tool, {}, { signal: AbortSignal.abort() }), { message: 'Operation aborted' });
    }));
});

describe('search through the operations of a hook', () => {
  it('ls', async () => {
    const operations = {
      exists: (path: string) => path !== resolve('/r/none'),
      stat: (path: string) =>
        Promise.resolve({ isDirectory: () => path === resolve('/r') || path === resolve('/r/sub') }),
      readdir: () => ['b', 'sub', 'A'],
    };
    assert.equal(await textFrom(createLsTool('/r', { operations }), {}), 'A\nb\nsub/');
    await assert.rejects(call(createLsTool('/r', { operations }), { path: 'none' }), {
      message: `Path not found: ${resolve('/r/none')}`,
    });
    const broken = { ...operations, readdir: () => Promise.reject(new Error('lost')) };
    await assert.rejects(call(createLsTool('/r', { operations: broken }), {}), {
      message: 'Cannot read directory: lost',
    });
  });

  it('find', async () => {
    const seen: unknown[] = [];
    const operations = {
      exists: () => true,
      glob: (...args: unknown[]) => {
        seen.push(...args);
        return [resolve('/r/a.ts'), 'b/c.ts'];
      },
    };
    assert.equal(await textFrom(createFindTool('/r', { operations }), { pattern: '*.ts' }), 'a.ts\nb/c.ts');
    assert.deepEqual(seen, ['*.ts', resolve('/r'), { ignore: ['**/node_modules/**', '**/.git/**'], limit: 1000 }]);
    assert.match(
      await textFrom(createFindTool('/r', { operations }), { pattern: '*.ts', limit: 2 }),
      /\[2 results limit reached/,
    );
  });

  it('grep', async () => {
    const operations = { isDirectory: () => false, readFile: () => 'one\ntwo\nthree\n' };
    const grep = createGrepTool('/r', { operations });
    assert.equal(
      await textFrom(grep, { pattern: 'tw', path: 'f.txt', context: 1 }),
      'f.txt-1- one\nf.txt:2: two\nf.txt-3- three',
    );
    assert.equal(await textFrom(grep, { pattern: 'nothing', path: 'f.txt' }), 'No matches found');
    const many = createGrepTool('/r', { operations: { ...operations, readFile: () => 'hit\r\n'.repeat(100_000) } });
    assert.match(await textFrom(many, { pattern: 'hit$', path: 'f', limit: 1 }), /^f:1: hit\n\n\[1 matches limit/);
  });
});
