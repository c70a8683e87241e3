import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { bytecodePath, crcOf, readBytecode } from '../../src/base/files/cached-file';
import { bytecodeFolder } from '../../src/startup/own-folders';
import { hookline, until } from './support/extension';

describe('the code of the extension', () => {
  it('is stored as bytecode a while after the start, and this VS Code can run it', async () => {
    const { ui } = await hookline();
    const path = join(ui.extensionUri.fsPath, 'dist', 'extension.cjs');
    const code = readFileSync(path);
    const stored = bytecodePath(join(bytecodeFolder(), basename(path)));
    const cachedData = await until('bytecode is stored', () => readBytecode(stored, crcOf(code)));
    const script = new Script(code.toString(), { filename: path, cachedData });
    assert.equal(script.cachedDataRejected, false);
  });
});
