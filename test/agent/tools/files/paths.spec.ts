import assert from 'node:assert/strict';
import {
  resolveExisting,
  resolveForWrite,
  resolveToCwd,
  type PathContext,
} from '../../../../src/agent/tools/files/paths';

const on = (platform: NodeJS.Platform, ...existing: string[]): PathContext => ({
  platform,
  home: platform === 'win32' ? 'C:\\Users\\me' : '/home/me',
  exists: path => existing.includes(path),
});

describe('paths', () => {
  const cases: readonly (readonly [path: string, absolute: string])[] = [
    ['a/b.txt', '/work/a/b.txt'],
    ['/etc/x', '/etc/x'],
    ['.', '/work'],
    ['', '/work'],
    ['../up', '/up'],
    ['~', '/home/me'],
    ['~/x y', '/home/me/x y'],
    ['~other/x', '/work/~other/x'],
    ['@notes.md', '/work/notes.md'],
    ['@/etc/x', '/etc/x'],
    ['a\u00a0b\u202fc\u3000d.txt', '/work/a b c d.txt'],
    ['file:///tmp/x%20y', '/tmp/x y'],
  ];
  for (const [path, absolute] of cases) {
    it(`resolves ${JSON.stringify(path)}`, () => assert.equal(resolveToCwd(path, '/work', on('linux')), absolute));
  }

  it('resolves Windows paths, Git Bash ones included', () => {
    const context = on('win32');
    assert.equal(resolveToCwd('src/a.ts', 'C:\\work', context), 'C:\\work\\src\\a.ts');
    assert.equal(resolveToCwd('D:\\x', 'C:\\work', context), 'D:\\x');
    assert.equal(resolveToCwd('/d/x/y', 'C:\\work', context), 'D:\\x\\y');
    assert.equal(resolveToCwd('~\\x', 'C:\\work', context), 'C:\\Users\\me\\x');
  });

  it('prefers a path that exists as it was written', () => {
    assert.equal(resolveExisting('@types/x.d.ts', '/w', on('linux', '/w/@types/x.d.ts')), '/w/@types/x.d.ts');
    assert.equal(resolveExisting('a\u00a0b', '/w', on('linux', '/w/a\u00a0b', '/w/a b')), '/w/a\u00a0b');
    assert.equal(resolveExisting('a\u00a0b', '/w', on('linux', '/w/a b')), '/w/a b');
    assert.equal(resolveExisting('@a', '/w', on('linux')), '/w/a');
  });

  it('finds the names that macOS gives to screenshots', () => {
    const time = '/w/Shot at 1.00.00\u202fPM.png';
    assert.equal(resolveExisting('Shot at 1.00.00 PM.png', '/w', on('darwin', time)), time);
    const french = '/w/Capture d\u2019e\u0301cran.png';
    assert.equal(resolveExisting("Capture d'\u00e9cran.png", '/w', on('darwin', french)), french);
  });

  it('writes below an existing @folder, and drops the @ of a mention otherwise', () => {
    assert.equal(resolveForWrite('@scope/new.ts', '/w', on('linux', '/w/@scope')), '/w/@scope/new.ts');
    assert.equal(resolveForWrite('@src/new.ts', '/w', on('linux', '/w/src')), '/w/src/new.ts');
    assert.equal(resolveForWrite('@new.ts', '/w', on('linux')), '/w/new.ts');
  });
});
