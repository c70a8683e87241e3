import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineInternals } from '../../src/extension';
import type { HookNode } from '../../src/vscode/hooks-view/hook-nodes';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

const GATE = `export default pi => {\n  pi.on('tool_call', async e => e.toolName === 'ls' ? { block: true, reason: 'guarded' } : undefined);\n};\n`;

describe('a hook that a tool changed', () => {
  let api: HooklineInternals;
  let window: HooklineWindow;
  const folder = join(workspaceFolder(), '.pi', 'hooks');
  const hook = join(folder, 'zz-guard.ts');
  const planted = join(folder, 'zz-planted.ts');

  before(async () => {
    api = await hookline();
    window = await api.window.get();
    await window.conversations.active.conversation.sessions.newSession();
    await toolsAreOver();
    // What the tests before this one left waiting.
    await window.approveHooks();
    writeFileSync(hook, GATE);
    await until('the guard is live', () => stateOf(hook) === 'live');
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await toolsAreOver();
    rmSync(hook, { force: true });
    rmSync(planted, { force: true });
    await window.approveHooks();
    await until('they are gone', () => stateOf(hook) === undefined && stateOf(planted) === undefined);
  });

  const stateOf = (path: string): string | undefined =>
    window.hooks.infos().find(info => info.path === path)?.state.type;
  const say = (text: string): Promise<unknown> => window.conversations.active.submit(text);
  const nodeFor = async (path: string): Promise<HookNode> => {
    const node = (await api.ui.hooksView.getChildren()).find(each => each.kind === 'hook' && each.hookPath === path);
    assert.ok(node);
    return node;
  };

  it('waits with a badge, shows what was changed, and is taken by its own action', async () => {
    await say(`run \`sed -i s/guarded/tamed/ .pi/hooks/zz-guard.ts\``);
    await until('it waits', () => stateOf(hook) === 'waiting');
    await until('the badge is there', () => (api.ui.hooksView.badge?.value ?? 0) > 0);
    const { contextValue, description } = api.ui.hooksView.getTreeItem(await nodeFor(hook));
    assert.equal(contextValue, 'hook.waiting');
    assert.match(String(description), /waiting for approval/);
    assert.equal(window.conversations.active.status.current.hooks.waiting, 1);

    await vscode.commands.executeCommand('hookline.compareHook', await nodeFor(hook));
    const diff = await until('the comparison is open', () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputTextDiff ? input : undefined;
    });
    assert.equal(diff.modified.fsPath, hook);
    const running = await vscode.workspace.openTextDocument(diff.original);
    assert.equal(running.getText(), GATE);
    assert.notEqual(readFileSync(hook, 'utf8'), GATE);

    await vscode.commands.executeCommand('hookline.approveHook', await nodeFor(hook));
    assert.equal(stateOf(hook), 'live');
    await until('the file is shown in place of the comparison', () => {
      const { tabs, activeTab } = vscode.window.tabGroups.activeTabGroup;
      const isFile = activeTab?.input instanceof vscode.TabInputText && activeTab.input.uri.fsPath === hook;
      return isFile && !tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff);
    });
    await until('the badge is gone', () => api.ui.hooksView.badge === undefined);
    await until('the chat knows', () => window.conversations.active.status.current.hooks.waiting === 0);
  });

  it('is as before in the list of changed files once its change is rejected, and the comparison is closed', async () => {
    const approved = readFileSync(hook, 'utf8');
    const settings = vscode.workspace.getConfiguration('hookline.approvals');
    await settings.update('places', { code: 'allow' }, vscode.ConfigurationTarget.Global);
    await say('write .pi/hooks/zz-guard.ts: export default () => undefined;');
    await settings.update('places', undefined, vscode.ConfigurationTarget.Global);
    await until('it waits', () => stateOf(hook) === 'waiting');
    const { changes } = window.conversations.active;
    const isListedAs = (kind: string) => async (): Promise<boolean> => {
      await changes.refresh();
      return changes.current.files.some(file => file.path === hook && file.kind === kind);
    };
    await until('it is listed as changed', isListedAs('changed'));
    await vscode.commands.executeCommand('hookline.compareHook', await nodeFor(hook));
    const isCompared = (): boolean =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .some(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.fsPath === hook);
    await until('the comparison is open', isCompared);
    const warnings = new Messages('showWarningMessage', ['Reject']);
    await vscode.commands.executeCommand('hookline.rejectHook', await nodeFor(hook));
    warnings.restore();
    assert.equal(warnings.shown.length, 1);
    assert.equal(readFileSync(hook, 'utf8'), approved);
    await until('it is listed as before', isListedAs('back'));
    await until('the comparison is closed', () => !isCompared());
  });

  it('does not run in a replay either before it is approved', async () => {
    await say('list');
    await say(`run \`cp .pi/hooks/zz-guard.ts .pi/hooks/zz-planted.ts\``);
    await until('it waits', () => stateOf(planted) === 'waiting');
    await window.monitor.log.flush();
    const entries = window.monitor.log.entries.filter(({ event }) => event === 'tool_call');
    assert.ok(entries.length > 0);
    const asked = async (): Promise<readonly string[]> => {
      const { dispatches } = await window.monitor.replay.run(entries, {});
      return dispatches.flatMap(({ handlers }) =>
        handlers.filter(({ after }) => after).map(({ hookPath }) => hookPath),
      );
    };
    assert.ok(!(await asked()).includes(planted));
    await vscode.commands.executeCommand('hookline.approveHook', await nodeFor(planted));
    await until('it is live', () => stateOf(planted) === 'live');
    assert.ok((await asked()).includes(planted));
  });
});
