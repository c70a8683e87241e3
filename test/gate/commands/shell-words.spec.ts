import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LONGEST_LINE, simpleCommands } from '../../../src/gate/commands/shell-words';

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
    ['git diff HEAD~2 main~', [['git', 'diff', 'HEAD~2', 'main~']]],
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

  for (const [line, commands] of [
    ['echo "2">/dev/null', [['echo', '2']]],
    ['echo "2"2>/dev/null', [['echo', '22']]],
    ['echo a2>/dev/null; b', [['echo', 'a2'], ['b']]],
    ['echo a>/dev/null 2>&1', [['echo', 'a']]],
    [`echo ''>/dev/null`, [['echo', '']]],
    ['echo 12>/dev/null', undefined],
    ['echo 3>/dev/null', undefined],
    ['echo 0>&1', undefined],
    [`A='x' git status`, undefined],
    ['A="x" git status', undefined],
    [`A='x'y git status`, undefined],
    ['A+="x" git status', undefined],
    [`A=''`, undefined],
    [`git status; A='x' b`, undefined],
    ['echo a=x:~', undefined],
    ['echo x=~', undefined],
  ] as const) {
    it(`are those that bash runs: ${line}`, () => assert.deepEqual(simpleCommands(line), commands));
  }

  it('are read in as many steps for a word of any length', () => {
    const short = stepsFor(() => simpleCommands(`echo ${'a'.repeat(100)}`));
    const long = stepsFor(() => simpleCommands(`echo ${'a'.repeat(LONGEST_LINE - 10)}`));
    assert.ok(short > 0);
    assert.equal(long, short);
  });

  for (const [what, part] of [
    ['words', 'a '],
    ['quotes', `'a'"b"`],
    ['commands', 'a;'],
    ['redirections', 'a 2>&1 '],
    ['numbers before a redirection', '"1">/dev/null '],
  ] as const) {
    it(`are read in steps that grow no faster than the line, with many ${what}`, () => {
      const [few, many] = [100, 1000].map(count => stepsFor(() => simpleCommands(part.repeat(count))));
      assert.ok(few !== undefined && many !== undefined && few > 0);
      assert.ok(many <= 10 * few, `${many} steps instead of ${few}`);
    });
  }

  for (const [what, line] of [
    ['one word', 'a'.repeat(200_000)],
    ['one quoted word', `'${'a'.repeat(200_000)}'`],
    ['many words', 'a '.repeat(100_000)],
    ['quotes that do not end', `"'`.repeat(100_000)],
    ['line breaks', '\n'.repeat(200_000)],
  ] as const) {
    it(`are not looked for in 200 kB with ${what}`, () =>
      assert.deepEqual([stepsFor(() => simpleCommands(line)), simpleCommands(line)], [0, undefined]));
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

/** How often a pattern is tried, or a text is cut, while `read` runs. */
function stepsFor(read: () => unknown): number {
  let steps = 0;
  const counted = (owner: object, name: string): (() => void) => {
    const original = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    const own = original.value as (...args: readonly unknown[]) => unknown;
    Object.defineProperty(owner, name, {
      ...original,
      value(this: unknown, ...args: readonly unknown[]) {
        steps += 1;
        return Reflect.apply(own, this, args);
      },
    });
    return () => Object.defineProperty(owner, name, original);
  };
  const restore = [counted(RegExp.prototype, 'exec'), counted(String.prototype, 'slice')];
  try {
    read();
  } finally {
    for (const end of restore) end();
  }
  return steps;
}
