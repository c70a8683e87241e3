import assert from 'node:assert/strict';
import type { CallDetails } from '../../../src/hook-contract/approvals/asked-call';
import {
  offersFor,
  readRuleText,
  ruleFor,
  ruleText,
  takesPlaceOf,
  uncoveredArguments,
  wasChangedSince,
} from '../../../src/gate/rules/rule';
import type { ApprovalRule } from '../../../src/hook-contract/approvals/approval-rule';

const CWD = '/work/tree';

const bash = (line: string, cwd = CWD): CallDetails => ({
  toolName: 'bash',
  kind: 'executes',
  input: { command: line },
  cwd,
  command: { line, isPosix: true },
});
const file = (
  real: string,
  place: NonNullable<CallDetails['file']>['place'],
  use: 'read' | 'write' = 'write',
): CallDetails => ({
  toolName: use === 'write' ? 'write' : 'read',
  kind: use === 'write' ? 'writes' : 'reads',
  input: { path: real },
  cwd: CWD,
  file: { real, place, use },
});
const prefix = (...words: string[]): ApprovalRule => ({ tool: 'bash', match: { type: 'prefix', words } });
const path = (pattern: string, code?: true): ApprovalRule => ({
  tool: 'files',
  match: { type: 'path', pattern, ...(code === undefined ? {} : { code }) },
});

