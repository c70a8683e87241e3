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

/** Where files lie, and what Wine cannot show there. */
const PLACES: readonly { readonly what: string; readonly root: string; readonly unseen?: 'edit' | 'search' }[] = [
  { what: 'a drive', root: join(tmpdir(), 'files ü') },
  { what: 'another drive', root: 'Y:\\files ü' },
  { what: 'a drive that is a folder of another', root: 'X:\\files ü' },
  // Wine starts no program in the folder of a share.
  { what: 'a share', root: '\\\\host\\share\\files ü', unseen: 'search' },
  // Wine does not tell the real path.
  {
    what: 'a path of more than 260 characters',
    root: join(tmpdir(), ...Array<string>(12).fill('a folder with a long name')),
    unseen: 'edit',
  },
];

describe('the tools for files on Windows', () => {
  for (const { what, root, unseen } of PLACES) {
    it(`write, read and list on ${what}, and also ${unseen === 'edit' ? 'search' : 'edit'}`, async () => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root, { recursive: true });
      const path = 'sub/New File.txt';
      await textFrom(createWriteTool(root), { path, content: '1\r\n2\r\n' });
      assert.equal(readFileSync(join(root, 'sub', 'New File.txt'), 'utf8'), '1\r\n2\r\n');
      assert.match(await textFrom(createReadTool(root), { path: '.\\sub/New File.txt' }), /^1\r?\n2/);
      assert.equal(await textFrom(createLsTool(root), {}), 'sub/');
      if (unseen !== 'edit') {
        await textFrom(createEditTool(root), { path: 'SUB\\new file.TXT', oldText: '1\n2', newText: 'one\n2' });
        assert.equal(readFileSync(join(root, 'sub', 'New File.txt'), 'utf8'), 'one\r\n2\r\n');
      }
      if (unseen !== 'search') {
        assert.equal(await textFrom(createFindTool(root), { pattern: '*.txt' }), path);
        assert.match(await textFrom(createGrepTool(root), { pattern: '2' }), /^sub\/New File\.txt:2: 2/);
      }
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
