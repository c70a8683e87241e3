import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, workspaceFolder } from './support/extension';

/** 日本 and 本 in Shift-JIS. */
const [OLD, NEW] = [Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]), Buffer.from([0x96, 0x7b, 0x0a])];

describe('a file in the encoding of files.encoding', () => {
  let window: HooklineWindow;
  const file = join(workspaceFolder(), 'shift.txt');
  const setting = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('files');

  before(async () => {
    window = await (await hookline()).window.get();
  });
  beforeEach(() => writeFileSync(file, OLD));
  after(async () => {
    await setting().update('encoding', undefined, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(file, { force: true });
  });

  const run = (name: string, params: object): Promise<{ readonly content: readonly object[] }> => {
    const tool = window.conversations.active.conversation.ports.builtInTools.find(each => each.name === name);
    return (tool ?? assert.fail(`there is ${name}`)).execute('call', { path: file, ...params }, undefined);
  };
  const edit = (newText: string): Promise<unknown> => run('edit', { edits: [{ oldText: '日本', newText }] });

  it('is not known while the setting is UTF-8', async () => {
    await assert.rejects(edit('本'), /its encoding is not known/);
    assert.deepEqual(readFileSync(file), OLD);
  });

  it('is read and edited as such', async () => {
    await setting().update('encoding', 'shiftjis', vscode.ConfigurationTarget.Global);
    assert.deepEqual((await run('read', {})).content, [{ type: 'text', text: '日本\n' }]);
    await assert.rejects(edit('😀'), /shiftjis, the encoding that the editor has for it, has no character "😀"/);
    assert.deepEqual(readFileSync(file), OLD);
    await edit('本');
    assert.deepEqual(readFileSync(file), NEW);
  });

  it('has the encoding in which it is open, before that of the setting', async () => {
    await setting().update('encoding', 'gbk', vscode.ConfigurationTarget.Global);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file), { encoding: 'shiftjis' });
    assert.equal(document.encoding, 'shiftjis');
    await edit('本');
    assert.deepEqual(readFileSync(file), NEW);
  });
});
