import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../src/base/disposable';
import type { EditorChip } from '../../src/protocol/composer/editor-chip';
import { askAboutSelection } from '../../src/vscode/editor-context/selection-actions';
import type { Withheld } from '../../src/protocol/composer/editor-chip';
import { EditorChips } from '../../src/vscode/editor-context/editor-chips';
import { FirstLines } from '../../src/vscode/editor-context/first-lines';
import { staysFalse, until, workspaceFolder } from './support/extension';

describe('chips of the active editor', () => {
  const folder = join(workspaceFolder(), 'editor chips ü');
  const uri = vscode.Uri.file(join(folder, 'a file.js'));
  const kept = new Map<string, unknown>();
  const memory: vscode.Memento = {
    keys: () => [...kept.keys()],
    get: (key: string) => kept.get(key) as never,
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  };
  let chips: EditorChips;
  let told: (readonly EditorChip[])[];
  let following: Disposable | undefined;

  beforeEach(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(uri.fsPath, 'one\ntwo\nthree\nfour\n');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    kept.clear();
    told = [];
    chips = new EditorChips({ folder: workspaceFolder(), memory });
  });

  afterEach(async () => {
    following?.dispose();
    chips.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  const follow = (): void => {
    following = chips.follow(now => void told.push(now));
  };
  const last = (): readonly EditorChip[] => told.at(-1) ?? [];
  const shown = (): string[] =>
    last().map(({ kind, name, lines, isOn, withheld }) =>
      [kind, name, ...lines.map(({ first, last: end }) => `${first}-${end}`), isOn ? 'on' : 'off', withheld ?? '']
        .join(' ')
        .trim(),
    );
  const show = (...expected: readonly string[]): Promise<unknown> =>
    until(`chips ${expected.join(', ')}; they are ${shown().join(', ')}`, () => shown().join() === expected.join());
  const open = (...selections: readonly (readonly [number, number, number, number])[]): Promise<vscode.TextEditor> =>
    Promise.resolve(vscode.window.showTextDocument(uri)).then(editor => {
      editor.selections = selections.map(([a, b, c, d]) => new vscode.Selection(a, b, c, d));
      return editor;
    });

  it('are told at once, after each change, and no longer than somebody follows', async () => {
    follow();
    await until('the first chips', () => told.length === 1);
    assert.deepEqual(last(), []);
    const editor = await open([0, 0, 2, 0]);
    await show('selection a file.js 1-2 on', 'file a file.js off');
    editor.selections = [new vscode.Selection(3, 1, 3, 2), new vscode.Selection(0, 1, 1, 1)];
    await show('selection a file.js 1-2 4-4 on', 'file a file.js off');
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await show('file a file.js off');
    following?.dispose();
    const count = told.length;
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    const second: (readonly EditorChip[])[] = [];
    following = chips.follow(now => void second.push(now));
    await until('the new follower', () => second.length > 0);
    assert.equal(told.length, count);
  });

  it('are captured as the editor is at that moment', async () => {
    follow();
    const editor = await open([0, 1, 1, 2]);
    await show('selection a file.js 1-2 on', 'file a file.js off');
    const captured = chips.capture();
    editor.selection = new vscode.Selection(2, 0, 2, 5);
    const path = uri.fsPath;
    const name = 'selection of editor chips ü/a file.js:1-2';
    const partly = { name, text: 'ne\ntw', path, lines: [1, 2] as const, hasWholeLines: false };
    assert.deepEqual(await captured(), { texts: [partly], problems: [] });
    chips.switchChip('file', path, true);
    chips.switchChip('selection', path, false);
    await show('selection a file.js 3-3 off', 'file a file.js on');
    assert.deepEqual((await chips.capture()()).texts, [{ name: path, text: 'one\ntwo\nthree\nfour\n', path }]);
    const again = new EditorChips({ folder: workspaceFolder(), memory });
    assert.equal((await again.capture()()).texts.length, 1, 'the switches are remembered');
  });

  it('are not switched for a file that is no longer active', async () => {
    follow();
    await open([0, 0, 1, 0]);
    await show('selection a file.js 1-1 on', 'file a file.js off');
    chips.switchChip('file', join(folder, 'other.js'), true);
    assert.equal(kept.size, 0);
  });

  it('send nothing of a file with secrets, unless the user says so for one message', async () => {
    const secret = vscode.Uri.file(join(folder, '.env'));
    writeFileSync(secret.fsPath, 'TOKEN=1\n');
    follow();
    await vscode.window.showTextDocument(secret, { selection: new vscode.Range(0, 0, 1, 0) });
    await show('selection .env 1-1 off secret', 'file .env off secret');
    assert.deepEqual(await chips.capture()(), { texts: [], problems: [] });
    chips.switchChip('selection', secret.fsPath, true);
    await show('selection .env 1-1 on secret', 'file .env off secret');
    assert.deepEqual(
      (await chips.capture()()).texts.map(({ text }) => text),
      ['TOKEN=1\n'],
    );
    await show('selection .env 1-1 off secret', 'file .env off secret');
    assert.equal(kept.size, 0, 'nothing of this is remembered');
  });

  it('send what is permitted with the next message only, even if it takes nothing or another editor is active', async () => {
    const secret = vscode.Uri.file(join(folder, '.env'));
    writeFileSync(secret.fsPath, 'TOKEN=1\n');
    const openSecret = (): Thenable<vscode.TextEditor> =>
      vscode.window.showTextDocument(secret, { selection: new vscode.Range(0, 0, 1, 0) });
    const permitBoth = async (): Promise<void> => {
      await openSecret();
      await show('selection .env 1-1 off secret', 'file .env off secret');
      chips.switchChip('selection', secret.fsPath, true);
      chips.switchChip('file', secret.fsPath, true);
      await show('selection .env 1-1 on secret', 'file .env on secret');
    };
    follow();
    await permitBoth();
    const first = chips.capture();
    assert.deepEqual(await chips.capture()(), { texts: [], problems: [] }, 'a second message');
    assert.equal((await first()).texts.length, 2, 'the first message has what it captured');
    await show('selection .env 1-1 off secret', 'file .env off secret');
    await permitBoth();
    chips.capture(); // Of a command, which takes nothing.
    await show('selection .env 1-1 off secret', 'file .env off secret');
    await permitBoth();
    await open();
    await show('file a file.js off');
    await chips.capture()();
    await openSecret();
    await show('selection .env 1-1 off secret', 'file .env off secret');
    assert.deepEqual(await chips.capture()(), { texts: [], problems: [] });
  });

  it('do not send what has become withheld since it was shown, and say so', async () => {
    follow();
    await open([0, 0, 1, 0]);
    await show('selection a file.js 1-1 on', 'file a file.js off');
    writeFileSync(join(folder, '.gitignore'), '*.js\n');
    const { texts, problems } = await chips.capture()();
    assert.deepEqual([texts, problems.length], [[], 1]);
    assert.match(problems[0] ?? '', /^selection of editor chips ü\/a file\.js:1 was not sent/);
    await show('selection a file.js 1-1 off gitignore', 'file a file.js off gitignore');
  });

  describe('while it is checked whether a file may be sent', () => {
    const other = vscode.Uri.file(join(folder, 'other.js'));
    let asked: { readonly path: string; readonly answer: (withheld: Withheld | undefined) => void }[];

    beforeEach(() => {
      writeFileSync(other.fsPath, 'other\n');
      asked = [];
      const why = ({ uri: { fsPath } }: vscode.TextDocument): Promise<Withheld | undefined> =>
        new Promise(resolve => asked.push({ path: fsPath, answer: resolve }));
      chips = new EditorChips({ folder: workspaceFolder(), memory }, why);
      follow();
    });

    const answer = async (at: number, path: string, withheld?: Withheld): Promise<void> => {
      const question = await until(`question ${at}`, () => asked[at]);
      assert.equal(question.path, path);
      question.answer(withheld);
    };

    it('are those of the active editor, also when the answer about an earlier one comes last', async () => {
      await open();
      await until('the first question', () => asked.length === 1);
      await vscode.window.showTextDocument(other);
      await answer(1, other.fsPath);
      await show('file other.js off');
      await answer(0, uri.fsPath, 'secret');
      await staysFalse('the chips of the other file', () => shown().join() !== 'file other.js off');
      chips.switchChip('file', other.fsPath, true);
      await show('file other.js on');
      assert.equal(asked.length, 2);
    });

    it('are those of an editor that is active again, whatever is said of another one', async () => {
      await open();
      await answer(0, uri.fsPath);
      await show('file a file.js off');
      await vscode.window.showTextDocument(other);
      await until('the question about the other file', () => asked.length === 2);
      await open();
      await answer(2, uri.fsPath, 'gitignore');
      await show('file a file.js off gitignore');
      await answer(1, other.fsPath);
      chips.switchChip('file', uri.fsPath, true);
      await show('file a file.js on gitignore');
      assert.equal(asked.length, 3);
    });

    it('follow the selection, with no second check', async () => {
      const editor = await open();
      await until('the question', () => asked.length === 1);
      editor.selection = new vscode.Selection(0, 0, 1, 0);
      await staysFalse('a second question', () => asked.length > 1);
      await answer(0, uri.fsPath);
      await show('selection a file.js 1-1 on', 'file a file.js off');
    });

    it('are checked again for somebody who follows after nobody did', async () => {
      await open();
      await answer(0, uri.fsPath);
      await show('file a file.js off');
      following?.dispose();
      follow();
      await answer(1, uri.fsPath, 'exclude');
      await show('file a file.js off exclude');
    });
  });

  it('count the lines of a long file once for each version of its text', async () => {
    let reads = 0;
    const document = { version: 1, getText: () => 'line\n'.repeat(2_000 + ++reads) };
    const firstLines = new FirstLines();
    assert.deepEqual([firstLines.of(document), firstLines.of(document), reads], [2_000, 2_000, 1]);
    document.version = 2;
    assert.deepEqual(
      [firstLines.of(document), firstLines.of({ ...document, getText: () => '' }), reads],
      [2_000, undefined, 2],
    );
    const long = vscode.Uri.file(join(folder, 'long.js'));
    writeFileSync(long.fsPath, 'line\n'.repeat(2_001));
    follow();
    const editor = await vscode.window.showTextDocument(long);
    await until('the long file', () => last().at(-1)?.firstLines === 2_000);
    await editor.edit(edit => edit.delete(new vscode.Range(0, 0, 2, 0)));
    await editor.document.save();
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    await show('selection long.js 1-1 on', 'file long.js off');
    assert.equal(last().at(-1)?.firstLines, undefined);
  });

  it('ask about all selections, and about problems in them only to fix', async () => {
    const found = vscode.languages.createDiagnosticCollection('chips');
    found.set(
      uri,
      [0, 2].map(line => new vscode.Diagnostic(new vscode.Range(line, 0, line, 2), `Problem ${line}`)),
    );
    const asked: unknown[] = [];
    const chat = { ask: (...given: unknown[]) => Promise.resolve(void asked.push(given)) };
    await open([0, 0, 1, 0], [3, 0, 3, 4]);
    for (const request of ['explain', 'fix', 'writeTests'] as const) {
      await askAboutSelection(request, { chat, folder: workspaceFolder() });
    }
    found.dispose();
    const files = [{ name: 'selection of editor chips ü/a file.js:1, 4', text: '[lines 1]\none\n\n[lines 4]\nfour' }];
    const fix =
      'Fix the selected code. Change as little as needed.\n\nThe editor reports:\n\n```text\neditor chips ü/a file.js:1:1 error: Problem 0\n```';
    assert.deepEqual(asked, [
      ['Explain the selected code: what it does and why. Change nothing.', files],
      [fix, files],
      ['Write tests for the selected code, in the way in which this project has its tests.', files],
    ]);
  });
});
