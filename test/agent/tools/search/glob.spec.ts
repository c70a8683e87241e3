import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseIgnoreFile } from '../../../../src/agent/tools/search/gitignore';
import { compileGlob, nameGlobOf } from '../../../../src/agent/tools/search/glob';
import { runs } from '../../../support/long-run';

describe('compileGlob', () => {
  const cases: readonly (readonly [glob: string, yes: readonly string[], no: readonly string[]])[] = [
    ['*.ts', ['a.ts', 'x/y/a.ts', '.ts'], ['a.tsx', 'a.ts/b', 'ats']],
    ['a?c', ['abc', 'd/a€c', 'a😀c'], ['ac', 'a/c', 'abbc']],
    ['src/*.ts', ['src/a.ts'], ['src/b/a.ts', 'x/src/a.ts']],
    ['./src/*', ['src/a'], ['a']],
    ['/a', ['a'], ['b/a']],
    ['**/*.ts', ['a.ts', 'x/y/a.ts'], ['a.js']],
    ['src/**/*.spec.ts', ['src/a.spec.ts', 'src/x/y/a.spec.ts'], ['a.spec.ts', 'src2/a.spec.ts']],
    ['src/**', ['src/a', 'src/x/y'], ['src', 'a']],
    ['**', ['a', 'x/y'], []],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['[a-c]x', ['ax', 'bx'], ['dx', '-x']],
    ['[!a-c]x', ['dx'], ['ax', '/x']],
    ['[]]x', [']x'], ['x']],
    ['*.{ts,js}', ['a.ts', 'a.js'], ['a.css', 'a.{ts,js}']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'ad']],
    ['\\*x', ['*x'], ['ax']],
    ['a+(b).$^|', ['a+(b).$^|'], ['aab']],
    ['Datei mit ü.txt', ['x/Datei mit ü.txt'], []],
  ];
  for (const [glob, yes, no] of cases) {
    it(glob, () => {
      const matches = compileGlob(glob);
      assert.deepEqual(
        yes.filter(path => !matches(path)),
        [],
      );
      assert.deepEqual(
        no.filter(path => matches(path)),
        [],
      );
    });
  }

  it('ignores case when asked to', () => {
    assert.equal(compileGlob('readme*', { ignoreCase: true })('README.md'), true);
    assert.equal(compileGlob('readme*')('README.md'), false);
  });

  it('takes a name with brackets for the class and for itself when asked to, and for the class only otherwise', () => {
    const found = (glob: string, withBracketNames: boolean): readonly string[] =>
      ['id/p.ts', 'i/p.ts', '[id]/p.ts', '[i]/p.ts', '[...ID]/p.ts', '[[x]]/p.ts', '[z-a]/p.ts'].filter(
        compileGlob(glob, { withBracketNames, ignoreCase: true }),
      );
    assert.deepEqual(found('[id]/**', true), ['i/p.ts', '[id]/p.ts']);
    assert.deepEqual(found('[id]/**', false), ['i/p.ts']);
    assert.deepEqual(found('{[...id],x}/*.ts', true), ['i/p.ts', '[...ID]/p.ts']);
    assert.deepEqual(found('[[x]]/*', true), ['[[x]]/p.ts']);
    assert.deepEqual(found('[z-a]/*', true), ['[z-a]/p.ts']);
    assert.throws(() => found('[id/*', true), { message: "Invalid glob pattern '[id/*': a bracket is not closed" });
  });

  it('names a pattern that is not closed or not in order', () => {
    assert.throws(() => compileGlob('a[b'), { message: "Invalid glob pattern 'a[b': a bracket is not closed" });
    assert.throws(() => compileGlob('a{b'), { message: "Invalid glob pattern 'a{b': a brace is not closed" });
    assert.throws(() => compileGlob('[z-a]'), { message: "Invalid glob pattern '[z-a]': a range is out of order" });
  });

  it('knows which part of a pattern limits the name', () =>
    assert.deepEqual(['*.ts', 'src/**/*.ts', 'src/**', 'src/', '*.{a,b}', '{a/b,c}', '[id].ts'].map(nameGlobOf), [
      '*.ts',
      '*.ts',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]));
});

