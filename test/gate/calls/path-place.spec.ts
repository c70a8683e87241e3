import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { BUILD_PLACES, isBuildPlace, namesBuildPlace } from '../../../src/gate/calls/build-places';
import { isOddOnWindows, pathPlace, runsAsHook, type Places } from '../../../src/gate/calls/path-place';
import { MACHINE_LINKS, realPathOf } from '../../../src/gate/calls/real-path';
import { itWith } from '../../support/platform';

const LINUX: Places = {
  platform: 'linux',
  home: '/home/me',
  cwd: '/home/me/work',
  own: ['/home/me/.pi/agent', '/home/me/.hookline'],
  editor: ['/opt/editor/data', '/opt/editor/extensions'],
  temporary: ['/tmp'],
  hooks: ['/home/me/work/tools/hooks/gate.ts'],
  hookFiles: ['/home/me/work/tools/hooks/gate.ts', '/home/me/work/loose.ts'],
};
const WINDOWS: Places = {
  platform: 'win32',
  home: 'C:\\Users\\me',
  cwd: 'C:\\work',
  own: ['C:\\Users\\me\\.pi\\agent'],
  editor: [],
  temporary: ['C:\\Users\\me\\AppData\\Local\\Temp'],
  hooks: [],
  hookFiles: [],
};

