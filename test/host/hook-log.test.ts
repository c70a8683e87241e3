import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineInternals } from '../../src/extension';
import type { DispatchRecord } from '../../src/hook-contract/record';
import { HookLog } from '../../src/hook-insight/recording/hook-log';
import { LogFile, readLines } from '../../src/hook-insight/recording/log-file';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';
import { refuseToClose, replace } from './support/replace';

describe('the hook log', () => {
  let api: HooklineInternals;
  let window: HooklineWindow;

  before(async () => {
    api = await hookline();
    window = await api.window.get();
    await window.conversations.active.conversation.sessions.newSession();
  });

  it('holds each dispatch of a run, redacted, and a window opened later has them again', async () => {
    const { log } = window.monitor;
    const records: DispatchRecord[] = [];
    const listening = window.hooks.records.onDidDispatch(record => {
      records.push({ ...record });
    });
    await window.conversations.active.submit('run `echo token=abcdefgh12345`');
    listening.dispose();
    await log.flush();
    assert.ok(records.length > 0);
    const told = (entries: readonly { seq: number; event: string }[]) =>
      entries.map(({ seq, event }) => `${seq} ${event}`);
    const own = log.entries.filter(entry => entry.run === log.run && entry.seq >= (records[0]?.seq ?? 0));
    assert.deepEqual(told(own), told(records));
    assert.doesNotMatch(log.exportText(), /abcdefgh12345/);
    assert.match(log.exportText(), /token=\[redacted\]/);

    const folder = api.ui.workspaceStorageDir;
    assert.ok(folder);
    const file = join(folder, 'hook-log.jsonl');
    assert.ok(existsSync(file));
    assert.doesNotMatch(readFileSync(file, 'utf8'), /abcdefgh12345/);
    const next = new HookLog({ file: new LogFile(file) });
    await next.load();
    assert.deepEqual(told(next.entries.slice(-records.length)), told(records));
    next.dispose();
  });

  it('is exported as JSON lines that can be read again', () => {
    const { entries, unreadable } = readLines(window.monitor.log.exportText());
    assert.equal(unreadable, 0);
    assert.deepEqual(entries, window.monitor.log.entries);
  });

  it('opens in a tab, once', async () => {
    const tabs = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all
        .flatMap(group => group.tabs)
        .filter(tab => tab.input instanceof vscode.TabInputWebview && tab.input.viewType.endsWith('hookline.hookLog'));
    await vscode.commands.executeCommand('hookline.showHookLog');
    await until('the tab is there', () => tabs().length === 1);
    await vscode.commands.executeCommand('hookline.showHookLog', {
      hookPath: '/x.ts',
      registeredAs: 'tool_call',
      nth: 0,
    });
    assert.equal(tabs().length, 1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until('it is closed', () => tabs().length === 0);
  });

  it('opens even when a tab from before a reload cannot be closed', async () => {
    const type = 'forgotten.hookline.hookLog';
    const forgotten = vscode.window.createWebviewPanel(type, 'Forgotten', vscode.ViewColumn.Active);
    const inputs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs).map(({ input }) => input);
    const isOpen = () =>
      inputs().some(input => input instanceof vscode.TabInputWebview && input.viewType.endsWith(type));
    await until('the tab is there', isOpen);
    const logged: string[] = [];
    const restoreLog = replace(api.ui.log, 'error', text => logged.push(text));
    const restoreTabs = refuseToClose();
    try {
      await vscode.commands.executeCommand('hookline.showHookLog');
      await until('the log says it', () => logged.length > 0);
    } finally {
      restoreTabs();
      restoreLog();
    }
    assert.deepEqual(logged, ['A tab from before the reload could not be closed: the tab stays']);
    forgotten.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  describe('says why what its page asks for', () => {
    let send: (message: unknown) => void;
    let errors: Messages;
    const restores: (() => void)[] = [];

    beforeEach(async () => {
      const create = vscode.window.createWebviewPanel;
      const listening: ((message: unknown) => void)[] = [];
      restores.push(
        replace(vscode.window, 'createWebviewPanel', (...given) => {
          const panel = create(...given);
          const listen = panel.webview.onDidReceiveMessage;
          replace(panel.webview, 'onDidReceiveMessage', (listener, ...rest) => {
            listening.push(listener);
            return listen(listener, ...rest);
          });
          return panel;
        }),
      );
      errors = new Messages('showErrorMessage', []);
      restores.push(() => errors.restore());
      await vscode.commands.executeCommand('hookline.showHookLog');
      send = await until('the page is served', () => listening[0]);
    });

    afterEach(async () => {
      for (const restore of restores.splice(0)) restore();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    });

    it('cannot be opened', async () => {
      send({ type: 'openFile', path: join(workspaceFolder(), 'gone.ts') });
      await until('the error is shown', () => errors.shown.some(({ text }) => text.includes('gone.ts')));
    });

    it('cannot be copied', async () => {
      await window.conversations.active.submit('run `true`');
      const entry = await until('a call is logged', () => window.monitor.log.entries[0]);
      const writeText = (): Promise<void> => Promise.reject(new Error('the clipboard is busy'));
      const clipboard = { ...vscode.env.clipboard, writeText };
      restores.push(replace(vscode.env as { clipboard: vscode.Clipboard }, 'clipboard', clipboard));
      send({ type: 'copy', key: `${entry.run}:${entry.seq}` });
      await until('the error is shown', () => errors.shown.some(({ text }) => text.includes('busy')));
    });

    it('cannot be exported', async () => {
      const folder = vscode.Uri.file(workspaceFolder());
      restores.push(replace(vscode.window, 'showSaveDialog', () => Promise.resolve(folder)));
      send({ type: 'export' });
      await until('the error is shown', () => errors.shown.some(({ text }) => text.includes(folder.fsPath)));
    });
  });

  it('can be cleared', async () => {
    await vscode.commands.executeCommand('hookline.clearHookLog');
    assert.deepEqual(window.monitor.log.entries, []);
  });
});
