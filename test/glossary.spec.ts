import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** What texts do not say, and the word that they use for it. */
const OTHER_WORDS: readonly (readonly [wrong: RegExp, right: string])[] = [
  [/\bcancell(?:ed|ing)\b/i, 'canceled, canceling'],
  [/\bsign(?:s|ing)?[ -]ins?\b/i, 'log in, login'],
  [/(?<!-)\b(?:en|dis)abled?\b/i, 'turn on, turn off'],
  [/\b(?:un)?fold(?:s|ed|ing)?\b/i, 'expand, collapse'],
  [/\bthe panel\b/i, 'the chat'],
  [/\b(?:brings?|brought) (?:\w+ )?back\b/i, 'revert, restore'],
  [/\bplayground\b/i, 'sample workspace'],
  [/\b(?:colour|behaviour|favourite|dialogue|whilst)\b/i, 'the American spelling'],
];

/** What is not prose: code, and the targets of links. */
const CODE = /^```[\s\S]*?^```|`[^`\n]*`|\]\([^)\s]*\)/gm;

function read(...path: readonly string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}

/** The sentences that users read, with the places where they are. */
function texts(): readonly (readonly [place: string, text: string])[] {
  const pages = [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    join('examples', 'README.md'),
    join('examples', 'workspace', 'README.md'),
    ...readdirSync(join(ROOT, 'docs'))
      .filter(name => name.endsWith('.md'))
      .map(name => join('docs', name)),
  ];
  const titles = Object.entries(JSON.parse(read('package.nls.json')) as Record<string, string>);
  const messages = Object.keys(JSON.parse(read('l10n', 'bundle.l10n.de.json')) as Record<string, string>);
  return [
    ...titles.map(([key, text]) => [`package.nls.json, ${key}`, text.replaceAll(CODE, '')] as const),
    ...messages.map(text => ['l10n/bundle.l10n.de.json', text] as const),
    ...pages.flatMap(page =>
      read(page)
        .replaceAll(CODE, '')
        .split('\n')
        .map(line => [page, line] as const),
    ),
  ];
}

describe('the words of the texts', () => {
  it('are those of the glossary, one word for each thing', () => {
    const all = texts();
    const found = OTHER_WORDS.flatMap(([wrong, right]) =>
      all.filter(([, text]) => wrong.test(text)).map(([place, text]) => `${place}: ${text.trim()} (use: ${right})`),
    );
    assert.deepEqual(found, []);
    assert.ok(all.length > 3000, `only ${all.length} texts were read`);
  });

  it('are in the glossary once each, in alphabetical order', () => {
    const terms = [...read('docs', 'glossary.md').matchAll(/^\| (?!term\b|-)(.+?) +\|/gm)].map(([, term = '']) => term);
    assert.ok(terms.length >= 40, `only ${terms.length} terms`);
    const sorted = terms.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }));
    assert.deepEqual(terms, sorted);
    assert.equal(new Set(terms).size, terms.length);
  });
});