describe('places that files lie in', () => {
  for (const [path, place] of [
    ['/home/me/work/src/a.ts', 'workspace'],
    ['/home/me/work', 'workspace'],
    ['/home/me/work/.gitignore', 'workspace'],
    ['/home/me/work/.github/workflows/a.yml', 'build'],
    ['/home/me/work/.bashrc', 'build'],
    ['/home/me/work/User/settings.json', 'workspace'],
    ['/home/me/work/a/extensions/b.ts', 'workspace'],
    ['/home/me/work/.git/hooks/pre-commit', 'code'],
    ['/home/me/work/.git/config', 'code'],
    ['/home/me/work/sub/.git/hooks/x', 'code'],
    ['/home/me/work/.vscode/tasks.json', 'code'],
    ['/home/me/work/a.code-workspace', 'code'],
    ['/home/me/work/.pi/hooks/gate.ts', 'code'],
    ['/home/me/work/.claude/settings.json', 'code'],
    ['/home/me/work/.husky/pre-push', 'code'],
    ['/home/me/work/tools/hooks/gate.ts', 'code'],
    ['/home/me/work/tools/hooks/new.ts', 'code'],
    ['/home/me/work/tools/hooks/notes.md', 'workspace'],
    ['/home/me/work/loose.ts', 'code'],
    ['/home/me/work/other.ts', 'workspace'],
    ['/home/me/.bashrc', 'code'],
    ['/home/me/.zshenv', 'code'],
    ['/home/me/.ssh/authorized_keys', 'code'],
    ['/home/me/.config/fish/config.fish', 'code'],
    ['/home/me/.config/autostart/x.desktop', 'code'],
    ['/home/me/.pi/agent/settings.json', 'code'],
    ['/home/me/.hookline/x', 'code'],
    ['/home/me/work/.devcontainer.json', 'code'],
    ['/home/me/.config/Code - Insiders/User/settings.json', 'code'],
    ['/home/me/.config/Code/argv.json', 'code'],
    ['/home/me/.config/VSCodium/User/tasks.json', 'code'],
    ['/home/me/.config/Cursor/User/globalStorage/a/b.js', 'code'],
    ['/home/me/.config/a fork/User/profiles/x/snippets/y.json', 'code'],
    ['/home/me/.local/share/code-server/User/settings.json', 'code'],
    ['/home/me/.local/share/code-server/extensions/a/out.js', 'code'],
    ['/home/me/.local/share/code-server/Machine/settings.json', 'code'],
    ['/home/me/.var/app/com.vscodium.codium/config/VSCodium/User/settings.json', 'code'],
    ['/home/me/Library/Application Support/Windsurf/User/keybindings.json', 'code'],
    ['/home/me/.vscode-server/data/Machine/settings.json', 'code'],
    ['/home/me/.cursor-server/data/User/settings.json', 'code'],
    ['/home/me/.vscode-oss/extensions/a/out.js', 'code'],
    ['/home/me/.a-fork/extensions/a/out.js', 'code'],
    ['/home/me/.a-fork/argv.json', 'code'],
    ['/home/me/.cursor/mcp.json', 'code'],
    ['/opt/portable/data/user-data/User/settings.json', 'code'],
    ['/opt/editor/data/CachedData/x', 'code'],
    ['/opt/editor/extensions/a/out.js', 'code'],
    ['/opt/editor/other', 'outside'],
    ['/home/me/.config/a program/settings.json', 'outside'],
    ['/home/me/other/User/model.rb', 'outside'],
    ['/home/me/other/Makefile', 'outside'],
    ['/tmp/Makefile', 'temporary'],
    ['/home/me/notes.txt', 'outside'],
    ['/home/me/.bashrc.d.txt', 'outside'],
    ['/home/me/workshop/a', 'outside'],
    ['/etc/passwd', 'outside'],
    ['/tmp/x', 'temporary'],
    ['/tmpx/x', 'outside'],
  ] as const) {
    it(`${path}: ${place}`, () => assert.equal(pathPlace(path, LINUX), place));
  }

  it('are judged inside of a workspace that lies below such a folder', () => {
    const places = { ...LINUX, cwd: '/home/me/.claude/worktrees/a' };
    assert.equal(pathPlace('/home/me/.claude/worktrees/a/src/b.ts', places), 'workspace');
    assert.equal(pathPlace('/home/me/.claude/worktrees/a/.git', places), 'code');
    assert.equal(pathPlace('/home/me/.claude/settings.json', places), 'code');
  });

  it('stay code in a further folder that is such a folder, or below one', () => {
    const places = { ...LINUX, folders: ['/home/me/other/.pi', '/home/me/third/.git/hooks', '/home/me/plain'] };
    assert.equal(pathPlace('/home/me/other/.pi/hooks/a.ts', places), 'code');
    assert.equal(pathPlace('/home/me/third/.git/hooks/pre-commit', places), 'code');
    assert.equal(pathPlace('/home/me/plain/a.ts', places), 'workspace');
  });

  for (const [path, place] of [
    ['/home/me/other/src/a.ts', 'workspace'],
    ['/home/me/other', 'workspace'],
    ['/home/me/other/Makefile', 'build'],
    ['/home/me/other/.git/hooks/pre-commit', 'code'],
    ['/home/me/work/src/a.ts', 'workspace'],
    ['/home/me/otherwise/a.ts', 'outside'],
    ['/home/me/notes.txt', 'outside'],
  ] as const) {
    it(`are also judged by further folders that count as the workspace: ${path}: ${place}`, () =>
      assert.equal(pathPlace(path, { ...LINUX, folders: ['/home/me/other'] }), place));
  }

  it('are those of the agent in a further folder that holds them', () => {
    const places = { ...LINUX, folders: ['/home/me', '/opt/editor/data'] };
    assert.equal(pathPlace('/home/me/.pi/agent/settings.json', places), 'code');
    assert.equal(pathPlace('/home/me/.bashrc', places), 'code');
    assert.equal(pathPlace('/home/me/work/tools/hooks/gate.ts', places), 'code');
    assert.equal(pathPlace('/opt/editor/data/User/snippets/a.json', places), 'code');
    assert.equal(pathPlace('/home/me/notes.txt', places), 'workspace');
  });

  it('are judged inside of a workspace that lies in the data of the editor', () => {
    const places = { ...LINUX, cwd: '/opt/editor/data/work', editor: ['/opt/editor/data', '/opt/editor/data/User'] };
    assert.equal(pathPlace('/opt/editor/data/work/a.ts', places), 'workspace');
    assert.equal(pathPlace('/opt/editor/data/User/snippets/a.json', places), 'code');
  });

  it('mind no case where the file system minds none', () => {
    const mac = { ...LINUX, platform: 'darwin' } as const;
    assert.equal(pathPlace('/home/me/work/.GIT/Hooks/x', mac), 'code');
    assert.equal(pathPlace('/Home/Me/.ZSHRC', mac), 'code');
    assert.equal(pathPlace('C:\\WORK\\.VSCode\\tasks.json', WINDOWS), 'code');
    assert.equal(pathPlace('c:\\Work\\src\\a.ts', WINDOWS), 'workspace');
    assert.equal(pathPlace('C:\\Users\\me\\AppData\\Local\\Temp\\x', WINDOWS), 'temporary');
    assert.equal(pathPlace('D:\\x', WINDOWS), 'outside');
    assert.equal(pathPlace('C:\\Users\\me\\Documents\\PowerShell\\profile.ps1', WINDOWS), 'code');
  });

  for (const path of [
    ...[
      'C:\\work\\a.txt:stream',
      'C:\\work\\a::$DATA',
      'C:\\work\\.git.\\x',
      'C:\\work\\.git \\x',
      'C:\\work\\GIT~1\\x',
    ],
    ...['C:\\work\\nul', 'C:\\work\\con.txt', 'C:\\work\\COM1', '\\\\?\\C:\\work\\a', '\\\\.\\C:\\a', 'C:\\work\\a\0b'],
    ...['\\\\localhost\\c$\\work\\a', '//PC/C$/work/a', '\\\\pc\\d$', '\\\\LOCALHOST\\x\\a', '\\\\127.0.0.1\\x\\a'],
  ]) {
    it(`cannot be told on Windows of ${JSON.stringify(path)}`, () => {
      assert.equal(isOddOnWindows(path), true);
      assert.equal(pathPlace(path, WINDOWS), 'unclear');
    });
  }

  it('can be told on Windows of usual names', () => {
    for (const path of [
      'C:\\work\\a b.txt',
      'C:\\work\\console.log',
      'C:\\work\\~x',
      '\\\\server\\share\\a',
      '\\\\wsl.localhost\\u\\a',
      '\\\\wsl$\\u\\a',
    ]) {
      assert.equal(isOddOnWindows(path), false, path);
    }
  });

  for (const [cwd, elsewhere] of [
    ['D:\\', 'C:\\work\\a.ts'],
    ['x:\\work ä', 'X:\\other\\a.ts'],
    ['\\\\host\\share\\work', '\\\\host\\share\\other\\a.ts'],
    ['\\\\host\\share\\work', '\\\\host\\other\\work\\a.ts'],
  ] as const) {
    it(`are told on Windows from the workspace ${cwd}`, () => {
      const places = { ...WINDOWS, cwd };
      const inside = (name: string): string => win32.join(cwd.toUpperCase(), name);
      assert.equal(pathPlace(inside('src\\a.ts'), places), 'workspace');
      assert.equal(pathPlace(inside('package.json'), places), 'build');
      assert.equal(pathPlace(inside('.GIT\\hooks\\pre-commit'), places), 'code');
      assert.equal(runsAsHook(inside('.PI\\Hooks\\a.ts'), places), true);
      assert.equal(pathPlace(elsewhere, places), 'outside');
    });
  }
});

