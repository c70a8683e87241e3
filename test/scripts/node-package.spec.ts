import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { installedNode } from '../../scripts/support/node-package.mjs';

interface Locked {
  readonly optional?: boolean;
  readonly os?: string;
  readonly cpu?: string;
}

describe('the Node that the install brings', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };

  for (const [platform, arch] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
  ] as const) {
    it(`is a locked package for ${platform} on ${arch}`, () => {
      const path = installedNode({ platform, arch }) ?? '';
      const { optional, os, cpu } = packages[`node_modules/${path.split('/')[0] ?? ''}`] ?? {};
      assert.deepEqual({ optional, os, cpu }, { optional: true, os: platform, cpu: arch });
      assert.equal(path.endsWith('.exe'), platform === 'win32');
    });
  }

  it('is missing on other systems', () => {
    assert.equal(installedNode({ platform: 'win32', arch: 'arm64' }), undefined);
    assert.equal(installedNode({ platform: 'freebsd', arch: 'x64' }), undefined);
  });

  it('is there on this system', () => {
    const path = installedNode(process);
    assert.ok(path === undefined || existsSync(join(ROOT, 'node_modules', path)), path);
  });
});
