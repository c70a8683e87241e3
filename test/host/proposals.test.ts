import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Proposals } from '../../src/vscode/chat/proposals';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

describe('code of an answer as a diff', () => {
  const folder = join(workspaceFolder(), 'proposals ü');
  let count = 0;
  let name = '';
  let path = '';
  let proposals: Proposals;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    ({
      ui: { proposals },
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

  it('asks before it takes the place of a file that appeared meanwhile', async () => {
    const late = join(folder, 'late.ts');
    await show('late.ts', 'fresh\n');
    writeFileSync(late, 'theirs\n');
    const warnings = new Messages('showWarningMessage', [undefined, 'Replace']);
    try {
      await vscode.commands.executeCommand('hookline.acceptDiff');
      assert.equal(readFileSync(late, 'utf8'), 'theirs\n', 'nobody said yes');
      assert.ok(shown(), 'the diff is still there');
      await vscode.commands.executeCommand('hookline.acceptDiff');
      assert.equal(readFileSync(late, 'utf8'), 'fresh\n');
      await gone();
    } finally {
      warnings.restore();
    }
    assert.equal(warnings.shown.length, 2);
    const [first] = warnings.shown;
    assert.match(first?.text ?? '', /late\.ts was changed since/);
    assert.deepEqual([first?.modal, first?.actions], [true, ['Replace']]);
  });

  it('brings a file back in the conversation that its diff was opened from, whichever is shown', async () => {
    const { conversations } = await (await hookline()).window.get();
    await conversations.newSession();
    const first = conversations.active;
    const before = readFileSync(path, 'utf8');
    await first.submit(`write "proposals ü/${name}": other words`);
    await until('the tool wrote', () => readFileSync(path, 'utf8') !== before);
    const change = await until('the change is listed', () =>
      first.changes.current.files.find(file => file.path === path),
    );
    await first.changes.open(change.path);
    await inFront();
    await conversations.openBeside();
    assert.notEqual(conversations.active, first);
    await vscode.commands.executeCommand('hookline.rejectDiff');
    await until('the text from before is back', () => readFileSync(path, 'utf8') === before);
    await gone();
    await conversations.close(conversations.active.id);
    await toolsAreOver();
  });
});
