import assert from 'node:assert/strict';
import type { CallDetails } from '../../../src/hooks/built-in-gate/call-details';
import { offersFor, readRuleText, ruleFor, ruleText, type ApprovalRule } from '../../../src/hooks/built-in-gate/rule';

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

  it('about all calls of a tool do not open places that code is run from', () => {
    const any: ApprovalRule[] = [{ tool: 'write', match: { type: 'any' } }];
    assert.ok(ruleFor(file(`${CWD}/a`, 'workspace'), any));
    assert.equal(ruleFor(file(`${CWD}/.pi/hooks/a.ts`, 'code'), any), undefined);
    assert.equal(ruleFor(file('/etc/x', 'outside'), any), undefined);
  });

  for (const [what, facts, offers] of [
    ['a verb of a program', bash('git status -s'), ['bash: git status …', 'bash: git status -s']],
    ['a script', bash('npm run build -- --x'), ['bash: npm run build …', 'bash: npm run build -- --x']],
    ['what deletes', bash('rm -rf build'), ['bash: rm -rf build']],
    ['several commands', bash('git status; npm test'), ['bash: git status; npm test']],
    ['what is not understood', bash('echo $(x)'), ['bash: echo $(x)']],
    ['a file here', file(`${CWD}/src/a[1].ts`, 'workspace'), ['files: **', 'files: src/a\\[1\\].ts']],
    ['a place that code is run from', file(`${CWD}/.git/config`, 'code'), ['files: .git/config']],
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
});
