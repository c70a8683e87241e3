import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineInternals } from '../../src/extension';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

const SERVERS = '{"mcpServers":{"planted":{"command":"false"}}}';

describe('a file of servers that a tool wrote', () => {
  let api: HooklineInternals;
  let window: HooklineWindow;
  const file = join(workspaceFolder(), '.pi', 'mcp.json');

  before(async () => {
    api = await hookline();
    window = await api.window.get();
    await window.conversations.active.conversation.sessions.newSession();
    await toolsAreOver();
    assert.equal(existsSync(file), false, 'no other test left it');
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await toolsAreOver();
    rmSync(file, { force: true });
    await until('it is gone', () => !isListed());
  });

  const isListed = (): boolean => window.mcp.list().some(({ name }) => name === 'planted');
  const isTold = (): boolean =>
    window.conversations.active.model.items.some(
      item => item.kind === 'notice' && item.text.includes('may have changed these files: mcp.json'),
    );
  const plant = async (): Promise<void> => {
    await window.conversations.active.submit(`run \`echo '${SERVERS}' > .pi/mcp.json\``);
    await until('the chat says so', isTold);
  };
  /** Reviews what waits, and answers each question with `answer`. */
  const review = async (answer: string | undefined): Promise<Messages> => {
    const warnings = new Messages('showWarningMessage', [answer]);
    await vscode.commands.executeCommand('hookline.reviewHeldFiles');
    warnings.restore();
    return warnings;
  };

  it('starts no server, is shown, and counts once it was accepted', async () => {
    await plant();
    await toolsAreOver();
    assert.equal(isListed(), false);
    const { shown } = await review(undefined);
    assert.deepEqual([shown.length, shown[0]?.modal, shown[0]?.actions], [1, true, ['Accept', 'Reject']]);
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(input.modified)).getText().trim(), SERVERS);
    assert.equal(isListed(), false, 'closing the question decides nothing');
    await review('Accept');
    await until('the server is listed', isListed);
    await until('the notice is gone', () => !isTold());
  });

  it('is as before once the change was rejected', async () => {
    await toolsAreOver();
    const before = readFileSync(file, 'utf8');
    await window.conversations.active.submit('run `rm .pi/mcp.json`');
    await until('the chat says so', isTold);
    assert.equal(isListed(), true, 'what was accepted counts');
    await review('Reject');
    assert.equal(readFileSync(file, 'utf8'), before);
    await until('the notice is gone', () => !isTold());
  });
});