describe('files that run with the next build or start', () => {
  for (const path of [
    ...['package.json', 'a/package.json', 'node_modules/a/index.js', '.npmrc', 'yarn.lock', 'tsconfig.build.json'],
    ...[
      'eslint.config.mjs',
      'vite.config.ts',
      'webpack.config.prod.js',
      '.eslintrc',
      '.prettierrc.json',
      '.mocharc.cjs',
    ],
    ...['karma.conf.js', 'jest.setup.ts', 'Makefile', 'makefile', 'rules.mk', 'justfile', 'CMakeLists.txt', 'a.cmake'],
    ...[
      'build.rs',
      'crates/a/build.rs',
      'Cargo.toml',
      '.cargo/config.toml',
      'go.mod',
      'build.gradle',
      'build.gradle.kts',
    ],
    ...[
      'gradle/wrapper/gradle-wrapper.properties',
      'pom.xml',
      '.mvn/extensions.xml',
      'a.csproj',
      'Directory.Build.props',
    ],
    ...[
      'tox.ini',
      'setup.py',
      'pyproject.toml',
      'tests/conftest.py',
      'requirements-dev.txt',
      '.venv/bin/python',
      'x.pth',
    ],
    ...[
      'Gemfile',
      'Rakefile',
      'composer.json',
      'mix.exs',
      'Dockerfile',
      'Dockerfile.dev',
      'a.dockerfile',
      'compose.yaml',
    ],
    ...['docker-compose.override.yml', '.github/workflows/a.yml', '.github/actions/a/index.js', '.gitlab-ci.yml'],
    ...[
      'Jenkinsfile',
      '.pre-commit-config.yaml',
      'lefthook.yml',
      '.gitmodules',
      '.envrc',
      '.env',
      '.env.local',
      'flake.nix',
    ],
    ...[
      '.cursor/rules/a.mdc',
      '.cursor/mcp.json',
      '.mcp.json',
      '.idea/workspace.xml',
      '.zed/tasks.json',
      'a.sublime-project',
    ],
  ]) {
    it(`${path}: yes`, () => assert.equal(pathPlace(`${LINUX.cwd}/${path}`, LINUX), 'build'));
  }

  for (const path of [
    ...['src/index.ts', 'README.md', 'AGENTS.md', 'docs/package.json.md', 'package.json5', 'src/config.ts', 'a.ts'],
    ...['.env.example', '.gitignore', '.editorconfig', 'makefiles/a.txt', 'src/build.ts', 'tsconfig/a.ts', 'src/rc.ts'],
    ...['test/github/a.yml', 'locks/a.txt', 'package/a.json'],
  ]) {
    it(`${path}: no`, () => assert.equal(pathPlace(`${LINUX.cwd}/${path}`, LINUX), 'workspace'));
  }

  for (const pattern of [
    'package.json',
    '**/package.json',
    'packages/*/Makefile',
    '.github/**',
    '*.config.ts',
    'a\\{b\\}/.env',
  ]) {
    it(`are named by ${pattern}`, () => assert.equal(namesBuildPlace(pattern), true));
  }

  for (const pattern of ['**', '*', '*.json', 'package.*', '.*', '[p]ackage.json', '{**,x/.github/y}', 'src/**']) {
    it(`are not named by ${pattern}`, () => assert.equal(namesBuildPlace(pattern), false));
  }

  it('are in one table, which the docs have, too', () => {
    const docs = readFileSync('docs/approvals.md', 'utf8').replace(/ +/g, ' ');
    for (const { runBy, folders = [], files = [] } of BUILD_PLACES) {
      const names = [...folders.map(name => `${name}/`), ...files].map(name => `\`${name}\``);
      assert.ok(docs.includes(`| ${runBy} | ${names.join(', ')} |`), `| ${runBy} | ${names.join(', ')} |`);
      for (const folder of folders) assert.equal(isBuildPlace(`a/${folder}/b`), true, folder);
    }
  });
});

