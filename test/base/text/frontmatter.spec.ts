import assert from 'node:assert/strict';
import { parseFrontmatter, stripFrontmatter } from '../../../src/base/text/frontmatter';

describe('frontmatter', () => {
  const headOf = (yaml: string): unknown => parseFrontmatter(`---\n${yaml}\n---\nbody\n`).frontmatter;

  it('is split from the body', () => {
    assert.deepEqual(parseFrontmatter('---\nname: x\n---\n\n# Title\n'), {
      frontmatter: { name: 'x' },
      body: '# Title',
    });
    assert.deepEqual(parseFrontmatter('---\r\nname: x\r\n---\r\nbody'), { frontmatter: { name: 'x' }, body: 'body' });
    assert.deepEqual(parseFrontmatter('---\n---\nbody'), { frontmatter: {}, body: 'body' });
    assert.equal(stripFrontmatter('---\nname: x\n---\nbody'), 'body');
  });

  it('is absent when the text does not begin with it', () => {
    for (const text of ['', 'body', '----\na: 1\n---\n', '---\nnever closed', 'x\n---\na: 1\n---\n']) {
      assert.deepEqual(parseFrontmatter(text), { frontmatter: {}, body: text });
      assert.equal(stripFrontmatter(text), text);
    }
  });

  it('holds scalars', () =>
    assert.deepEqual(
      headOf(`text: plain words:with colon
number: 12.5
negative: -3
yes: true
no: false
nothing:
tilde: ~
single: 'it''s'
double: "tab\\there \\"x\\""
hash: a # comment
"quoted key": v
version: 1.2.3
disable-model-invocation: true`),
      {
        text: 'plain words:with colon',
        number: 12.5,
        negative: -3,
        yes: true,
        no: false,
        nothing: null,
        tilde: null,
        single: "it's",
        double: 'tab\there "x"',
        hash: 'a',
        'quoted key': 'v',
        version: '1.2.3',
        'disable-model-invocation': true,
      },
    ));

  it('holds lists, maps and blocks', () =>
    assert.deepEqual(
      headOf(`flow: [a, "b, c", 3]
list:
- one
- two
indented:
  - x
  - y
map:
  inner:
    deep: 1
  other: 2
literal: |
  line 1
    line 2

  line 3
folded: >-
  one
  two
# a comment
end: 1`),
      {
        flow: ['a', 'b, c', 3],
        list: ['one', 'two'],
        indented: ['x', 'y'],
        map: { inner: { deep: 1 }, other: 2 },
        literal: 'line 1\n  line 2\n\nline 3\n',
        folded: 'one two',
        end: 1,
      },
    ));

  it('holds folded and quoted texts over several lines, anchors and maps in one line', () =>
    assert.deepEqual(
      headOf(`description: first line
  goes on here
quoted: "one
  two"
base: &base { a: 1, b: [x, y] }
same: *base`),
      {
        description: 'first line goes on here',
        quoted: 'one two',
        base: { a: 1, b: ['x', 'y'] },
        same: { a: 1, b: ['x', 'y'] },
      },
    ));

  it('may hold plain values with a colon only where older rules are read', () => {
    const text = '---\ndescription: Use: it\n---\nbody';
    assert.throws(() => parseFrontmatter(text), /^Error: Frontmatter, line 2: Nested mappings/);
    assert.deepEqual(parseFrontmatter(text, { colonsInValues: true }).frontmatter, { description: 'Use: it' });
  });

  it('and text have plain line ends, and no mark at the start', () => {
    assert.deepEqual(parseFrontmatter('\uFEFF---\r\na: |\r\n  x\r\n  y\r\n---\r\none\r\ntwo\rthree'), {
      frontmatter: { a: 'x\ny\n' },
      body: 'one\ntwo\nthree',
    });
    assert.equal(stripFrontmatter('one\r\ntwo'), 'one\ntwo');
  });

  it('that is something else is an error with its line', () =>
    assert.throws(() => headOf('a: 1\njust words'), /^Error: Frontmatter, line 3: Implicit/));
});
