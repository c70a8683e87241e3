import { writeRecordsIn } from '../../src/agent/tools/files/writing/write-records';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ENDED } from '../../src/base/ending/known-process';
import { stateFolder } from '../../src/startup/own-folders';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

const [OLD, NEW] = ['the old text\n', 'a new and longer text\n'];

describe('a file that was being written when its process ended', () => {
  let window: HooklineWindow;
  const file = join(workspaceFolder(), 'unfinished.txt');
  const records = join(stateFolder(), 'unfinished-writes');

  before(async () => {
    window = await (await hookline()).window.get();
  });
  beforeEach(async () => {
    await writeRecordsIn(stateFolder()).begin({ path: file, before: Buffer.from(OLD), after: Buffer.from(NEW) });
    for (const name of await readdir(records)) {
      const text = await readFile(join(records, name), 'utf8');
      await writeFile(join(records, name), text.replace(`"pid":${process.pid}`, `"pid":${ENDED}`));
    }
    writeFileSync(file, `a new${OLD.slice(5)}`);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(file, { force: true });
    rmSync(records, { recursive: true });
  });

  const isTold = (): boolean =>
    window.conversations.active.model.items.some(
      item => item.kind === 'notice' && item.text.includes(`only a part of the new text: ${file}`),
    );
  /** Reviews what is there, and answers each question with `answer`. */
  const review = async (answer: string | undefined): Promise<Messages> => {
    const warnings = new Messages('showWarningMessage', [answer]);
    await vscode.commands.executeCommand('hookline.reviewUnfinishedWrites');
    warnings.restore();
    return warnings;
  };

  it('is shown, and gets its old bytes back on request', async () => {
    const { shown } = await review(undefined);
    assert.deepEqual([shown.length, shown[0]?.modal, shown[0]?.actions], [1, true, ['Put Back', 'Keep']]);
    assert.match(shown[0]?.detail ?? '', /holds only a part of the new text/);
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(input.original)).getText(), OLD);
    await until('the chat says so', isTold);
    assert.equal(readFileSync(file, 'utf8'), `a new${OLD.slice(5)}`, 'closing the question decides nothing');
    await review('Put Back');
    assert.equal(readFileSync(file, 'utf8'), OLD);
    await until('the notice is gone', () => !isTold());
    assert.deepEqual(await readdir(records), []);
  });

  it('is marked when it was removed since, and stays so when it is kept', async () => {
    rmSync(file);
    const { shown } = await review('Keep');
    assert.match(shown[0]?.detail ?? '', /was changed or removed since/);
    assert.equal(existsSync(file), false);
    assert.deepEqual(await readdir(records), []);
  });
});
