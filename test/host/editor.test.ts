import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { VsCodeEditor } from '../../src/vscode/chat/editor';
import { Messages } from './support/messages';
import { hookline, until, workspaceFolder } from './support/extension';

describe('the editor as conversations see it', () => {
  const folder = join(workspaceFolder(), 'editor test ü');
  const path = join(folder, 'some file.ts');
  const ran: string[] = [];
  const seen = new Set<string>();
  let editor: VsCodeEditor;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, 'one\ntwo\nthree\n');
    const { ui } = await hookline();
    editor = new VsCodeEditor({
      log: ui.log,
      texts: ui.texts,
      proposals: ui.proposals,
      commandTerminals: ui.commandTerminals,
      folder: workspaceFolder,
      setTitle: () => undefined,
      setHookStatus: () => undefined,
      revealChat: id => ran.push(`reveal ${id}`),
      run: (command, argument) => ran.push(typeof argument === 'object' ? `${command} ${argument.hookPath}` : command),
      isSeen: id => Promise.resolve(seen.has(id)),
      takeOverSession: () => Promise.resolve(),
      files: { changelog: path },
    });
  });

  beforeEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  const shown = (): vscode.TextEditor | undefined => vscode.window.activeTextEditor;

  it('tells that a hook waits in a conversation only while that cannot be seen, and goes there if the user wants', async () => {
    const infos = new Messages('showInformationMessage', ['Show', undefined]);
    try {
      seen.add('seen');
      for (const id of ['seen', 'hidden']) editor.offerConversation(id, 'The name');
      await until('the user goes there', () => ran.length > 0);
      editor.offerConversation('hidden');
      await until('the second one', () => infos.shown.length === 2);
      assert.deepEqual(
        infos.shown.map(({ text }) => text),
        ['A hook is waiting for your answer in “The name”.', 'A hook is waiting for your answer.'],
      );
      assert.deepEqual(ran.splice(0), ['reveal hidden']);
    } finally {
      infos.restore();
    }
  });

  it('opens a file at a line and column', async () => {
    editor.openFile(path, 3, 2);
    await until('the cursor is there', () => {
      const active = shown()?.selection.active;
      return shown()?.document.fileName === path && active?.line === 2 && active.character === 1;
    });
  });

  it('opens a file of the folder from a link with a line', async () => {
    editor.openLink(`${encodeURI('editor test ü/some file.ts')}#L2`);
    await until(
      'the cursor is there',
      () => shown()?.document.fileName === path && shown()?.selection.active.line === 1,
    );
  });

  it('opens text in the language of its fence', async () => {
    editor.openText('print(1)', 'py');
    const document = await until('the text is open', () =>
      shown()?.document.getText() === 'print(1)' ? shown()?.document : undefined,
    );
    assert.equal(document.languageId, 'python');
  });

  it('inserts at the cursor, over what is selected', async () => {
    const active = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'a b c' }));
    active.selection = new vscode.Selection(0, 2, 0, 3);
    editor.insertAtCursor('X');
    await until('it is inserted', () => active.document.getText() === 'a X c');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('shows a file beside its text from before', async () => {
    editor.showDiff(path, 'one\nthree\n', 'What changed');
    const tab = await until('the difference is open', () =>
      vscode.window.tabGroups.all.flatMap(group => group.tabs).find(({ label }) => label === 'What changed'),
    );
    assert.ok(tab.input instanceof vscode.TabInputTextDiff);
    const before = await vscode.workspace.openTextDocument(tab.input.original);
    assert.equal(before.getText(), 'one\nthree\n');
  });

  it('copies', async () => {
    editor.copy('copied');
    await until('it is in the clipboard', async () => (await vscode.env.clipboard.readText()) === 'copied');
  });

  it('leads to pages of VS Code, and to lists and questions', async () => {
    const tabs = (): readonly string[] =>
      vscode.window.tabGroups.all.flatMap(group => group.tabs).map(({ label }) => label);
    const labels = { settings: 'Settings', keys: 'Keyboard Shortcuts', changelog: 'Preview some file.ts' } as const;
    for (const [page, label] of Object.entries(labels)) {
      editor.show(page as keyof typeof labels);
      await until(`${label} is shown`, () => tabs().includes(label) || undefined);
    }
    const before = ran.length;
    for (const page of ['scopedModels', 'trust', 'thinking', 'closeConversation'] as const) editor.show(page);
    editor.logOut();
    assert.deepEqual(ran.splice(before), [
      'hookline.chooseScopedModels',
      'hookline.decideTrust',
      'hookline.chooseThinkingLevel',
      'hookline.closeConversation',
      'hookline.logOut',
    ]);
  });

  it('turns the steps that notices offer into commands', () => {
    const steps = [
      'setApiKey',
      'pickModel',
      'trustWorkspace',
      'decideTrust',
      'chooseFolder',
      'openFolder',
      'showLog',
      'showHooks',
    ] as const;
    for (const step of steps) editor.run(step);
    for (const step of ['compareHook', 'approveHook', 'rejectHook', 'runHookAgain'] as const) {
      editor.run(step, '/w/g.ts');
    }
    assert.deepEqual(ran, [
      'hookline.setApiKey',
      'hookline.chooseModel',
      'hookline.manageTrust',
      'hookline.decideTrust',
      'hookline.chooseFolder',
      'hookline.openFolder',
      'hookline.showLog',
      'hookline.showHooks',
      'hookline.compareHook /w/g.ts',
      'hookline.approveHook /w/g.ts',
      'hookline.rejectHook /w/g.ts',
      'hookline.runHookAgain /w/g.ts',
    ]);
  });
});
