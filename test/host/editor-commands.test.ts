import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Chat } from '../../src/chat/chat';
import { sendSelection } from '../../src/vscode/editor-context/add-context';
import { VsCodeContext } from '../../src/vscode/editor-context/vscode-context';
import { hookline, until, workspaceFolder } from './support/extension';

const CODE = ['const one = 1;', 'const two = 2;', 'function greet() {', '  return one;', '}', ''].join('\n');

describe('commands that bring the editor into the chat', () => {
  const folder = join(workspaceFolder(), 'editor commands ü');
  const uri = vscode.Uri.file(join(folder, 'a file.js'));
  let chat: Chat;
  let context: VsCodeContext;
  const diagnostics = vscode.languages.createDiagnosticCollection('test');
  const problem = new vscode.Diagnostic(new vscode.Range(1, 12, 1, 13), "Cannot find name 'twoo'.");

  before(async () => {
    mkdirSync(join(folder, 'inside'), { recursive: true });
    writeFileSync(uri.fsPath, CODE);
    writeFileSync(join(folder, 'inside', 'b.txt'), 'b');
    const { window, ui } = await hookline();
    chat = (await window.get()).conversations.active;
    context = new VsCodeContext({ folder: workspaceFolder(), log: ui.log });
    problem.source = 'lint';
    problem.code = 'no-undef';
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await empty();
    diagnostics.clear();
  });

  after(async () => {
    diagnostics.dispose();
    context.dispose();
    chat.composer.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  /** A page that is open tells a moment later what stands in its composer. */
  const holds = (text: string): Promise<unknown> =>
    until(`the composer holds ${text}`, () => chat.composer.text === text);
  /** Empties the composer of host and page. */
  const empty = async (): Promise<void> => {
    chat.composer.clear();
    await holds('');
  };
  const open = async (selection?: vscode.Range): Promise<vscode.TextEditor> =>
    vscode.window.showTextDocument(uri, selection === undefined ? {} : { selection });
  const lastSent = (): string =>
    chat.model.items.flatMap(item => (item.kind === 'user' ? [item.text] : [])).at(-1) ?? '';

  it('put a selection into the composer by its place, whole lines as such', async () => {
    await open(new vscode.Range(0, 3, 2, 0));
    await vscode.commands.executeCommand('hookline.sendSelection');
    await holds('@"editor commands ü/a file.js:1-2" ');
  });

  it('name a selection relative to the folder that was chosen among several, and attach one from another folder', async () => {
    const added: string[] = [];
    const add = (what: string) => (text: string) => Promise.resolve(void added.push(`${what} ${text}`));
    const unused = (): Promise<void> => Promise.reject(new Error('not called'));
    const target = { focus: unused, mention: unused, ask: unused, insert: add('insert'), attach: add('attach') };
    const second = (path: string): vscode.WorkspaceFolder => ({ uri: vscode.Uri.file(path), name: 'second', index: 1 });
    await open(new vscode.Range(0, 3, 2, 0));
    await sendSelection(target, second(folder));
    await sendSelection(target, second(join(folder, 'inside')));
    assert.deepEqual(added, ['insert @"a file.js:1-2" ', `attach selection of ${uri.fsPath}:1-2`]);
  });

  it('attach a selection that no file holds', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'one\ntwo\n', language: 'plaintext' });
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(1, 0, 1, 3) });
    await vscode.commands.executeCommand('hookline.sendSelection');
    const [file] = chat.composer.draft.files ?? [];
    assert.match(file?.name ?? '', /^selection of Untitled-\d+, line 2$/);
    assert.equal(file?.text, 'two');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('add the files and folders that a menu hands over, each once, else the file in the editor', async () => {
    const inside = vscode.Uri.file(join(folder, 'inside'));
    await vscode.commands.executeCommand('hookline.addFileToContext', uri, [uri, inside]);
    await holds('@"editor commands ü/a file.js" @"editor commands ü/inside/" ');
    await empty();
    await open();
    await vscode.commands.executeCommand('hookline.addFileToContext');
    await holds('@"editor commands ü/a file.js" ');
  });

  it('keep what stands in the composer', async () => {
    chat.composer.insert('look at');
    await vscode.commands.executeCommand('hookline.addFileToContext', uri);
    await holds('look at @"editor commands ü/a file.js" ');
  });

  it('offer quick fixes on a problem, which ask with file, line, message and code', async () => {
    await open();
    diagnostics.set(uri, [problem]);
    const actions = await until('the quick fixes', async () => {
      const all = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        problem.range,
        vscode.CodeActionKind.QuickFix.value,
      );
      const own = all.filter(({ title }) => title.includes('with Hookline'));
      return own.length > 0 ? own : undefined;
    });
    assert.deepEqual(
      actions.map(({ title, kind, isPreferred }) => [title, kind?.value, isPreferred === true]),
      [
        ["Fix with Hookline: Cannot find name 'twoo'.", 'quickfix', false],
        ["Explain with Hookline: Cannot find name 'twoo'.", 'quickfix', false],
      ],
    );
    chat.composer.text = 'half a thought';
    const [fix] = actions;
    assert.ok(fix?.command);
    await vscode.commands.executeCommand(fix.command.command, ...((fix.command.arguments ?? []) as unknown[]));
    await until('the prompt', () => lastSent().startsWith('Fix this problem'));
    const sent = lastSent();
    assert.match(sent, /^Fix this problem in editor commands ü\/a file\.js at line 2\./);
    assert.match(sent, /editor commands ü\/a file\.js:2:13 error lint\(no-undef\): Cannot find name 'twoo'\./);
    assert.match(sent, /```javascript\n1 const one = 1;\n2 const two = 2;\n3 function greet\(\) \{/);
    await holds('half a thought');
    await chat.conversation.run.waitForIdle();
  });

  it('ask about a problem in code that names files, of which none is sent along', async () => {
    const quoting = vscode.Uri.file(join(folder, 'quoting.js'));
    const named = '@"editor commands ü/inside/b.txt"';
    writeFileSync(quoting.fsPath, `// see ${named}\nconst x = 1;\n`);
    const said = `Unknown tag ${named} here`;
    const found = new vscode.Diagnostic(new vscode.Range(1, 0, 1, 1), said, vscode.DiagnosticSeverity.Error);
    diagnostics.set(quoting, [found]);
    await vscode.commands.executeCommand('hookline.fixProblem', quoting, found);
    await until('the prompt', () => lastSent().includes('quoting.js'));
    await chat.conversation.run.waitForIdle();
    assert.ok(lastSent().includes(`// see ${named}`) && lastSent().includes(said));
    const edited = chat.model.items.findLast(item => item.kind === 'user');
    assert.deepEqual(edited?.attached ?? [], []);
    chat.edits.begin(edited?.id ?? '');
    const { editing, text } = chat.composer.draft;
    await chat.edits.resend(editing?.entry ?? '', `${text} Now.`, { images: [], files: [] });
    await chat.conversation.run.waitForIdle();
    const again = chat.model.items.findLast(item => item.kind === 'user');
    assert.ok(again?.text.endsWith(' Now.') === true);
    assert.deepEqual(again.attached ?? [], [], 'nor when it was edited');
  });

  it('explain the problem at the caret from the palette', async () => {
    const elsewhere = new vscode.Diagnostic(new vscode.Range(3, 0, 3, 3), 'Other.', vscode.DiagnosticSeverity.Warning);
    diagnostics.set(uri, [elsewhere, problem]);
    await open(new vscode.Range(1, 12, 1, 12));
    await vscode.commands.executeCommand('hookline.explainProblem');
    await until('the prompt', () => lastSent().startsWith('Explain this problem'));
    assert.match(lastSent(), /at line 2, .*Change nothing/);
    await chat.conversation.run.waitForIdle();
  });

  describe('as sources behind @', () => {
    it('are the selection, with its place', async () => {
      await open(new vscode.Range(2, 0, 4, 1));
      assert.ok(context.offers().some(({ kind, detail }) => kind === 'selection' && detail.endsWith('a file.js:3-5')));
      assert.deepEqual(await context.read('selection', undefined), {
        source: 'selection of editor commands ü/a file.js:3-5',
        text: 'function greet() {\n  return one;\n}',
      });
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      assert.equal(await context.read('selection', undefined), 'nothing is selected in the editor');
    });

    it('are the problems, of one file or of all, errors first', async () => {
      const other = vscode.Uri.file(join(folder, 'inside', 'b.txt'));
      const warning = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'Hm.', vscode.DiagnosticSeverity.Warning);
      diagnostics.set([
        [other, [warning]],
        [uri, [problem]],
      ]);
      const all = await context.read('problems', undefined);
      assert.ok(typeof all !== 'string');
      assert.match(all.text, /a file\.js:2:13 error lint\(no-undef\)[\s\S]*b\.txt:1:1 warning: Hm\./);
      assert.deepEqual(await context.read('problems', other.fsPath), {
        source: 'problems of editor commands ü/inside/b.txt',
        text: 'editor commands ü/inside/b.txt:1:1 warning: Hm.',
      });
    });

    it('are what git says has changed, or why it cannot', async () => {
      const answer = await context.read('diff', undefined);
      assert.ok(typeof answer === 'string' ? answer.length > 0 : answer.source === 'git diff');
    });

    it('are the lines of a symbol', async () => {
      await open();
      const lines = await until('the language to know its symbols', () => context.linesOfSymbol(uri.fsPath, 'greet'));
      assert.deepEqual(lines, [3, 5]);
      assert.equal(await context.linesOfSymbol(uri.fsPath, 'nobody'), undefined);
    });

    it('are files that are open, the latest first, and what is not saved of them', async () => {
      const editor = await open();
      assert.equal(context.openFiles()[0], uri.fsPath);
      assert.equal(context.unsavedText(uri.fsPath), undefined);
      await editor.edit(edit => edit.insert(new vscode.Position(0, 0), '// new\n'));
      assert.equal(context.unsavedText(uri.fsPath), `// new\n${CODE}`);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('are what is selected in a terminal; the clipboard is as before', async () => {
      const terminal = vscode.window.createTerminal({ name: 'for a test' });
      try {
        terminal.show();
        await until('the terminal', () => vscode.window.activeTerminal === terminal);
        await vscode.env.clipboard.writeText('precious');
        assert.equal(await context.read('terminal', undefined), 'nothing is selected in the terminal');
        terminal.sendText('echo hello-from-terminal');
        const selected = await until('a selection', async () => {
          await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
          const answer = await context.read('terminal', undefined);
          return typeof answer === 'string' || !answer.text.includes('hello-from-terminal') ? undefined : answer;
        });
        assert.equal(selected.source, 'terminal for a test');
        assert.equal(await vscode.env.clipboard.readText(), 'precious');
        await vscode.commands.executeCommand('hookline.addTerminalSelection');
        assert.deepEqual(
          (chat.composer.draft.files ?? []).map(({ name }) => name),
          ['terminal for a test'],
        );
      } finally {
        terminal.dispose();
      }
    });
  });
});
