import assert from 'node:assert/strict';
import fc from 'fast-check';
import { simpleCommands } from '../../../src/hooks/built-in-gate/shell-words';

describe('the simple commands of a line', () => {
  for (const [line, commands] of [
    ['git status', [['git', 'status']]],
    ['  git   status  ', [['git', 'status']]],
    [
      'git status; rm -rf ~',
      [
        ['git', 'status'],
        ['rm', '-rf', '~'],
      ],
    ],
    ['git status && npm test || echo no | cat', [['git', 'status'], ['npm', 'test'], ['echo', 'no'], ['cat']]],
    ['a\nb\n\nc\n', [['a'], ['b'], ['c']]],
    ['a;', [['a']]],
    [`echo 'a $b; rm' "two words"`, [['echo', 'a $b; rm', 'two words']]],
    [`e'ch'o "x"y`, [['echo', 'xy']]],
    ['npm test 2>&1', [['npm', 'test']]],
    [
      'npm test >/dev/null 2>&1 | tail -5',
      [
        ['npm', 'test'],
        ['tail', '-5'],
      ],
    ],
    ['npm test 2> /dev/null', [['npm', 'test']]],
    ['cat < /dev/null', [['cat']]],
    ['ls grüße/日本', [['ls', 'grüße/日本']]],
    [`'FOO=1' x`, [['FOO=1', 'x']]],
    ['make CC=clang', [['make', 'CC=clang']]],
  ] as const) {
    it(`of ${JSON.stringify(line)}`, () => assert.deepEqual(simpleCommands(line), commands));
  }

  for (const line of [
    ...['', ' ', ';', ';;', 'a && ', 'a |', '|| a', 'a;;b', '; a', 'a & b', 'a &', '&& a', 'a & ', 'a |& b'],
    ...['echo $HOME', 'echo `id`', 'echo $(id)', 'echo "$(id)"', 'echo "`id`"', 'echo "$x"', 'echo ${x}', "echo $'x'"],
    ...[
      'a > b',
      'a >> b',
      'a 2> b',
      'a >b',
      'a < b',
      'a << E',
      'a <<< b',
      'a <(b)',
      'a >| b',
      'a &> b',
      'a >/dev/nullx',
    ],
    ...['a >/dev/null/../../tmp/x', '>/dev/tcp/1.2.3.4/80', 'a 3>&1 4> x'],
    ...[
      '(a)',
      '{ a; }',
      'a() { b; }',
      'if a',
      'while a',
      'for x',
      'time rm x',
      'eval x',
      'exec x',
      '. ./x',
      'source x',
    ],
    ...[
      'FOO=1 x',
      'PATH=. git status',
      '! a',
      'a # b',
      'a \\\n b',
      'rm \\-rf',
      'echo "a\\"',
      "echo 'open",
      'echo "open',
    ],
    ...[
      'ls *',
      'ls ?',
      'ls [a]',
      'ls {a,b}',
      'a\r\nb',
      'a\0b',
      'a \u202e b',
      'echo "!!"',
      'a=~x/b ~c',
      'a\u00a0b',
      "''",
      '"" x',
    ],
  ]) {
    it(`cannot be told of ${JSON.stringify(line)}`, () => assert.equal(simpleCommands(line), undefined));
  }

  it('never hold a sign that a shell would have read in another way', () => {
    const sign = fc.constantFrom(...'abc .;|&<>$`\\"\'(){}[]*?!#~=\n12/-'.split(''));
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 24 }), signs => {
        const line = signs.join('');
        if (simpleCommands(line) === undefined) return;
        const bare = line
          .replace(/'[^']*'|"[^"$`\\!]*"/g, 'q')
          .replace(/(?:[12]?>&[12]|[12&]?>{1,2} ?\/dev\/null|< ?\/dev\/null)/g, '');
        assert.doesNotMatch(bare, /[$`\\<>(){}[\]*?!#"']|(?<!&)&(?!&)/, line);
      }),
    );
  });
});
