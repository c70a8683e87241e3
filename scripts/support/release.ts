import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { withoutRelativeLinks } from './packed-page.ts';
import { ROOT } from './paths.ts';
import { isPreRelease } from './published.ts';

const CHANGELOG = 'CHANGELOG.md';

/** What GitHub's API takes to make a release. A draft is seen by maintainers only, and publishing it is up to them. */
export interface DraftRelease {
  readonly tag_name: string;
  readonly name: string;
  readonly body: string;
  readonly draft: true;
  readonly prerelease: boolean;
}

/** What a release is made of. */
export interface ReleaseParts {
  /** The tag that was pushed. */
  readonly tag: string;
  /** The one of package.json. */
  readonly version: string;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** Address of the repository; links of the notes lead to it. */
  readonly repository: string;
}

/**
 * The release of this version, with the newest section of CHANGELOG.md as its notes.
 * @throws {UserError} when tag, package.json and CHANGELOG.md name different versions, or one of them is a pre-release only there
 */
export function draftRelease({ tag, version, changelog, repository }: ReleaseParts): DraftRelease {
  if (tag !== `v${version}`) {
    throw new UserError(`the tag is ${tag}, but package.json has the version ${version}, whose tag is v${version}`);
  }
  const prerelease = isPreRelease(version);
  const wanted = prerelease ? `${version} (pre-release)` : version;
  const [, heading = 'nothing', text = ''] = /^## (.*)\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  if (heading !== wanted) {
    throw new UserError(`the newest section of ${CHANGELOG} is "${heading}", not "${wanted}" as package.json says`);
  }
  const body = withoutRelativeLinks(text.trim(), CHANGELOG, repository);
  if (body === '') throw new UserError(`the section "${heading}" of ${CHANGELOG} is empty`);
  return { tag_name: tag, name: `Hookline ${wanted}`, body, draft: true, prerelease };
}

/** {@link draftRelease} of this clone. */
export function releaseOfClone(tag: string, repository: string): DraftRelease {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  return draftRelease({ tag, version, changelog: readFileSync(join(ROOT, CHANGELOG), 'utf8'), repository });
}
