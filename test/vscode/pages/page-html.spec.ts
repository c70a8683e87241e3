import assert from 'node:assert/strict';
import { pageHtml, failureHtml } from '../../../src/vscode/pages/page-html';

describe('pageHtml', () => {
  const html = pageHtml({
    script: 'https://host/main.js',
    style: 'https://host/main.css',
    cspSource: 'https://*.host',
    nonce: 'abc123',
    language: 'de',
  });

  it('has exactly the policy that nothing may weaken', () => {
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-abc123'; style-src https://*.host 'nonce-abc123'; " +
        "font-src https://*.host; img-src https://*.host data:; require-trusted-types-for 'script'; " +
        'trusted-types lit-html dompurify',
    );
  });

  it('loads one script with the nonce, one style sheet, and says the language', () => {
    assert.deepEqual(html.match(/<script[^>]*>/g), [
      '<script type="module" nonce="abc123" src="https://host/main.js">',
    ]);
    assert.deepEqual(html.match(/<link[^>]*>/g), ['<link rel="stylesheet" href="https://host/main.css">']);
    assert.match(html, /<html lang="de">/);
  });
});

describe('failureHtml', () => {
  it('shows an error as text, whatever it contains', () => {
    const html = failureHtml('Broken', '<img src=x onerror="alert(1)">');
    assert.match(html, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;/);
    assert.doesNotMatch(html, /<img/);
  });
});
