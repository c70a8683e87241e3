import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { arm64Node } from '../../scripts/support/arm64-node.ts';

describe('the Node for arm64', () => {
  it('is the running one on arm64', async () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const found = await arm64Node(tmpdir(), { platform, arch: 'arm64' });
      assert.ok('node' in found && found.node === process.execPath, platform);
    }
  });

  it('is missing with a reason where no emulator can run it', async () => {
    for (const platform of ['darwin', 'win32'] as const) {
      const found = await arm64Node(tmpdir(), { platform, arch: 'x64' });
      assert.deepEqual(found, { missing: 'QEMU runs programs of another processor on Linux only' });
    }
  });
});
