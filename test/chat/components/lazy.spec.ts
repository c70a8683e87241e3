import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import { ROOT } from '../../../scripts/support/paths.ts';

describe('pi-tui', () => {
  it('is not loaded with conversations and hooks, but when a hook mounts something', async () => {
    const { metafile } = await esbuild.build({
      absWorkingDir: ROOT,
      entryPoints: [
        'src/chat/page/page-connection.ts',
        'src/chat/window/conversations.ts',
        'src/hook-run/host/host.ts',
      ],
      bundle: true,
      metafile: true,
      write: false,
      outdir: 'nowhere',
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    const kinds = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, kind }) => (path === '@mariozechner/pi-tui' ? [kind] : [])),
    );
    assert.ok(kinds.length > 0);
    assert.deepEqual([...new Set(kinds)], ['dynamic-import']);
  });
});
