import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PI_AI_VERSION } from '@mariozechner/pi-ai';
import { PI_VERSION } from '../src/base/pi-version';

const ROOT = join(import.meta.dirname, '..');

function dependenciesIn(...folder: readonly string[]): Readonly<Record<string, string>> {
  const text = readFileSync(join(ROOT, ...folder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> }).dependencies;
}

/** Matches the version behind the name of pi or of one of its packages. */
const TOLD = new RegExp(`\\bpi(-[a-z]+)*\`?[ @]${PI_VERSION.replaceAll('.', '\\.')}\\b`, 'g');

/** Files that tell the version, and how often. */
function tellers(...patterns: readonly string[]): readonly (readonly [string, number])[] {
  const files = patterns.flatMap(pattern => globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] })).sort();
  return files.flatMap(file => {
    const { length } = readFileSync(join(ROOT, file), 'utf8').match(TOLD) ?? [];
    return length > 0 ? [[file.replaceAll('\\', '/'), length] as const] : [];
  });
}

describe('the version of pi that we follow', () => {
  it('is that of both packages of pi and of the pi beside which tests run', () => {
    const own = dependenciesIn();
    for (const name of ['pi-ai', 'pi-tui']) {
      assert.equal(own[`@mariozechner/${name}`], `npm:@earendil-works/${name}@${PI_VERSION}`);
    }
    assert.equal(dependenciesIn('scripts', 'peers')['@earendil-works/pi-coding-agent'], PI_VERSION);
    assert.equal(PI_AI_VERSION, PI_VERSION);
  });

  it('is in one place of the docs, and in no code', () => {
    // What was measured and what changed stay true of the version that they name.
    const dated = ['docs/speed.md'];
    const pages = tellers('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'examples/**/*.md');
    assert.deepEqual(
      pages.filter(([page]) => !dated.includes(page)),
      [['docs/dialects.md', 1]],
    );
    assert.deepEqual(tellers('{src,webview,scripts,test}/**/*.{ts,mjs}', 'package.nls*.json', 'l10n/*.json'), []);
  });
});
