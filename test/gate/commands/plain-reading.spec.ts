import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathPlace, type Places } from '../../../src/gate/calls/path-place';
import { onlyReads, type PlainReading } from '../../../src/gate/commands/plain-reading';
import { KNOWN_COMMANDS } from '../../../src/gate/commands';
import { READING_COMMANDS } from '../../../src/gate/commands/reading-form';
import { tried } from '../../support/tried';

const READING: PlainReading = {
  choice: { enabled: true, asks: [] },
  platform: 'linux',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
};

describe('commands that only read', () => {
  let root: string;
  let cwd: string;
  /** A program that leaves this file was started. */
  let mark: string;

  before(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline reading ')));
    cwd = join(root, 'work');
    mark = join(root, 'started');
    write('a.txt', 'a\nb\n');
    write('src/b.ts', 'b');
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync(join(root, 'secret'), join(cwd, 'link'));
    symlinkSync(root, join(cwd, 'up'));
    mkdirSync(join(root, 'other'));
    symlinkSync(cwd, join(root, 'other', 'alias'));
    git('init', '-q');
    commit();
    write('a.txt', 'a\nb\nc\n');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  function write(name: string, text: string, folder = cwd): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  function git(...args: readonly string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', args, { cwd, env, encoding: 'utf8' });
  }

  function commit(): void {
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', 'commit', '-qm', 'x');
  }

  function places(): Places {
    return {
      platform: 'linux',
      home: join(root, 'home'),
      cwd,
      own: [],
      editor: [],
      temporary: [],
      hooks: [],
      hookFiles: [],
    };
  }

  function isFree(line: string, reading: Partial<PlainReading> = {}, folder = cwd): Promise<boolean> {
    const mayRead = (real: string): boolean => pathPlace(real, { ...places(), cwd: folder }) !== 'outside';
    const command = { line, isPosix: true };
    return onlyReads({ command, cwd: folder }, { ...READING, ...reading }, { mayRead });
  }

  for (const line of [
    ...['ls', 'ls -la', 'ls -la src', 'cat a.txt', 'cat -n a.txt src/b.ts', 'head -n 20 a.txt', 'head -20 a.txt'],
    ...['tail -n +5 a.txt', 'wc -l a.txt src/b.ts', 'grep -rn TODO src', `grep -rnE 'a|/etc' . --include='*.ts'`],
    ...['grep -A3 -B 2 x a.txt', 'grep -e /etc/passwd a.txt', 'grep -c a a.txt', 'pwd', 'echo "--- a"', 'true'],
    ...[`find . -name '*.ts' -not -path './node_modules/*'`, 'find src -type f -maxdepth 2', `sed -n '1,20p' a.txt`],
    ...['cat a.txt | sort | uniq -c | sort -rn | head -5', 'ls nothing 2>/dev/null', 'ls src 2>&1 | wc -l'],
    ...['ls; pwd', 'ls && cat a.txt || echo no', 'cd . && ls', 'basename a/b', 'tr a b', 'date +%F', 'sed -n 2p a.txt'],
    ...[
      'git status',
      'git status -s',
      'git status --porcelain=v1',
      'git diff',
      'git diff HEAD -- src',
      'git diff --stat',
    ],
    ...['git log --oneline -5', `git log --format='%h %s' -n 3`, 'git log --grep x --author=y', 'git show HEAD:a.txt'],
    ...['git show --stat HEAD', 'git branch', 'git branch -a', `git branch --list 'a*'`, 'git rev-parse HEAD'],
    ...[
      'git rev-parse --abbrev-ref HEAD',
      'git ls-files src',
      'git blame a.txt',
      'git grep -n x',
      'git --no-pager log -1',
    ],
    ...['git stash list', 'git remote -v', 'git tag', 'git -C . status', 'git diff HEAD~1 HEAD^ -- a.txt'],
  ]) {
    it(`run without a question: ${line}`, async () => assert.equal(await isFree(line), true));
  }

  it('run without a question in the folder that they change to, if it is their own', async () => {
    assert.equal(await isFree(`cd '${cwd}' && git status && ls src`), true);
    assert.equal(await isFree(`git -C '${cwd}' log -1`), true);
  });

  for (const line of [
    ...[
      'cat ../secret',
      'cat /etc/passwd',
      'cat ~/.bashrc',
      'cat link',
      'cat up/secret',
      'head -n1 link',
      'ls ..',
      'ls /',
    ],
    ...[
      'grep x link',
      'grep -r x ..',
      'grep -e x /etc/passwd',
      'grep -f link a.txt',
      'rg --files /etc',
      'find / -name x',
    ],
    ...[
      'find up/',
      'wc -l link',
      'sort link',
      'cat src/../link',
      'cat up/../secret',
      'cat -- ../secret',
      'cut -c1 ../secret',
    ],
    ...[
      'git diff ../secret a.txt',
      'git diff --no-index a.txt link',
      'git log -- ../secret',
      'git grep --no-index x ..',
    ],
  ]) {
    it(`ask outside of the folder: ${line}`, async () => assert.equal(await isFree(line), false));
  }

  for (const line of [
    ...['ls > x', 'ls >> x', 'cat < a.txt', 'cat $HOME', 'cat $(ls)', 'cat `ls`', 'ls *', 'ls &', 'A=1 ls', `A='1' ls`],
    ...[
      'ls; rm a.txt',
      'ls | xargs rm',
      'ls | tee x',
      'cat a.txt | sh',
      'rm a.txt',
      'touch x',
      './ls',
      '/bin/ls',
      'npm ls',
    ],
    ...[
      'env',
      'printenv',
      'node --version',
      'cat a.txt | bash',
      'eval ls',
      'command ls',
      'exec ls',
      'sudo ls',
      'time ls',
    ],
    ...[
      'find . -exec rm x',
      'find . -execdir x',
      'find . -delete',
      'find . -ok x',
      'find . -fprint x',
      'find . -fls x',
    ],
    ...[
      'find . -fprintf x y',
      'find . -name -delete',
      'find -L . -name x',
      'find . -follow',
      'find . -files0-from a.txt',
    ],
    ...['rg --pre x y', 'rg --pre=x y', 'rg -z x', 'rg --hostname-bin=x y', 'rg -L x', 'rg --follow x', 'rg -f a.txt'],
    ...['grep -R x .', 'grep -z x a.txt', 'tail -f a.txt', 'tail --follow a.txt', 'sort -o x a.txt', 'sort --output=x'],
    ...[
      'sort --compress-program=x',
      'sort -T x',
      'uniq a.txt x',
      'tree -o x',
      'tree -R',
      'date -s 1',
      'date 0101',
      'ls -L',
    ],
    ...[`sed -i '1p' a.txt`, `sed 'w x' a.txt`, `sed '1e x' a.txt`, `sed -n '1,2w x' a.txt`, `sed -n '1p;w x' a.txt`],
    ...[
      'sed -f a.txt',
      'cat --unknown',
      'ls --al',
      'cat -Z a.txt',
      'cd src && ls',
      'cd',
      'cd - && ls',
      'cd ../work && ls',
    ],
  ]) {
    it(`ask about ${line}`, async () => assert.equal(await isFree(line), false));
  }

  for (const line of [
    ...['git log --output=x', 'git log --output x', 'git log --outp=x', 'git show --output=x', 'git diff --output=x'],
    ...['git diff --ext-diff', 'git log -p --ext-diff', 'git log --textconv', 'git grep -O x', 'git grep -Ovim x'],
    ...['git grep --open-files-in-pager x', 'git -c core.fsmonitor=x status', 'git -ccore.pager=x log', 'git -p log'],
    ...['git --paginate log', 'git --git-dir=x status', 'git --work-tree=.. status', 'git --exec-path=x status'],
    ...['git --config-env=a=b status', 'git -C .. status', 'git -C src/.. status', 'git log --show-signature'],
    ...[
      `git log --format='%G?'`,
      `git log --pretty='%GK'`,
      `git branch --format='%(signature)'`,
      'git branch x',
      'git branch -D x',
      'git branch --list -D x',
    ],
    ...[
      'git branch -m a b',
      'git tag x',
      'git tag -d x',
      'git stash',
      'git stash pop',
      'git remote add x y',
      'git config a.b c',
    ],
    ...[
      'git config --list',
      'git commit -m x',
      'git checkout x',
      'git fetch',
      'git pull',
      'git push',
      'git reset --hard',
    ],
    ...[
      'git reflog expire',
      'git reflog delete x',
      'git x',
      'git',
      'git diff -O a.txt',
      'git log --grep -- --output=x',
    ],
    ...[
      'git cat-file --textconv HEAD:a.txt',
      'git worktree add x',
      'git submodule foreach x',
      'git blame --contents link a.txt',
    ],
  ]) {
    it(`ask about ${line}`, async () => assert.equal(await isFree(line), false));
  }

  describe('of git ask where a program would be started', () => {
    let program: string;
    before(() => {
      program = write('../program', `#!/bin/sh\n: > '${mark}'\ncat\n`);
      chmodSync(program, 0o755);
    });
    afterEach(() => {
      rmSync(join(cwd, '.git', 'config'));
      rmSync(join(cwd, '.git', 'hooks'), { recursive: true, force: true });
      git('init', '-q');
      rmSync(join(cwd, '.gitattributes'), { force: true });
      rmSync(mark, { force: true });
    });

    for (const [key, value] of [
      ['core.fsmonitor', undefined],
      ['diff.external', undefined],
      ['diff.x.command', undefined],
      ['diff.x.textconv', undefined],
      ['filter.x.clean', undefined],
      ['filter.x.process', undefined],
      ['core.pager', undefined],
      ['pager.log', undefined],
      ['gpg.program', undefined],
      ['gpg.ssh.program', undefined],
      ['log.showSignature', 'true'],
      ['hook.x.command', undefined],
      ['remote.x.promisor', 'true'],
      ['extensions.partialClone', 'x'],
      ['format.pretty', '%h %G?'],
      ['core.worktree', '../..'],
      ['include.path', 'more'],
    ] as const) {
      it(`by ${key}`, async () => {
        write('more', `[diff]\n\texternal = ${program}\n`, join(cwd, '.git'));
        git('config', key, value ?? program);
        write('.gitattributes', '* diff=x filter=x\n');
        for (const line of ['git status', 'git diff', 'git log -1', 'git show']) {
          assert.equal(await isFree(line), false, line);
        }
        assert.equal(existsSync(mark), false, 'to find that out, nothing was started');
        assert.equal(await isFree('cat a.txt'), true, 'other commands run');
      });
    }

    it('by a hook that follows a refreshed index', async () => {
      chmodSync(write('.git/hooks/post-index-change', `#!/bin/sh\n: > '${mark}'\n`), 0o755);
      assert.equal(await isFree('git status'), false);
      rmSync(join(cwd, '.git', 'hooks'), { recursive: true });
      chmodSync(write('own/post-index-change', `#!/bin/sh\n: > '${mark}'\n`), 0o755);
      git('config', 'core.hooksPath', 'own');
      assert.equal(await isFree('git status'), false);
      rmSync(join(cwd, 'own'), { recursive: true });
      assert.equal(existsSync(mark), false);
      tried(2);
    });

    it('in a repository inside of this one', async () => {
      const inner = join(cwd, 'inner');
      mkdirSync(inner);
      for (const args of [
        ['init', '-q'],
        ['config', 'core.fsmonitor', program],
        [
          '-c',
          'user.name=a',
          '-c',
          'user.email=a@b.c',
          '-c',
          'core.fsmonitor=false',
          'commit',
          '-q',
          '--allow-empty',
          '-m',
          'x',
        ],
      ]) {
        execFileSync('git', args, { cwd: inner });
      }
      rmSync(mark, { force: true });
      git('-c', 'core.fsmonitor=false', 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},inner`);
      assert.equal(await isFree('git status'), false);
      git('update-index', '--force-remove', 'inner');
      rmSync(inner, { recursive: true });
      assert.equal(existsSync(mark), false);
    });

    it('not by what cannot start in a command that reads', async () => {
      git('config', 'core.fsmonitor', 'true');
      git('config', 'core.sshCommand', program);
      git('config', 'alias.status', `!${program}`);
      git('config', 'core.editor', program);
      assert.equal(await isFree('git log -1'), true);
    });
  });

  it('of git ask where the files or the history are outside of the folder', async () => {
    assert.equal(await isFree('git status', {}, join(cwd, 'src')), false, 'a folder of a repository');
    const stolen = join(root, 'stolen');
    mkdirSync(stolen);
    writeFileSync(join(stolen, '.git'), `gitdir: ${join(cwd, '.git')}\n`);
    assert.equal(await isFree('git log -1', {}, stolen), false, 'a file that leads to the history of another folder');
    const bare = join(root, 'bare');
    execFileSync('git', ['clone', '-q', '--bare', cwd, bare]);
    assert.equal(await isFree('git log -1', {}, bare), false, 'a repository without files');
    assert.equal(await isFree('git log -1', {}, join(root, 'other')), false, 'no repository');
    tried(4);
  });

  it('of git run without a question in a worktree that its repository knows', async () => {
    const tree = join(root, 'tree');
    git('worktree', 'add', '-q', tree);
    assert.equal(await isFree('git status', {}, tree), true);
  });

  for (const [what, reading] of [
    ['they are turned off', { choice: { enabled: false, asks: [] } }],
    ['this command is turned off', { choice: { enabled: true, asks: ['cat'] } }],
    ['Git Bash would read the paths', { platform: 'win32' }],
    ['bash runs a file first', { env: { ...READING.env, BASH_ENV: '/x' } }],
    ['sh runs a file first', { env: { ...READING.env, ENV: '/x' } }],
    ['the environment has functions', { env: { ...READING.env, 'BASH_FUNC_cat%%': '() { x; }' } }],
    ['the environment has options of the shell', { env: { ...READING.env, SHELLOPTS: 'xtrace' } }],
    ['the search path has no such program', { env: { PATH: '/nothing' } }],
  ] as const) {
    it(`ask while ${what}`, async () => assert.equal(await isFree('cat a.txt', reading), false));
  }

  it('ask where the folder has a program of this name first on the search path', async () => {
    const own = write('bin/cat', '#!/bin/sh\n');
    chmodSync(own, 0o755);
    for (const first of ['bin', './bin', join(cwd, 'bin'), `${join(root, 'other', 'alias')}/bin`]) {
      const env = { PATH: `${first}:/usr/bin:/bin` };
      assert.equal(await isFree('cat a.txt', { env }), false, first);
      assert.equal(await isFree('ls', { env }), true);
    }
    tried(4);
  });

  it('ask where variables change what rg and git do', async () => {
    const env = { ...READING.env, GIT_DIR: '/x' };
    assert.equal(await isFree('git status', { env }), false);
    assert.equal(await isFree('git status', { env: { ...READING.env, GIT_EXTERNAL_DIFF: '/x' } }), false);
    assert.equal(await isFree('git status', { env: { ...READING.env, GIT_AUTHOR_NAME: 'x' } }), true);
    assert.equal(await isFree('rg x', { env: { ...READING.env, RIPGREP_CONFIG_PATH: '/x' } }), false);
  });

  it('ask after a change of folder by a link, which bash would follow later', async () => {
    assert.equal(await isFree(`cd '${join(root, 'other', 'alias')}/../x' && ls`), false);
    assert.equal(await isFree('cd up && ls'), false);
  });

  it('are in the table by names that the table has', () => {
    assert.ok(READING_COMMANDS.includes('git stash list') && READING_COMMANDS.includes('ls'));
    for (const name of READING_COMMANDS) assert.notEqual(KNOWN_COMMANDS[name]?.reads, undefined, name);
  });
});
