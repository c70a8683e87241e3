import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuiltinTools } from '../../../src/agent/tools';
import { toolKind } from '../../../src/gate/calls/call-details';
import { placeWithoutFolder, toolsWithoutFolder } from '../../../src/vscode/window/no-folder';

describe('a window without a folder', () => {
  const storage = mkdtempSync(join(tmpdir(), 'hookline-no-folder-'));
  after(() => rmSync(storage, { recursive: true }));

  it('gives conversations an empty place, which stays the same', async () => {
    const place = await placeWithoutFolder(storage);
    assert.deepEqual(readdirSync(place), []);
    assert.equal(await placeWithoutFolder(storage), place);
  });

  it('has the tools of all others, which do nothing and say what they need', async () => {
    const place = await placeWithoutFolder(storage);
    const tools = createBuiltinTools({ cwd: place });
    const without = toolsWithoutFolder(tools);
    assert.deepEqual(
      without.map(({ name, description }) => [name, description]),
      tools.map(({ name, description }) => [name, description]),
    );
    const planted = join(place, 'planted.txt');
    const args = { command: `touch '${planted}'`, path: planted, content: 'x', edits: [], pattern: '*' };
    for (const tool of without) {
      await assert.rejects(
        async () => tool.execute('call', args, undefined, undefined),
        /^Error: No folder is open in VS Code.*File > Open Folder/,
        tool.name,
      );
    }
    assert.ok(!existsSync(planted));
  });

  it('asks the person about none of their calls', () => {
    for (const tool of toolsWithoutFolder(createBuiltinTools({ cwd: storage }))) {
      assert.equal(toolKind(tool), 'reads', tool.name);
      assert.equal(tool.file?.({ path: '/etc/passwd' }), undefined, tool.name);
    }
  });
});
