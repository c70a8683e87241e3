import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { CallDetails } from '../../src/hook-contract/approvals/asked-call';
import type { Answer } from '../../src/hook-contract/ui/ui';
import { DialogQueue, type Question } from '../../src/session/ports/dialogs';
import { WRITE_SCHEME, WRITE_VIEW_SCHEME } from '../../src/vscode/ids';
import { hookline, staysFalse, until, workspaceFolder } from './support/extension';
import { questionWith } from '../support/question';

describe('the diff of a write about which a question is', () => {
  const folder = join(workspaceFolder(), 'write diffs ü');
  const path = join(folder, 'a.txt');
  const write = (content: string): CallDetails => ({
    ...{ toolName: 'write', kind: 'writes', cwd: folder },
    input: { path: 'a.txt', content },
    file: { real: path, place: 'workspace', use: 'write' },
  });
  const ofHook = (content: string): Partial<Question> => ({ call: write(content), dialog: { type: 'confirm' } });
  const ofGate = (content: string): Partial<Question> => ({
    asker: { type: 'gate' },
    subject: { type: 'call', call: write(content), remarks: [], isOfSubagent: false },
    dialog: { type: 'select', options: ['Allow once', 'Deny'], meanings: ['allowOnce', 'refuse'] },
  });
  let queue: DialogQueue;
  let settled: Map<string, Answer>;

  beforeEach(async () => {
    const { ui } = await hookline();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, 'before\n');
    settled = new Map();
    queue = new DialogQueue();
    queue.addView(ui.dialogs);
  });

  afterEach(async () => {
    queue.dispose();
    await until('no diff', () => diffs().length === 0);
    rmSync(folder, { recursive: true, force: true });
  });

  const diffs = (): readonly vscode.TabInputTextDiff[] =>
    vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : []))
      .filter(({ modified }) => [WRITE_SCHEME, WRITE_VIEW_SCHEME].includes(modified.scheme));

  async function ask(given: Partial<Question>): Promise<Question> {
    const { ui } = await hookline();
    const asked = questionWith(given);
    void queue.ask(asked).then(answer => settled.set(asked.id, answer));
    await until('the question is shown', () => ui.dialogs.waiting !== undefined);
    return asked;
  }
  async function opened(asked: Question): Promise<vscode.TabInputTextDiff> {
    await vscode.commands.executeCommand('hookline.reviewWrite', asked.id);
    return until('the diff', () => diffs()[0]);
  }
  const proposed = async ({ modified }: vscode.TabInputTextDiff): Promise<string> =>
    (await vscode.workspace.openTextDocument(modified)).getText();

  for (const [what, given] of [
    ['a question of a hook', ofHook('after\n')],
    [
      'a question of the gate about a call of another agent',
      { ...ofGate('after\n'), guarded: { agent: 'Codex', folder: 'shop' } },
    ],
  ] as const) {
    it(`of ${what} cannot be changed, and answers nothing`, async () => {
      const asked = await ask(given);
      const diff = await opened(asked);
      assert.equal(diff.modified.scheme, WRITE_VIEW_SCHEME);
      assert.equal(await proposed(diff), 'after\n');
      await assert.rejects(async () => vscode.workspace.fs.writeFile(diff.modified, new Uint8Array()));
      for (const command of ['hookline.acceptDiff', 'hookline.rejectDiff']) {
        await vscode.commands.executeCommand(command);
      }
      await staysFalse('a command answered', () => settled.has(asked.id));
      assert.equal(diffs().length, 1);
      queue.answer(asked.id, true);
      await until('the diff is closed', () => diffs().length === 0);
      assert.equal(readFileSync(path, 'utf8'), 'before\n');
    });
  }

  it('of a question of the gate is approved in it', async () => {
    const asked = await ask(ofGate('after\n'));
    const diff = await opened(asked);
    assert.equal(diff.modified.scheme, WRITE_SCHEME);
    await vscode.commands.executeCommand('hookline.acceptDiff');
    await until('the answer', () => settled.get(asked.id) === 'Allow once');
    await until('the diff is closed', () => diffs().length === 0);
  });

  it('is not opened for another question than the one that waits', async () => {
    const first = await ask(ofGate('first\n'));
    const second = questionWith(ofGate('second\n'));
    void queue.ask(second);
    await vscode.commands.executeCommand('hookline.reviewWrite', second.id);
    await staysFalse('a diff opened', () => diffs().length > 0);
    queue.answer(first.id, 'Deny');
    await vscode.commands.executeCommand('hookline.reviewWrite', first.id);
    await staysFalse('a diff opened', () => diffs().length > 0);
    assert.equal(await proposed(await opened(second)), 'second\n');
    assert.equal(settled.has(second.id), false);
  });

  it('closes when the question is answered while the diff opens', async () => {
    const asked = await ask(ofGate('after\n'));
    const opening = vscode.commands.executeCommand('hookline.reviewWrite', asked.id);
    queue.answer(asked.id, 'Deny');
    await opening;
    await staysFalse('a diff without a question', () => diffs().length > 0);
  });

  it('shows the text of the question in place of a file that is no text', async () => {
    writeFileSync(path, 'a\0b');
    const asked = await ask({ ...ofHook('after\n'), title: 'Replace the picture?' });
    await vscode.commands.executeCommand('hookline.reviewWrite', asked.id);
    await until('the text', () =>
      vscode.window.visibleTextEditors.some(({ document }) => document.getText().includes('Replace the picture?')),
    );
    assert.equal(diffs().length, 0);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
