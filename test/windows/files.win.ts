import assert from 'node:assert/strict';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEditTool } from '../../src/agent/tools/files/editing/edit';
import { createLsTool } from '../../src/agent/tools/files/ls';
import { createReadTool } from '../../src/agent/tools/files/read';
import { createWriteTool } from '../../src/agent/tools/files/writing/write';
import { createFindTool } from '../../src/agent/tools/search/find';
import { createGrepTool } from '../../src/agent/tools/search/grep';
import { textFrom } from '../agent/tools/fixture';

const PLACES: readonly (readonly [what: string, root: string])[] = [
  ['a drive', join(tmpdir(), 'files ü')],
  ['another drive', 'Y:\\files ü'],
  ['a drive that is a folder of another', 'X:\\files ü'],
  ['a share', '\\\\host\\share\\files ü'],
  ['a path of more than 260 characters', join(tmpdir(), ...Array<string>(12).fill('a folder with a rather long name'))],
];

describe('the tools for files on Windows', () => {
  for (const [what, root] of PLACES) {
    it(`write, edit, read, list and search on ${what}`, async () => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root, { recursive: true });
      await textFrom(createWriteTool(root), { path: 'sub/New File.txt', content: 'one\r\ntwo\r\n' });
      await textFrom(createEditTool(root), { path: 'SUB\\new file.TXT', oldText: 'one\ntwo', newText: '1\n2' });
      assert.equal(readFileSync(join(root, 'sub', 'New File.txt'), 'utf8'), '1\r\n2\r\n');
      assert.match(await textFrom(createReadTool(root), { path: '.\\sub/New File.txt' }), /^1\r?\n2/);
      assert.equal(await textFrom(createLsTool(root), {}), 'sub/');
      assert.equal(await textFrom(createFindTool(root), { pattern: '*.txt' }), 'sub/New File.txt');
      assert.match(await textFrom(createGrepTool(root), { pattern: '2' }), /^sub\/New File\.txt:2: 2/);
      assert.deepEqual(readdirSync(join(root, 'sub')), ['New File.txt'], 'no temporary file is left');
    });
  }

  it('write a file that another program has open, and leave it whole', async () => {
    const root = mkdtempSync(join(tmpdir(), 'open '));
    const path = join(root, 'a.txt');
    writeFileSync(path, 'a long old text\r\n');
    const open = openSync(path, 'r');
    try {
      await textFrom(createEditTool(root), { path: 'a.txt', oldText: 'long old', newText: 'new' });
      assert.equal(readFileSync(path, 'utf8'), 'a new text\r\n');
      await textFrom(createWriteTool(root), { path: 'a.txt', content: 'b' });
    } finally {
      closeSync(open);
    }
    assert.equal(readFileSync(path, 'utf8'), 'b');
    assert.deepEqual(readdirSync(root), ['a.txt']);
  });

  it('find the home folder, whose name has a blank and an umlaut', async () => {
    assert.equal(homedir(), 'C:\\users\\Jörg Müller');
    writeFileSync(join(homedir(), 'in home.txt'), 'found');
    assert.equal(await textFrom(createReadTool('Y:\\'), { path: '~/in home.txt' }), 'found');
    assert.equal(await textFrom(createReadTool('Y:\\'), { path: '~\\in home.txt' }), 'found');
  });
});
