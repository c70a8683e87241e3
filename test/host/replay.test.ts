import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { silentLog } from '../../src/base/log';
import { Quiet } from '../../src/vscode/quiet';
import { ReplayPanel } from '../../src/vscode/hook-log/replay-panel';
import type { HooklineInternals } from '../../src/extension';
import type { ReplayReport } from '../../src/hook-insight/replay/report';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, pressUntilOver, saveHook, toolsAreOver, until, workspaceFolder } from './support/extension';
import { replace } from './support/replace';

describe('a recorded run', () => {
  let api: HooklineInternals;
  let window: HooklineWindow;
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-replayed.ts');
  const tests = join(workspaceFolder(), '.pi', 'hooks-test');
  const source = (word: string): string =>
    `export default pi => {\n  pi.on('tool_call', async event => event.toolName === '${word}' ? { block: true, reason: 'no ${word}' } : undefined);\n};\n`;

  before(async () => {
    api = await hookline();
    window = await api.window.get();
    await window.conversations.active.conversation.sessions.newSession();
    await saveHook(hook, source('ls'));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await toolsAreOver();
    rmSync(hook, { force: true });
    rmSync(tests, { recursive: true, force: true });
    await until('the hook is gone', () => !window.hooks.infos().some(info => info.path === hook));
  });

  const replay = async (): Promise<ReplayReport> => {
    const report = await vscode.commands.executeCommand<ReplayReport | undefined>('hookline.replayHooks', {
      hookPath: hook,
    });
    assert.ok(report);
    return report;
  };

  it('shows which verdicts changed since, and neither counts, records nor does anything', async () => {
    await window.conversations.active.submit('list');
    await window.monitor.log.flush();
    const recorded = window.monitor.log.entries.length;
    const same = await replay();
    assert.ok(same.counts.same > 0);
    assert.deepEqual([same.counts.changed, same.counts.unsure, same.counts.skipped], [0, 0, 0]);

    await saveHook(hook, source('bash'));
    const changed = await replay();
    assert.equal(
      changed.counts.changed,
      same.dispatches.filter(({ handlers }) => handlers[0]?.before?.outcome.type === 'blocked').length,
    );
    const [row] = changed.dispatches.filter(({ status }) => status === 'changed');
    assert.deepEqual(row?.handlers[0]?.before?.outcome, { type: 'blocked', reason: 'no ls' });
    assert.deepEqual(row.handlers[0].after?.outcome, { type: 'nothing' });
    assert.equal(row.handlers[0].line, 2);
    await window.monitor.log.flush();
    assert.equal(window.monitor.log.entries.length, recorded, 'a replay is no dispatch');
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    const own = tabs.filter(
      ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('hookReplay'),
    );
    assert.equal(own.length, 1);
  });

  describe('on its page', () => {
    let said: unknown[];
    let listening: ((message: unknown) => void)[];
    let restore: () => void;
    let panel: ReplayPanel;

    beforeEach(() => {
      said = [];
      listening = [];
      const create = vscode.window.createWebviewPanel;
      restore = replace(vscode.window, 'createWebviewPanel', (...given) => {
        const opened = create(...given);
        replace(opened.webview, 'postMessage', message => Promise.resolve(said.push(message) > 0));
        const listen = opened.webview.onDidReceiveMessage;
        replace(opened.webview, 'onDidReceiveMessage', (listener, ...rest) => {
          listening.push(listener);
          return listen(listener, ...rest);
        });
        return opened;
      });
      const extensionUri = vscode.Uri.file(api.ui.place.dir);
      panel = new ReplayPanel({ extensionUri, log: silentLog, quiet: new Quiet() });
    });
    afterEach(() => {
      restore();
      panel.dispose();
    });

    it('tells why a replay failed, after a page that was reloaded as well', async () => {
      const failing = panel.run(({ onProgress }) => {
        onProgress(1, 3);
        return Promise.reject(new Error('gate.ts could not be loaded'));
      });
      await assert.rejects(failing, /gate\.ts could not be loaded/);
      const send = await until('the page is served', () => listening[0]);
      said.length = 0;
      send({ type: 'ready' });
      assert.deepEqual(said, [{ type: 'failed', message: 'gate.ts could not be loaded' }]);
    });

    it('tells at once that a replay begins, instead of the result of an earlier one', async () => {
      const view = { source: 'the hook log', rows: [], missing: [] };
      await panel.run(() => Promise.resolve(view));
      const send = await until('the page is served', () => listening[0]);
      let end: (value: typeof view) => void = () => undefined;
      const running = panel.run(() => new Promise(resolve => (end = resolve)));
      send({ type: 'ready' });
      assert.deepEqual(said, [{ type: 'begun', again: false }]);
      end(view);
      await running;
      said.length = 0;
      send({ type: 'again' });
      assert.deepEqual(said, [{ type: 'begun', again: true }]);
      end(view);
    });
  });

  it('asks which run when no hook is named', async () => {
    const replaying = vscode.commands.executeCommand<ReplayReport | undefined>('hookline.replayHooks');
    const { dispatches = [] } = (await pressUntilOver('enter', replaying)) ?? {};
    assert.ok(dispatches.length > 0);
    assert.ok(
      dispatches.every(({ run }) => run === window.monitor.log.run),
      'of this window',
    );
  });

  it('becomes a test that mocha runs, green and then red', async function () {
    this.timeout(60_000);
    await saveHook(hook, source('ls'));
    await window.conversations.active.submit('list');
    const target = { hookPath: hook, registeredAs: 'tool_call', nth: 0 };
    const making = vscode.commands.executeCommand<string | undefined>('hookline.makeHookTest', target);
    const path = await pressUntilOver('enter', making);
    assert.equal(path, join(tests, 'zz-replayed-tool_call-ls-blocked.test.mjs'));
    assert.ok(existsSync(join(tests, 'hookline-testing.mjs')));
    assert.match(readFileSync(path, 'utf8'), /"reason": "no ls"/);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, path);
    const mocha = join(api.ui.place.dir, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const run = () =>
      spawnSync(process.execPath, [mocha, '--no-config', path], { cwd: workspaceFolder(), encoding: 'utf8' });
    const green = run();
    assert.equal(green.status, 0, green.stdout + green.stderr);
    await saveHook(hook, source('bash'));
    const red = run();
    assert.equal(red.status, 1, red.stdout);
    assert.match(red.stdout, /1 failing/);
  });
});
