import { mkdtempSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { FileWatcher } from '../../src/vscode/watch/file-watcher';
import { until, workspaceFolder } from './support/extension';

describe('the watcher of hooks', () => {
  let root: string;
  let watcher: FileWatcher;
  let seen: number;

  /** Does something to files and waits until the watcher told of it. */
  const tells = async (what: string, act: () => unknown): Promise<void> => {
    const before = seen;
    await act();
    await until(what, () => seen > before);
    await quiet();
  };
  /** Late events of one step must not count for the next. */
  const quiet = async (): Promise<void> => {
    for (let last = -1; last !== seen;) {
      last = seen;
      await new Promise(resolve => setTimeout(resolve, 250));
    }
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline watch ü-')));
    seen = 0;
    watcher = new FileWatcher(workspaceFolder());
    watcher.onDidChange(() => (seen += 1));
  });

  afterEach(() => {
    watcher.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it('follows a folder outside the workspace through its whole life, level by level', async () => {
    const hooks = join(root, '.pi', 'agent', 'hooks');
    watcher.setTargets({ folders: [hooks], files: [] });
    await tells('the first level comes', () => mkdirSync(join(root, '.pi')));
    await tells('the second level comes', () => mkdirSync(join(root, '.pi', 'agent')));
    await tells('the folder comes', () => mkdirSync(hooks));
    await tells('a file comes', () => writeFileSync(join(hooks, 'a.ts'), '1'));
    await tells('it changes', () => writeFileSync(join(hooks, 'a.ts'), '2'));
    await tells('another is moved over it', () => {
      writeFileSync(join(root, 'b.ts'), '3');
      renameSync(join(root, 'b.ts'), join(hooks, 'a.ts'));
    });
    await tells('it is renamed', () => renameSync(join(hooks, 'a.ts'), join(hooks, 'c.ts')));
    await tells('the folder is deleted', () => rmSync(join(root, '.pi'), { recursive: true }));
    await tells('everything comes at once', () => {
      mkdirSync(hooks, { recursive: true });
      writeFileSync(join(hooks, 'd.ts'), '4');
    });
    await tells('and changes again', () => writeFileSync(join(hooks, 'd.ts'), '5'));
  });

  it('sees changes of the file behind a symbolic link', async () => {
    const target = join(root, 'real.ts');
    writeFileSync(target, '1');
    mkdirSync(join(root, 'hooks'));
    symlinkSync(target, join(root, 'hooks', 'link.ts'));
    watcher.setTargets({ folders: [join(root, 'hooks')], files: [target] });
    await quiet();
    await tells('the target changes', () => writeFileSync(target, '2'));
  });

  it('sees .pi of the workspace come, change and go', async () => {
    const hooks = join(workspaceFolder(), '.pi', 'hooks');
    await tells('a file comes', () => {
      mkdirSync(hooks, { recursive: true });
      writeFileSync(join(hooks, 'zz-watch.ts'), 'export default () => {};\n');
    });
    await tells('it is saved in the editor', async () => {
      const document = await vscode.workspace.openTextDocument(join(hooks, 'zz-watch.ts'));
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), '// saved\n');
      await vscode.workspace.applyEdit(edit);
      await document.save();
    });
    await tells('it goes', () => rmSync(join(hooks, 'zz-watch.ts')));
  });
});
