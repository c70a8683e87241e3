import assert from 'node:assert/strict';
import { readLink } from '../../../src/vscode/chat/links';

describe('readLink', () => {
  it('follows the web and mail as they are', () => {
    assert.deepEqual(readLink('https://example.org/a?b#c'), { type: 'web', href: 'https://example.org/a?b#c' });
    assert.deepEqual(readLink('mailto:a@example.org'), { type: 'web', href: 'mailto:a@example.org' });
  });

  it('finds file, line and column in every form that is usual', () => {
    assert.deepEqual(readLink('src/a.ts'), { type: 'file', path: 'src/a.ts' });
    assert.deepEqual(readLink('src/a.ts:12'), { type: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(readLink('a.ts:12:3'), { type: 'file', path: 'a.ts', line: 12, column: 3 });
    assert.deepEqual(readLink('src/a.ts#L12'), { type: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(readLink('src/a.ts#L12-L20'), { type: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(readLink('file:///w/%C3%A4%20b.ts#L2'), { type: 'file', path: '/w/ä b.ts', line: 2 });
    assert.deepEqual(readLink('file:///c:/w/a.ts'), { type: 'file', path: 'c:/w/a.ts' });
    assert.deepEqual(readLink('C:\\w\\a.ts'), { type: 'file', path: 'C:\\w\\a.ts' });
  });

  it('keeps a percent sign that is part of a name', () =>
    assert.deepEqual(readLink('100%.txt'), { type: 'file', path: '100%.txt' }));

  it('refuses everything else', () => {
    for (const href of [
      'command:workbench.action.quit',
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'vscode:x',
      'data:text/html,x',
    ]) {
      assert.equal(readLink(href).type, 'refused', href);
    }
  });
});
