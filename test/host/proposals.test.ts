import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Proposals } from '../../src/vscode/changes/proposals';
import { hookline, until, workspaceFolder } from './support/extension';

describe('code of an answer as a diff', () => {
  const folder = join(workspaceFolder(), 'proposals ü');
  let count = 0;
  let name = '';
  let path = '';
  let proposals: Proposals;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    ({
      surface: { proposals },
    } = await hookline());
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // A file of its own for each: VS Code keeps what it knew of a file for a while.
    name = `some file ${(count += 1)}.ts`;
    path = join(folder, name);
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
  const inFront = (): Promise<vscode.TabInputTextDiff> => until('the diff', shown);
  const gone = (): Promise<true> => until('no diff', () => shown() === undefined || undefined);
  async function show(file: string, code: string): Promise<void> {
    await proposals.show({ code, language: 'ts', path: file }, folder);
    await inFront();
  }

  it('writes nothing before it is accepted, then the file', async () => {
    await show(name, 'one {\n  2\n}\n');
    assert.equal(shown()?.original.fsPath, path);
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  1\n}\n');
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  2\n}\n');
    await gone();
  });

  it('takes what the person made of it', async () => {
    await show(name, 'one {\n  2\n}\n');
    const { modified } = await inFront();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(modified, new vscode.Position(0, 0), '// mine\n');
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(readFileSync(path, 'utf8'), '// mine\none {\n  2\n}\n');
  });

  it('leaves the file alone when it is rejected', async () => {
    await show(name, 'one {\n  2\n}\n');
    await vscode.commands.executeCommand('hookline.rejectDiff');
    assert.equal(readFileSync(path, 'utf8'), 'one {\n  1\n}\n');
    await gone();
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