describe('approval rules', () => {
  describe('about beginnings of commands', () => {
    const rules = [prefix('git', 'status'), prefix('npm', 'test')];
    for (const line of [
      'git status',
      'git status -s',
      'git status; npm test',
      'npm test 2>&1 | git status',
      'npm test && git status',
    ]) {
      it(`let pass: ${line}`, () => assert.ok(ruleFor(bash(line), rules)));
    }
    for (const line of [
      ...[
        'git status; rm -rf ~',
        'git status && rm x',
        'git status | sh',
        'git status\nrm x',
        'git statusx',
        'git',
        'git -c x status',
      ],
      ...[
        'git status > ~/.bashrc',
        'git status $(rm x)',
        'git status `rm x`',
        'git status & rm x',
        'FOO=1 git status',
        'rm x; git status',
      ],
      ...[
        '"git status"',
        'git "status" "$(x)"',
        'git status ${x}',
        '(git status)',
        'git status <(rm x)',
        '! git status',
      ],
    ]) {
      it(`ask about: ${line}`, () => assert.equal(ruleFor(bash(line), rules), undefined));
    }

    it('count for the tool that they name, and in their folder', () => {
      assert.equal(ruleFor({ ...bash('npm test'), toolName: 'other' }, rules), undefined);
      const here = [{ ...prefix('npm', 'test'), folder: CWD }];
      assert.ok(ruleFor(bash('npm test'), here));
      assert.equal(ruleFor(bash('npm test', '/elsewhere'), here), undefined);
    });

    it('do not read a line where none of them could count', () => {
      const command = {
        isPosix: true,
        get line(): string {
          return assert.fail('the line was read');
        },
      };
      const facts = { ...bash('x'), command };
      assert.equal(ruleFor(facts, []), undefined);
      assert.equal(ruleFor(facts, [path('**'), { ...prefix('x'), folder: '/elsewhere' }]), undefined);
    });

    it('say nothing about shells of another grammar', () => {
      const facts = { ...bash('npm test'), command: { line: 'npm test', isPosix: false } };
      assert.equal(ruleFor(facts, rules), undefined);
    });
  });

  describe('about beginnings do not cover what writes or runs:', () => {
    const beginnings: readonly (readonly [rule: readonly string[], lines: readonly string[]])[] = [
      [
        ['git', 'log'],
        [
          'git log -1 --format=%s --output=/home/me/.pi/agent/hookline-approvals.json',
          ...['git log --output x', 'git log --outp=x', 'git log -p --ext-diff', 'git log --grep -- --output=x'],
          'git status; git log --output=x',
        ],
      ],
      [
        ['git', 'show'],
        ['git show --output=x', 'git show --ext-d'],
      ],
      [
        ['git', 'diff'],
        ['git diff --output=x', 'git diff --no-index --output=x a b'],
      ],
      [
        ['git', 'grep'],
        ['git grep -O', 'git grep -Ovim x', 'git grep -nOvim x', 'git grep --open-files=vim x'],
      ],
      [
        ['git', 'fetch'],
        ['git fetch --upload-pack=x', 'git fetch --upload-pack x', 'git fetch origin --upload-p=x'],
      ],
      [
        ['git', 'pull'],
        ['git pull --upload-pack=x', 'git pull --strategy=x'],
      ],
      [
        ['git', 'push'],
        ['git push --receive-pack=x', 'git push --exec=x'],
      ],
      [
        ['git', 'clone'],
        ['git clone -c core.sshCommand=x u', 'git clone -u x u', 'git clone --template=x u'],
      ],
      [
        ['git', 'rebase'],
        ['git rebase -x x main', 'git rebase -ix x', 'git rebase --exec=x main'],
      ],
      [['git', 'bisect'], ['git bisect run x']],
      [['git', 'submodule'], ['git submodule foreach x']],
      [
        ['git', 'difftool'],
        ['git difftool -x x', 'git difftool --extcmd=x'],
      ],
      [
        ['git', 'config'],
        [`git config alias.x '!x'`, 'git config --global core.pager x', 'git config user.name x'],
      ],
      [
        ['git', 'archive'],
        ['git archive -o x HEAD', 'git archive -ox HEAD', 'git archive --output=x HEAD'],
      ],
      [
        ['git'],
        [
          ...['git -c core.pager=x log', 'git -ccore.pager=x log', 'git -C /x log', 'git --git-dir=x log'],
          ...['git --config-env=a=b log', 'git --exec-path=x log', 'git --no-pager grep -Ox y'],
        ],
      ],
      [
        ['npm', 'test'],
        [
          ...[
            'npm test --script-shell=x',
            'npm test --script-shell x',
            'npm test --script-sh=x',
            'npm test --prefix x',
          ],
          ...['npm test --prefix=x', 'npm test -prefix x', 'npm test -C x', 'npm test --node-options=--require=x'],
          'npm test --silent -- --script-shell=x',
        ],
      ],
      [
        ['npm', 'run'],
        ['npm run --node-options=x build', 'npm run build --node-options x', 'npm run --userconfig=x b'],
      ],
      [['npm', 'run', 'build'], ['npm run build --script-shell=x']],
      [
        ['pnpm', 'test'],
        ['pnpm test --config.script-shell=x', 'pnpm test -C x', 'pnpm test --dir=x'],
      ],
      [
        ['yarn', 'test'],
        ['yarn test --cwd x', 'yarn test --use-yarnrc x'],
      ],
      [
        ['bun', 'test'],
        ['bun test --preload=x', 'bun test -r x', 'bun test --cwd=x'],
      ],
      [
        ['make', 'test'],
        [
          ...['make test SHELL=/tmp/x', 'make test CC:=x', 'make test -f x', 'make test -kfx', 'make test --file=x'],
          ...['make test -C x', 'make test --direct x', `make test --eval='x'`, 'make test -- SHELL=x'],
        ],
      ],
      [
        ['cargo', 'test'],
        [
          `cargo test --config 'build.rustc="x"'`,
          'cargo test --config=x',
          'cargo test --target-dir x',
          'cargo test -Zx',
        ],
      ],
      [
        ['cargo', 'clippy'],
        ['cargo clippy -- -C linker=x', 'cargo clippy -- -Clinker=x', 'cargo clippy -- --emit=x'],
      ],
      [
        ['go', 'test'],
        ['go test -exec x', 'go test --exec=x', 'go test -toolexec=x ./x', 'go test -test.coverprofile=x'],
      ],
      [
        ['find'],
        ['find . -exec x', 'find . -name a -delete', 'find . -fprint x', 'find . -fprintf x y', 'find -- . -okdir x'],
      ],
      [
        ['tar'],
        [
          ...['tar xf a --to-command=x', 'tar xf a --checkpoint=1 --checkpoint-act=exec=x', 'tar -xf a -I x'],
          ...['tar xIf x a', 'tar xfI a x', 'tar -C / -xf a', '/usr/bin/tar xf a --use-compress=x'],
        ],
      ],
      [['sort'], ['sort -o x a', 'sort -uox a', 'sort --output=x a', 'sort --compress-prog=x a']],
      [['rg'], ['rg --pre x y', 'rg --pre=x y', 'rg --hostname-bin=x y']],
      [
        ['just', 'test'],
        ['just test --shell x', 'just test a=b'],
      ],
    ];
    const status = prefix('git', 'status');
    for (const [words, lines] of beginnings) {
      for (const line of lines) {
        it(line, () => {
          // A rule may name the program with its folder.
          const [program = ''] = line.split(' ');
          const own = program.includes('/') ? prefix(program, ...words.slice(1)) : prefix(...words);
          assert.equal(ruleFor(bash(line), [own, status]), undefined);
          assert.notDeepEqual(uncoveredArguments(bash(line)), []);
          assert.deepEqual(
            offersFor(bash(line)).map(({ match }) => match.type),
            ['exact'],
          );
          assert.ok(ruleFor(bash(line), offersFor(bash(line))), 'a rule for exactly this command covers it');
        });
      }
    }

    it('the question names these arguments alone', () =>
      assert.deepEqual(uncoveredArguments(bash('git log -1 --output=x | git grep -Oy z')), ['--output=x', '-Oy']));
  });

  for (const [words, line] of [
    [['git', 'log'], 'git log --oneline -S--output -n 5 -- --output=x'],
    [['git', 'log'], 'git log --author=me --no-ext-diff -c'],
    [['git', 'diff'], 'git diff --output-indicator-new=x HEAD~1'],
    [['git', 'grep'], 'git grep -n --text -eO x'],
    [['git', 'config'], 'git config --global --get user.name'],
    [['git', 'fetch'], 'git fetch -u --prune origin'],
    [['git', 'clone'], 'git clone --depth 1 u'],
    [['npm', 'test'], 'npm test -- --prefix=x --node-options=y'],
    [['npm', 'run'], 'npm run build --workspace a --if-present'],
    [['npm', 'install'], 'npm install --global x'],
    [['pnpm', 'run'], 'pnpm run -r build'],
    [['make'], 'make -j8 -k test'],
    [['cargo', 'clippy'], 'cargo clippy --all -- -D warnings -Dclippy::all'],
    [['cargo', 'test'], 'cargo test name -- --nocapture'],
    [['go', 'test'], 'go test -v -run=x -count=1 ./...'],
    [['tar'], 'tar -tvf a.tar'],
    [['tar'], 'tar xzf a.tar'],
    [['sort'], 'sort -t o -ko a'],
    [['docker', 'run'], 'docker run --output=x y'],
  ] as const) {
    it(`about beginnings cover ${line}`, () => {
      assert.ok(ruleFor(bash(line), [prefix(...words)]));
      assert.deepEqual(uncoveredArguments(bash(line)), []);
    });
  }

  it('about beginnings cover a risky argument that the user wrote into the rule', () =>
    assert.ok(ruleFor(bash('git -C sub log -1'), [prefix('git', '-C', 'sub', 'log')])));

  it('about a whole line fit that line alone', () => {
    const rules: ApprovalRule[] = [{ tool: 'bash', match: { type: 'exact', command: 'echo $HOME > x' } }];
    assert.ok(ruleFor(bash('echo $HOME > x'), rules));
    assert.equal(ruleFor(bash('echo $HOME > x; rm y'), rules), undefined);
  });

  it('about files go by the real path, and leave places alone that code is run from', () => {
    const all = [path('**')];
    assert.ok(ruleFor(file(`${CWD}/src/a.ts`, 'workspace'), all));
    assert.equal(ruleFor(file(`${CWD}/.git/hooks/x`, 'code'), all), undefined);
    assert.equal(ruleFor(file('/etc/passwd', 'outside'), all), undefined);
    assert.equal(ruleFor(file(`${CWD}/a`, 'unclear'), all), undefined);
    assert.ok(ruleFor(file(`${CWD}/.vscode/tasks.json`, 'code'), [path('.vscode/tasks.json', true)]));
    assert.ok(ruleFor(file('/opt/x/y', 'outside'), [path('/opt/**')]));
    assert.equal(ruleFor(file(`${CWD}/src/deep/a.ts`, 'workspace'), [path('src/*.ts')]), undefined);
    assert.equal(ruleFor(file(`${CWD}/a`, 'workspace'), [path('[')]), undefined, 'no pattern allows nothing');
  });

  it('about files cover what runs with the next build only if they name it', () => {
    const build = (name: string, use?: 'read'): CallDetails => file(`${CWD}/${name}`, 'build', use);
    for (const wide of ['**', '*', '*.json', '.*/**', 'package.*']) {
      for (const name of ['package.json', '.github/workflows/a.yml', '.envrc', '.mcp.json', '.cursor/mcp.json']) {
        assert.equal(ruleFor(build(name), [path(wide)]), undefined, `${wide}: ${name}`);
      }
    }
    assert.ok(ruleFor(build('package.json'), [path('package.json')]));
    assert.ok(ruleFor(build('a/package.json'), [path('**/package.json')]));
    assert.ok(ruleFor(build('.github/workflows/a.yml'), [path('.github/**')]));
    assert.ok(ruleFor(build('vite.config.ts'), [path('*.config.ts')]));
    assert.ok(ruleFor(build('.envrc'), [path('**', true)]), 'of --allow-path');
    assert.ok(ruleFor(build('package.json', 'read'), [path('**')]));
  });

  it('about all calls of a tool do not open places that code is run from', () => {
    const any: ApprovalRule[] = [{ tool: 'write', match: { type: 'any' } }];
    assert.ok(ruleFor(file(`${CWD}/a`, 'workspace'), any));
    assert.equal(ruleFor(file(`${CWD}/.pi/hooks/a.ts`, 'code'), any), undefined);
    assert.equal(ruleFor(file(`${CWD}/package.json`, 'build'), any), undefined);
    assert.equal(ruleFor(file('/etc/x', 'outside'), any), undefined);
  });

  for (const [what, facts, offers] of [
    ['a verb of a program', bash('git status -s'), ['bash: git status -s', 'bash: git status …']],
    ['a script', bash('npm run build -- --x'), ['bash: npm run build -- --x', 'bash: npm run build …']],
    ['a risky argument', bash('git log --output=x'), ['bash: git log --output=x']],
    ['what deletes', bash('rm -rf build'), ['bash: rm -rf build']],
    ['several commands', bash('git status; npm test'), ['bash: git status; npm test']],
    ['what is not understood', bash('echo $(x)'), ['bash: echo $(x)']],
    ['a file here', file(`${CWD}/src/a[1].ts`, 'workspace'), ['files: **', 'files: src/a\\[1\\].ts']],
    ['a place that code is run from', file(`${CWD}/.git/config`, 'code'), ['files: .git/config']],
    [
      'what runs with the next build',
      file(`${CWD}/.github/[x]{y}.yml`, 'build'),
      ['files: .github/\\[x\\]\\{y\\}.yml'],
    ],
    ['a file elsewhere', file('/opt/x', 'outside'), ['files: /opt/x']],
    ['a path that leads nobody knows where', file('/x', 'unclear'), []],
    ['a tool of others', { toolName: 'mcp__x', kind: 'foreign', input: {}, cwd: CWD }, ['mcp__x']],
  ] as const) {
    it(`offered for ${what} let that call pass, and are read as they are written`, () => {
      const offered = offersFor(facts);
      assert.deepEqual(offered.map(ruleText), offers);
      for (const rule of offered) {
        assert.ok(ruleFor(facts, [rule]), ruleText(rule));
        assert.equal(rule.folder, CWD);
        assert.deepEqual(readRuleText(rule, ruleText(rule)), rule);
      }
    });
  }

  it('about a file become one about a command when its text is changed into one', () => {
    const edited = readRuleText(path('notes.txt'), 'bash: git status …');
    assert.deepEqual(edited?.match, { type: 'prefix', words: ['git', 'status'] });
    assert.ok(ruleFor(bash('git status -s'), [edited]));
    assert.equal(readRuleText(path('a'), 'edit: src/**')?.match.type, 'path');
  });

  it('are refused where what a person writes is none', () => {
    assert.equal(readRuleText(prefix('a'), 'bash: a; b …'), undefined);
    assert.equal(readRuleText(prefix('a'), 'bash: $(a) …'), undefined);
    assert.equal(readRuleText(prefix('a'), ' : a'), undefined);
    assert.equal(readRuleText(path('a'), 'files: ['), undefined);
  });

  describe('about a tool whose server says something else later', () => {
    const call = (definition?: string): CallDetails => ({
      ...{ toolName: 'mcp__s__a', kind: 'foreign', input: {}, cwd: CWD },
      ...(definition === undefined ? {} : { definition }),
    });
    const [rule] = offersFor(call('before'));
    const rules = [rule ?? assert.fail()];

    it('allow it only as it was when it was allowed', () => {
      assert.equal(ruleFor(call('before'), rules), rule);
      for (const changed of [call('after'), call()]) {
        assert.equal(ruleFor(changed, rules), undefined);
        assert.equal(wasChangedSince(changed, rules), true);
      }
      assert.equal(wasChangedSince(call('before'), rules), false);
      assert.equal(wasChangedSince({ ...call('after'), toolName: 'mcp__s__b' }, rules), false);
      const again = [...rules, ...offersFor(call('after'))];
      assert.equal(wasChangedSince(call('after'), again), false);
    });

    it('allow it in any form when a person wrote them', () => {
      const written: ApprovalRule = { tool: 'mcp__s__a', match: { type: 'any' } };
      for (const definition of ['before', 'after', undefined]) {
        assert.equal(ruleFor(call(definition), [written]), written);
      }
    });

    it('stay bound to what was allowed when their text is not changed', () => {
      assert.deepEqual(readRuleText(rules[0]!, 'mcp__s__a'), rule);
      assert.deepEqual(readRuleText(rules[0]!, 'mcp__s__b')?.match, { type: 'any' });
    });

    it('take the place of the one before', () => {
      const [later = assert.fail()] = offersFor(call('after'));
      assert.equal(takesPlaceOf(later, rules[0]!), true);
      assert.equal(takesPlaceOf(later, { ...rules[0]!, folder: '/other' }), false);
      assert.equal(takesPlaceOf(later, { tool: 'mcp__s__a', folder: CWD, match: { type: 'any' } }), false);
    });
  });
});
