import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CompileCache } from '../../../src/hook-load/compile/compile-cache';
import { HookSource } from '../../../src/hook-load/graph/hook-source';
import { MentionedNames } from '../../../src/hook-load/graph/mentioned-names';
import { TempFiles } from '../support/temp-files';

describe('the names in the texts of a hook', () => {
  let files: TempFiles;
  let cache: CompileCache;
  beforeEach(() => {
    files = new TempFiles();
    cache = new CompileCache(files.path('cache'));
  });
  afterEach(() => files.remove());

  const FILLER = 'x();\n'.repeat(20_000);
  const sources = (...texts: readonly string[]): readonly HookSource[] =>
    texts.map((text, index) => HookSource.of(`/${index}.ts`, text));
  const NAMES = ['Text', 'Tex', '.pi.', '= pi.pi', '__proto__', 'constructor'];
  const answers = (names: MentionedNames): readonly boolean[] => NAMES.map(name => names.has(name));
  const EXPECTED = [true, false, true, false, false, false];

  it('are whole words, or pieces that are no word, and are stored for exactly these texts', () => {
    const texts = sources(`${FILLER}new Text();`, 'a.pi.b');
    assert.deepEqual(answers(new MentionedNames(texts)), EXPECTED);
    const first = new MentionedNames(texts, cache);
    assert.deepEqual(answers(first), EXPECTED);
    first.keep();
    const [file = ''] = readdirSync(files.path('cache'));
    const stored = readFileSync(files.path('cache', file), 'utf8');
    assert.deepEqual(answers(new MentionedNames(texts, cache)), EXPECTED);
    writeFileSync(files.path('cache', file), stored.replace('"Tex":false', '"Tex":true'));
    assert.equal(new MentionedNames(texts, cache).has('Tex'), true, 'it was searched again');
    assert.equal(new MentionedNames(texts, cache).has('pi'), true, 'what was not asked before');
    assert.equal(new MentionedNames(sources(`${FILLER}new Text2();`, 'a.pi.b'), cache).has('Text'), false);
    for (const damaged of [stored.slice(0, -5), stored.replace('true', '1'), stored.replace('{', '')]) {
      writeFileSync(files.path('cache', file), damaged);
      assert.deepEqual(answers(new MentionedNames(texts, cache)), EXPECTED);
    }
  });

  it('are not stored for short texts', () => {
    const names = new MentionedNames(sources('new Text();', 'a.pi.b'), cache);
    assert.deepEqual(answers(names), EXPECTED);
    names.keep();
    assert.throws(() => readdirSync(files.path('cache')), /ENOENT/);
  });
});
