import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSetting } from '../../../src/agent/settings/write-setting';

describe('writing a setting', () => {
  let root: string;
  let file: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-write-setting-'));
    file = join(root, 'agent', 'settings.json');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const written = (): string => readFileSync(file, 'utf8');

  it('makes the file, changes it, and takes the setting away again', async () => {
    await writeSetting(file, 'enabledModels', ['a/one', 'b/*:high']);
    assert.deepEqual(JSON.parse(written()), { enabledModels: ['a/one', 'b/*:high'] });
    await writeSetting(file, 'enabledModels', ['a/two']);
    assert.deepEqual(JSON.parse(written()), { enabledModels: ['a/two'] });
    await writeSetting(file, 'enabledModels', undefined);
    assert.deepEqual(JSON.parse(written()), {});
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it('leaves everything else as it is written', async () => {
    await writeSetting(file, 'enabledModels', []);
    const before = '{\n\t"ofAnExtension": { "x": [1,2] },\n\t"enabledModels": ["a/one"],\n\t"theme": "tomorrow"\n}\n';
    writeFileSync(file, before);
    await writeSetting(file, 'enabledModels', ['b/two']);
    assert.match(
      written(),
      /^\{\n\t"ofAnExtension": \{ "x": \[1,2\] \},\n\t"enabledModels": \[\s*"b\/two"\s*\],\n\t"theme": "tomorrow"\n\}\n$/,
    );
    await writeSetting(file, 'enabledModels', undefined);
    assert.equal(written(), '{\n\t"ofAnExtension": { "x": [1,2] },\n\t"theme": "tomorrow"\n}\n');
  });

  it('changes nothing in a file that it cannot read, and names it', async () => {
    await writeSetting(file, 'enabledModels', []);
    for (const broken of ['{ "enabledModels": [', '[]', '{ // a note\n}']) {
      writeFileSync(file, broken);
      await assert.rejects(writeSetting(file, 'enabledModels', ['a/one']), error => {
        assert.ok(error instanceof Error && error.message.startsWith(file), String(error));
        return true;
      });
      assert.equal(written(), broken);
    }
  });
});
