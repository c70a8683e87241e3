import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { draftRelease, releaseOfClone, type ReleaseParts } from '../../scripts/support/release.ts';

const REPOSITORY = 'https://git.example.org/owner/name';
const CHANGELOG = `# Changelog

Versions with an odd minor number are pre-releases.

## 0.2.0

Better ([cli.md](docs/cli.md#doctor)).

- One more.

## 0.1.0 (pre-release)

First.
`;

describe('a release', () => {
  const draft = (parts: Partial<ReleaseParts> = {}) =>
    draftRelease({ tag: 'v0.2.0', version: '0.2.0', changelog: CHANGELOG, repository: REPOSITORY, ...parts });

  it('is a draft with the newest section of the changelog, whose links lead to the repository', () => {
    assert.deepEqual(draft(), {
      tag_name: 'v0.2.0',
      name: 'Hookline 0.2.0',
      body: `Better ([cli.md](${REPOSITORY}/blob/HEAD/docs/cli.md#doctor)).\n\n- One more.`,
      draft: true,
      prerelease: false,
    });
  });

  it('of an odd minor number is a pre-release', () => {
    const changelog = CHANGELOG.slice(CHANGELOG.indexOf('## 0.1.0'));
    const { name, body, prerelease } = draft({ tag: 'v0.1.0', version: '0.1.0', changelog });
    assert.deepEqual([name, body, prerelease], ['Hookline 0.1.0 (pre-release)', 'First.', true]);
  });

  for (const [what, parts, message] of [
    ['the tag of another version', { tag: 'v0.2.1' }, /the tag is v0\.2\.1, but package\.json has the version 0\.2\.0/],
    ['a tag without v', { tag: '0.2.0' }, /whose tag is v0\.2\.0$/],
    ['a branch', { tag: 'main' }, /the tag is main, but/],
    [
      'a version that the changelog does not begin with',
      { tag: 'v0.4.0', version: '0.4.0' },
      /the newest section of CHANGELOG\.md is "0\.2\.0", not "0\.4\.0"/,
    ],
    [
      'an older version of the changelog',
      { tag: 'v0.1.0', version: '0.1.0' },
      /"0\.2\.0", not "0\.1\.0 \(pre-release\)"/,
    ],
    [
      'a release that the changelog calls a pre-release',
      { changelog: '## 0.2.0 (pre-release)\n\nx\n' },
      /not "0\.2\.0"/,
    ],
    ['a changelog without sections', { changelog: '# Changelog\n' }, /is "nothing", not/],
    [
      'a section without text',
      { changelog: '## 0.2.0\n\n## 0.1.0 (pre-release)\n\nx\n' },
      /"0\.2\.0" of CHANGELOG\.md is empty/,
    ],
  ] as const) {
    it(`is refused for ${what}`, () => assert.throws(() => draft(parts), message));
  }

  it('can be made of this clone: its version is the newest of the changelog', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    assert.equal(releaseOfClone(`v${version}`, REPOSITORY).tag_name, `v${version}`);
  });
});
