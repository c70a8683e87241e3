import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOTICES, writeNotices } from '../scripts/build/notices.ts';

/** What esbuild tells of a bundle, as far as it is read: files and how much of each is in it. */
function metafile(bytes: Readonly<Record<string, number>>): object {
  const inputs = Object.fromEntries(Object.entries(bytes).map(([path, bytesInOutput]) => [path, { bytesInOutput }]));
  return { outputs: { 'dist/a.js': { inputs } } };
}

describe('notices of third parties', () => {
  let outdir: string;
  const written = (bytes: Readonly<Record<string, number>>): string => {
    writeNotices({ metafiles: [metafile(bytes)] as never, outdir });
    return readFileSync(join(outdir, NOTICES), 'utf8');
  };

  beforeEach(() => {
    outdir = mkdtempSync(join(tmpdir(), 'hookline-notices-'));
  });

  afterEach(() => rmSync(outdir, { recursive: true }));

  it('give the license of each package that a bundle contains a part of, and of what is copied', () => {
    const text = written({
      'node_modules/katex/dist/katex.mjs': 9,
      'src/cli.ts': 9,
      'node_modules/marked/lib/a.js': 0,
    });
    assert.match(text, /^katex \S+ \(MIT\)\n\n[^]*Khan Academy/m);
    assert.match(text, /^jiti \S+ \(MIT\)$/m);
    assert.match(text, /^pi \(declarations of its public API\) \(MIT\)\n\n[^]*Mario Zechner/m);
    assert.match(text, /^babel .*\(MIT\)\n\n[^]*Sebastian McKenzie/m);
    assert.doesNotMatch(text, /^marked /m);
  });

  it('name author and terms of a package that brings no text', () => {
    const text = written({ 'node_modules/@mariozechner/pi-ai/dist/a.js': 1 });
    assert.match(
      text,
      /^@earendil-works\/pi-ai \S+ \(MIT\)\npi \(.*\) \(MIT\)\n\nMIT License\n\nCopyright \(c\) Mario Zechner\n\nPermission is/m,
    );
  });

  it('are refused when the text of a license is not known', () =>
    assert.throws(
      () => written({ 'node_modules/@aws-sdk/nested-clients/a.js': 1 }),
      /@aws-sdk\/nested-clients has no license text/,
    ));
});
