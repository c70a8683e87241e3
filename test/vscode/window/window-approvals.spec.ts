import assert from 'node:assert/strict';
import { editorFolders } from '../../../src/vscode/window/window-approvals';

describe('the folders of the editor', () => {
  it('are found from the storage and the folder of the extension', () => {
    const folders = editorFolders({
      storageDir: '/data/A Fork/User/globalStorage/hookline.hookline',
      dir: '/home/me/.a-fork/extensions/hookline.hookline-1.0.0',
    });
    assert.deepEqual(folders, [
      ...['/data/A Fork', '/data/A Fork/User', '/data/A Fork/Machine'],
      '/home/me/.a-fork/extensions',
    ]);
  });

  it('are those of all profiles where the storage belongs to a profile', () => {
    const folders = editorFolders({ storageDir: '/data/User/profiles/1a/globalStorage/x', dir: '/src/hookline' });
    assert.deepEqual(folders, ['/data', '/data/User', '/data/Machine']);
  });

  it('are not guessed where the editor keeps them in another way', () => {
    assert.deepEqual(editorFolders({ storageDir: '/storage/x', dir: '/src/hookline' }), []);
  });
});
