import assert from 'node:assert/strict';
import { changedWords, type LinePart } from '../../../webview/output/changed-words';

/** Both texts with the changed words in brackets. */
const marked = (removed: readonly string[], added: readonly string[]): readonly string[] => {
  const text = (parts: readonly LinePart[]): string =>
    parts.map(part => (part.isChanged ? `[${part.text}]` : part.text)).join('');
  const lines = changedWords(removed, added);
  return [...lines.removed.map(parts => `-${text(parts)}`), ...lines.added.map(parts => `+${text(parts)}`)];
};

describe('changed words', () => {
  it('are marked in both lines, with the space between two of them', () => {
    assert.deepEqual(marked(['const a = one(b) + c;'], ['const a = two(b) - d;']), [
      '-const a = [one](b) [+ c];',
      '+const a = [two](b) [- d];',
    ]);
  });

  it('are found when a line became several', () => {
    assert.deepEqual(marked(['return Number(text);'], ['const value = Number(text);', 'return value;', '// all new']), [
      '-[return] Number(text);',
      '+[const value = ]Number(text);',
      '+return value;',
      '+// all new',
    ]);
  });

  it('include spaces at the beginning of a line', () => {
    assert.deepEqual(marked(['  go(now);'], ['    go(now);']), ['-[  ]go(now);', '+[    ]go(now);']);
  });

  it('are not marked in lines that have little in common', () => {
    assert.deepEqual(marked(['import a from "b";'], ['// nothing here']), ['-import a from "b";', '+// nothing here']);
  });

  it('are not marked in long texts, nor in lines with hidden characters', () => {
    const long = 'word '.repeat(900);
    assert.deepEqual(marked([`${long}a`], [`${long}b`]), [`-${long}a`, `+${long}b`]);
    assert.deepEqual(marked(['say \u{1f469}\u200d\u{1f680} a'], ['say \u{1f469}\u200d\u{1f52c} a']), [
      '-say \u{1f469}\u200d\u{1f680} a',
      '+say \u{1f469}\u200d\u{1f52c} a',
    ]);
  });

  it('are none where lines are only removed or only added', () => {
    assert.deepEqual(marked(['a', 'b'], []), ['-a', '-b']);
    assert.deepEqual(marked([], ['', 'b']), ['+', '+b']);
  });
});
