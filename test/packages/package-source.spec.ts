import assert from 'node:assert/strict';
import { packageFolder, packageIdentity, parsePackageSource } from '../../src/packages/package-source';

const BASE = '/work/.pi';
const PLACES = { agentDir: '/home/u/.pi/agent', cwd: '/work' };
const read = (text: string) => parsePackageSource(text, BASE, '/home/u');

/** What a source is, in one line: identity, then what git is told, then version or ref. */
function described(text: string): string {
  const parsed = read(text);
  if (!parsed.ok) return parsed.problems.map(({ message }) => message).join('\n');
  const source = parsed.value;
  const pin = source.type === 'npm' ? source.version : source.type === 'git' ? source.ref : undefined;
  return [packageIdentity(source), ...(source.type === 'git' ? [source.url] : []), ...(pin ? [pin] : [])].join(' ');
}

describe('the source of a package', () => {
  // What pi makes of each, but for the address given to git, which is one that git can clone.
  for (const [text, expected] of [
    ['npm:pi-subagents', 'npm:pi-subagents'],
    ['npm:@agentuity/pi@1.2.3', 'npm:@agentuity/pi 1.2.3'],
    [' npm: a@^1.2 || 2 ', 'npm:a ^1.2 || 2'],
    ['npm:a@next', 'npm:a next'],
    ['git:github.com/o/r', 'git:github.com/o/r https://github.com/o/r'],
    ['git:github.com/o/r@v1', 'git:github.com/o/r https://github.com/o/r v1'],
    ['git:GitHub.com/O/R', 'git:github.com/O/R https://GitHub.com/O/R'],
    ['git:o/r#v2', 'git:github.com/o/r https://github.com/o/r v2'],
    ['git:gitlab:o/r@x', 'git:gitlab.com/o/r https://gitlab.com/o/r x'],
    ['git:gitlab.com/a/b/c@v1', 'git:gitlab.com/a/b/c https://gitlab.com/a/b/c v1'],
    ['git:host.org/a/-b', 'git:host.org/a/-b https://host.org/a/-b'],
    ['git:localhost/a/b', 'git:localhost/a/b https://localhost/a/b'],
    ['git:example.org/a/b.git@feature/x', 'git:example.org/a/b https://example.org/a/b.git feature/x'],
    ['git:git@github.com:o/r.git@v1', 'git:github.com/o/r git@github.com:o/r.git v1'],
    ['git:git@host.org:2222/a/b', 'git:host.org/2222/a/b git@host.org:2222/a/b'],
    ['ssh://git@host.org:22/a/b.git@v1', 'git:host.org/a/b ssh://git@host.org:22/a/b.git v1'],
    ['https://github.com/o/r', 'git:github.com/o/r https://github.com/o/r'],
    ['https://github.com/o/r.git', 'git:github.com/o/r https://github.com/o/r.git'],
    ['https://github.com/o/r@v1@v2', 'git:github.com/o/r https://github.com/o/r v1@v2'],
    ['https://github.com/o/r/tree/main', 'git:github.com/o/r https://github.com/o/r main'],
    ['https://github.com/o/r/', 'git:github.com/o/r https://github.com/o/r/'],
    ['https://u:p@example.org:8080/a/b', 'git:example.org/a/b https://u:p@example.org:8080/a/b'],
    ['git:https://github.com/o/r', 'git:github.com/o/r https://github.com/o/r'],
    ['./mine', 'local:/work/.pi/mine'],
    ['../mine', 'local:/work/mine'],
    ['mine', 'local:/work/.pi/mine'],
    ['/x/./y/../mine', 'local:/x/mine'],
    ['~/mine', 'local:/home/u/mine'],
    ['file:///x/mine', 'local:/x/mine'],
  ] as const) {
    it(`is understood: ${text}`, () => assert.equal(described(text), expected));
  }

  for (const [text, why] of [
    ['', 'it is empty.'],
    ['npm:', 'the name of the npm package is missing.'],
    ['npm:@1.0.0', '"@1.0.0" is not the name of an npm package.'],
    ['npm:../x', '"../x" is not the name of an npm package.'],
    ['npm:/etc', '"/etc" is not the name of an npm package.'],
    ['npm:a/b', '"a/b" is not the name of an npm package.'],
    ['npm:@a/../b', '"@a/../b" is not the name of an npm package.'],
    ['npm:.', '"." is not the name of an npm package.'],
    ['npm:--registry=x', '"--registry=x" is not the name of an npm package.'],
    ['npm:node_modules', '"node_modules" is not the name of an npm package.'],
    ['npm:a@file:../x', '"file:../x" is neither a version, nor a range, nor a tag.'],
    ['npm:a@', '"" is neither a version, nor a range, nor a tag.'],
    ['git:', 'the address of the repository is missing.'],
    ['git:../x', 'it does not name a host and a repository, such as "git:host/owner/repo".'],
    ['git:/abs/path', 'it does not name a host and a repository, such as "git:host/owner/repo".'],
    ['git:github.com/o', 'it does not name a repository, such as "owner/repo".'],
    ['git:github.com/../x', '"../x" cannot be used as the path of a repository.'],
    ['https://host.org/a/%2e%2e/b', '"a/%2e%2e/b" cannot be used as the path of a repository.'],
    ['git:-x.org/a/b', '"-x.org" cannot be used as the name of a host.'],
    ['git:host.org/a/b@--upload-pack=x', '"--upload-pack=x" is not a ref.'],
    ['git@github.com:o/r', 'a repository at this address is written "git:git@github.com:o/r".'],
    ['github:o/r', 'it starts with neither "npm:" nor "git:".'],
  ] as const) {
    it(`is refused with its reason: ${text}`, () => {
      assert.equal(described(text), `Package source "${text}": ${why}`);
    });
  }

  for (const [text, scope, folder] of [
    ['npm:@a/b@1', 'user', '/home/u/.pi/agent/npm/node_modules/@a/b'],
    ['npm:b', 'project', '/work/.pi/npm/node_modules/b'],
    ['npm:b', 'temporary', '/home/u/.pi/agent/tmp/extensions/npm/f35b2129/node_modules/b'],
    ['git:h.org/o/r@v1', 'user', '/home/u/.pi/agent/git/h.org/o/r'],
    ['git:h.org/o/r', 'project', '/work/.pi/git/h.org/o/r'],
    ['git:h.org/o/r@v1', 'temporary', '/home/u/.pi/agent/tmp/extensions/git-h.org/ebaa0f13/o/r'],
    ['/x/y', 'project', '/x/y'],
  ] as const) {
    it(`lies where pi puts it: ${text} (${scope})`, () => {
      const parsed = read(text);
      assert.ok(parsed.ok);
      assert.equal(packageFolder(parsed.value, scope, PLACES), folder);
    });
  }
});
