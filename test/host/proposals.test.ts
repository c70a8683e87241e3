import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Proposals } from '../../src/vscode/changes/proposals';
import { hookline, workspaceFolder } from './support/extension';

describe('code of an answer as a diff', () => {
  const folder = join(workspaceFolder(), 'proposals ü');
  const path = join(folder, 'some file.ts');
  let proposals: Proposals;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    ({
      surface: { proposals },
    } = await hookline());
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    writeFileSync(path, 'one {\n  1\n}\n');
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  const shown = (): vscode.TabInputTextDiff | undefined => {
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff ? input : undefined;
  };
  /** The tabs are told to extensions a moment later. */
  async function inFront(): Promise<vscode.TabInputTextDiff> {
    for (;;) {
      const diff = shown();
      if (diff !== undefined) return diff;
      await new Promise(resolve => setImmediate(resolve));
    }
  }
  async function show(name: string, code: string): Promise<void> {
    await proposals.show({ code, language: 'ts', path: name }, folder);
    await inFront();
  }

  it('writes nothing before it is accepted, then the file', async () => {
    await show('some file.ts', 'one {\n  2\n}\n');
    assert.equal(shown()?.original.fsPath, path);
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  1\n}\n');
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  2\n}\n');
    assert.equal(shown(), undefined);
  });

  it('takes what the person made of it', async () => {
    await show('some file.ts', 'one {\n  2\n}\n');
    const { modified } = await inFront();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(modified, new vscode.Position(0, 0), '// mine\n');
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(readFileSync(path, 'utf8'), '// mine\none {\n  2\n}\n');
  });

  it('leaves the file alone when it is rejected', async () => {
    await show('some file.ts', 'one {\n  2\n}\n');
    await vscode.commands.executeCommand('hookline.rejectDiff');
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  1\n}\n');
    assert.equal(shown(), undefined);
  });

  it('makes a file that is not there', async () => {
    await show('sub/new.ts', 'fresh\n');
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(readFileSync(join(folder, 'sub', 'new.ts'), 'utf8'), 'fresh\n');
    rmSync(join(folder, 'sub'), { recursive: true });
    await show('sub/other.ts', 'fresh\n');
    await vscode.commands.executeCommand('hookline.rejectDiff');
    assert.equal(existsSync(join(folder, 'sub')), false);
  });
});
