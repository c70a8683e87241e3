import assert from 'node:assert/strict';
import { linkTarget, looksLikePath } from '../../../webview/markdown/links';

describe('link policy', () => {
  const web = ['https://example.org/a?b#c', 'http://localhost:8080', 'HTTPS://EXAMPLE.ORG', 'mailto:a@example.org'];
  for (const href of web) {
    it(`lets ${href} out`, () => {
      assert.deepEqual(linkTarget(href), { type: 'web', href });
    });
  }

  const files: [string, { path: string; line?: number; column?: number }][] = [
    ['src/main.ts', { path: 'src/main.ts' }],
    ['./a b.md', { path: './a b.md' }],
    ['a%20b.md', { path: 'a b.md' }],
    ['100%.md', { path: '100%.md' }],
    ['src/main.ts:12', { path: 'src/main.ts', line: 12 }],
    ['src/main.ts:12:3', { path: 'src/main.ts', line: 12, column: 3 }],
    ['main.ts:12', { path: 'main.ts', line: 12 }],
    ['main.ts:3-9', { path: 'main.ts', line: 3 }],
    ['src/main.ts#L7', { path: 'src/main.ts', line: 7 }],
    ['src/main.ts#L7C2', { path: 'src/main.ts', line: 7, column: 2 }],
    ['src/main.ts#L7-L9', { path: 'src/main.ts', line: 7 }],
    ['/home/me/x.py', { path: '/home/me/x.py' }],
    ['file:///home/me/x.py#L2', { path: '/home/me/x.py', line: 2 }],
    ['file:///C:/x/y.ts', { path: 'C:/x/y.ts' }],
    ['C:\\x\\y.ts:4', { path: 'C:\\x\\y.ts', line: 4 }],
  ];
  for (const [href, target] of files) {
    it(`reads ${href} as a file`, () => {
      assert.deepEqual(linkTarget(href), { type: 'file', ...target });
    });
  }

  const refused = [
    '',
    '   ',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'javascript:1',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'command:workbench.action.terminal.new',
    'vscode://file/etc/passwd',
    'vscode-webview://x',
    'ftp://example.org',
    'blob:https://x/y',
    'about:blank',
    '#top',
    '?query',
    '//example.org/x',
    '\\\\server\\share\\x',
    '/%5cserver/x'.replace('/%5c', '%5c%5c'),
    'file://server/share/x',
    'file:////server/share',
    'https://',
    'https://exa\u202emple.org',
    'a%0ab.md',
    'a%E2%80%AEb.md',
  ];
  for (const href of refused) {
    it(`refuses ${JSON.stringify(href)}`, () => {
      assert.equal(linkTarget(href), undefined);
    });
  }

  it('takes inline code for a path only with a folder or a line', () => {
    const yes = ['src/a.ts', 'a.ts:12', './x/y.json', 'C:\\a\\b.cs'];
    const no = ['a.ts', 'obj.field', 'rm -rf /x', 'a/b', 'https://x.y/z', 'and/or'];
    assert.deepEqual([yes.filter(looksLikePath), no.filter(looksLikePath)], [yes, []]);
  });
});