describe('files that run as hooks', () => {
  for (const [path, isHook] of [
    ['/home/me/work/.pi/hooks/new.ts', true],
    ['/home/me/work/.pi/hooks/new.js', false],
    ['/home/me/work/.pi/hooks/types.d.ts', false],
    ['/home/me/work/.pi/hooks/lib/part.ts', false],
    ['/home/me/work/.pi/extensions/a.js', true],
    ['/home/me/work/.pi/extensions/a/index.ts', true],
    ['/home/me/work/.pi/settings.json', false],
    ['/home/me/work/sub/.pi/hooks/new.ts', false],
    ['/home/me/.pi/agent/hooks/own.ts', true],
    ['/home/me/work/tools/hooks/gate.ts', true],
    ['/home/me/work/loose.ts', false],
  ] as const) {
    it(`${path}: ${isHook ? 'yes' : 'no'}`, () => assert.equal(runsAsHook(path, LINUX), isHook));
  }

  it('are found in any case on Windows', () => {
    assert.equal(runsAsHook('c:\\Work\\.PI\\Hooks\\a.ts', WINDOWS), true);
  });
});

describe('real paths', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'real paths ')));
  before(() => {
    mkdirSync(join(root, 'work', 'src'), { recursive: true });
    mkdirSync(join(root, 'target'));
    writeFileSync(join(root, 'target', 'file'), '');
    symlinkSync(join(root, 'target'), join(root, 'work', 'link'));
    symlinkSync('../target/none', join(root, 'work', 'dangling'));
    symlinkSync('loop', join(root, 'work', 'loop'));
    symlinkSync('dangling', join(root, 'work', 'chain'));
    symlinkSync(join(root, 'missing', 'deep'), join(root, 'work', 'nowhere'));
    mkdirSync(join(root, 'target', 'deep'));
    symlinkSync('../target/deep', join(root, 'work', 'away'));
    symlinkSync('../below a link', join(root, 'target', 'deep', 'dangling'));
    symlinkSync('away/../through a link', join(root, 'work', 'through'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  for (const [given, real] of [
    ['work/src/new.ts', 'work/src/new.ts'],
    ['work/src/a/b/c', 'work/src/a/b/c'],
    ['work/link/../x', 'work/x'],
  ] as const) {
    it(`${given} leads to ${real}`, () => assert.equal(realPathOf(join(root, given)), join(root, real)));
  }

  for (const [given, real] of [
    ['work/link/file', 'target/file'],
    ['work/link/new/x', 'target/new/x'],
    ['work/dangling', 'target/none'],
    ['work/chain', 'target/none'],
    ['work/nowhere/x', 'missing/deep/x'],
  ] as const) {
    itWith('links', `${given} leads to ${real}`, () => assert.equal(realPathOf(join(root, given)), join(root, real)));
  }

  for (const [given, real] of [
    ['work/away/dangling', 'target/below a link'],
    ['work/through', 'target/through a link'],
  ] as const) {
    itWith('links', `${given} leads to ${real}, where a write makes the file`, () => {
      assert.equal(realPathOf(join(root, given)), join(root, real));
      writeFileSync(join(root, given), '');
      assert.equal(realpathSync.native(join(root, given)), join(root, real));
    });
  }

  itWith('links', 'cannot be told of links in a circle', () =>
    assert.equal(realPathOf(join(root, 'work', 'loop', 'x')), undefined),
  );

  it('cannot be told where a folder cannot be looked into', () => {
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
    const links = {
      ...MACHINE_LINKS,
      realpath: () => {
        throw denied;
      },
    };
    assert.equal(realPathOf('/x/y', links), undefined);
  });

  it('follow links of Windows by its rules', () => {
    const missing = Object.assign(new Error('none'), { code: 'ENOENT' });
    const links = {
      platform: 'win32',
      realpath: (path: string): string => {
        if (path === 'C:\\' || path === 'D:\\') return path;
        throw missing;
      },
      readlink: (path: string) => (path === 'C:\\work\\link' ? 'D:\\target' : undefined),
    } as const;
    assert.equal(realPathOf('C:\\work\\link\\x', links), 'D:\\target\\x');
  });
});