describe('parseIgnoreFile', () => {
  const ignore = parseIgnoreFile(
    '# comment\n\n*.log\n!keep.log\nbuild/\n/top\nsrc/gen\ndoc/**/x\n\\#file\nspace\\ \ntail   \n[bad\n',
  );
  const cases: readonly (readonly [path: string, isDirectory: boolean, verdict: boolean | undefined])[] = [
    ['a.log', false, true],
    ['x/a.log', false, true],
    ['x/keep.log', false, false],
    ['build', true, true],
    ['build', false, undefined],
    ['x/build', true, true],
    ['top', false, true],
    ['x/top', false, undefined],
    ['src/gen', true, true],
    ['x/src/gen', true, undefined],
    ['doc/a/b/x', false, true],
    ['#file', false, true],
    ['tail', false, true],
    ['[bad', false, undefined],
  ];
  for (const [path, isDirectory, verdict] of cases) {
    it(`${path}${isDirectory ? '/' : ''} -> ${String(verdict)}`, () =>
      assert.equal(ignore(path, isDirectory), verdict));
  }
});

describe('patterns made to take forever', () => {
  const name = 'a'.repeat(250);
  // A regular expression of these tries every way to share the letters among the stars: minutes, and hours with one more.
  const hostile: readonly (readonly [kind: string, glob: string, path: string])[] = [
    ['stars', '*a*a*a*a*a*q', name],
    ['stars in a path', 'x/*a*a*a*a*a*q', `x/${name}`],
    ['folders', '**/a/**/a/**/a/**/a/**/a/**/q', 'a/'.repeat(250) + 'b'],
    ['alternatives', `${'{a,a}'.repeat(30)}q`, name],
    ['alternatives of stars', `${'{*a,a*}'.repeat(5)}q`, name],
    ['a long pattern', `${'*a'.repeat(2000)}q`, name],
    ['classes', '*[a-b]*[!c]*[a]*[a]*[a]*q', name],
  ];
  for (const [kind, glob, path] of hostile) {
    it(`glob: ${kind}`, () => {
      for (const ignoreCase of [true, false]) {
        assert.equal(compileGlob(glob, { ignoreCase })(path), false);
        assert.equal(compileGlob(`{${glob},*a}`, { ignoreCase })('a'), true);
      }
    });
    if (glob.includes('{')) continue;
    it(`ignore file: ${kind}`, () => assert.equal(parseIgnoreFile(`/${glob}`)(path, false), undefined));
  }

  it('mean what the regular expressions mean that they stand for', () => {
    const piece = fc.constantFrom(
      ['a', 'a'],
      ['b', 'b'],
      ['/', '/'],
      ['*', '[^/]*'],
      ['?', '[^/]'],
      ['[ab]', '[ab]'],
      ['[!a]', '[^a/]'],
      ['{a,*b}', '(?:a|[^/]*b)'],
      ['{,b{a,?}}', '(?:|b(?:a|[^/]))'],
      ['/**/', '/(?:[^/]+/)*'],
    );
    const text = fc.array(fc.constantFrom('a', 'b', '/', 'c', 'ü', '😀'), { maxLength: 7 });
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.array(text, { maxLength: 20 }),
        (pieces, texts) => {
          const glob = pieces.map(([written]) => written).join('');
          // Stars that touch are a word of their own, and braces change what stands beside a slash.
          fc.pre(!/\*\*(?!\/)|[^/]\*\*|\*\*\/\*\*/.test(glob));
          const matches = compileGlob(`x/${glob}`);
          const expected = new RegExp(`^x/${pieces.map(([, source]) => source).join('')}$`, 'su');
          for (const one of texts) {
            const path = `x/${one.join('')}`;
            assert.equal(matches(path), expected.test(path), `${glob} ${path}`);
          }
        },
      ),
      runs(400, 20_000),
    );
  });
});
