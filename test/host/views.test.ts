import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event';
import { silentLog } from '../../src/base/log';
import { Quiet } from '../../src/vscode/quiet';
import type { McpServer } from '../../src/mcp/managed-server';
import type { ListedPackage, ListedPart } from '../../src/packages/package-overview';
import { ChatEditors } from '../../src/vscode/chat/chat-editors';
import { ChatView } from '../../src/vscode/chat/chat-view';
import { McpView } from '../../src/vscode/mcp-view/mcp-view';
import type { PackageNode } from '../../src/vscode/packages-view/package-nodes';
import { PackagesView } from '../../src/vscode/packages-view/packages-view';
import { hookline, staysFalse, until } from './support/extension';
import { replace } from './support/replace';

/** A view of VS Code without a screen, and what a user does in it. */
interface FakeTree {
  readonly checked: Emitter<{ items: readonly (readonly [unknown, vscode.TreeItemCheckboxState])[] }>;
}

/** Makes a view while VS Code's own views stay as they are. */
function withFakeTree<V>(make: () => V): { readonly view: V; readonly tree: FakeTree } {
  const tree: FakeTree = { checked: new Emitter() };
  const restore = replace(vscode.window, 'createTreeView', <T>() => {
    const seen = new Emitter<unknown>();
    const fake: object = {
      visible: false,
      onDidChangeCheckboxState: tree.checked.event,
      onDidChangeVisibility: seen.event,
      dispose: () => undefined,
    };
    return fake as vscode.TreeView<T>;
  });
  try {
    return { view: make(), tree };
  } finally {
    restore();
  }
}

/** Ids of the rows that a view has to show anew, and `all` for all rows. */
function changesOf<N>(view: vscode.TreeDataProvider<N>): (string | undefined)[] {
  const told: (string | undefined)[] = [];
  view.onDidChangeTreeData?.(changed => {
    for (const row of Array.isArray(changed) ? (changed as readonly N[]) : [changed as N | undefined]) {
      told.push(row === undefined ? 'all' : (view.getTreeItem(row) as vscode.TreeItem).id);
    }
  });
  return told;
}

describe('views of trees', () => {
  it('show only the MCP server anew that changed', async () => {
    const server = (name: string, type: 'connecting' | 'disabled'): McpServer => {
      const entry = { name, scope: 'project', source: '/work/mcp.json', config: { command: name } };
      const facts: object = { name, entry, state: { type }, reach: 'direct', usesLogin: false };
      return facts as McpServer;
    };
    let servers = [server('one', 'connecting'), server('two', 'connecting')];
    const changed = new Emitter<void>();
    const { view } = withFakeTree(() => new McpView());
    const told = changesOf(view);
    view.show({ facts: () => ({ servers, problems: [] }), replacedBy: () => undefined, onDidChange: changed.event });
    (await view.getChildren()).forEach(row => view.getTreeItem(row));
    servers = [server('one', 'connecting'), server('two', 'disabled')];
    changed.fire();
    await until('the row is shown anew', () => told.length > 0);
    assert.deepEqual(told, ['two']);
    view.dispose();
  });

  it('show the part of a package anew that could not be turned off, and no other row', async () => {
    const declared = { identity: 'kit', scope: 'user', written: './kit', folder: '/kit', source: { type: 'local' } };
    const facts: object = { declared, state: 'runs', installed: { name: 'kit', version: '1.0.0', problems: [] } };
    const listed = facts as ListedPackage;
    const part = (name: string): ListedPart => {
      const made: object = { identity: 'kit', path: `/kit/${name}.ts`, kind: 'extensions', isOn: true };
      return made as ListedPart;
    };
    const parts = [part('one'), part('two')];
    const changed = new Emitter<void>();
    const turned: string[] = [];
    const { view, tree } = withFakeTree(() => new PackagesView());
    const told = changesOf(view);
    view.show({
      facts: () => ({ packages: [listed], parts, updateOf: () => undefined }),
      onDidChange: changed.event,
      seen: () => undefined,
      turn: (_node, to) => void turned.push(to),
    });
    const rows: PackageNode[] = await view.getChildren();
    const below = await view.getChildren(rows[0]);
    [...rows, ...below].forEach(row => view.getTreeItem(row));
    changed.fire();
    assert.deepEqual(told, []);
    tree.checked.fire({ items: [[below[1], vscode.TreeItemCheckboxState.Unchecked]] });
    assert.deepEqual(turned, ['off']);
    changed.fire();
    assert.deepEqual(told, ['user\nkit\n/kit/two.ts']);
    view.dispose();
  });
});

describe('the view of the chat', () => {
  it('tells the conversation that its page was hidden while it was connected', async () => {
    const api = await hookline();
    const restore = replace(vscode.window, 'registerWebviewViewProvider', () => new vscode.Disposable(() => undefined));
    const panel = vscode.window.createWebviewPanel('hookline.test', 'Test', vscode.ViewColumn.Active);
    const said = new Emitter<unknown>();
    replace(panel.webview, 'onDidReceiveMessage', said.event);
    const seen = new Emitter<void>();
    const view = {
      visible: true,
      webview: panel.webview,
      onDidDispose: panel.onDidDispose,
      onDidChangeVisibility: seen.event,
    };
    const got: unknown[] = [];
    let connected: () => void = () => undefined;
    const chat = new ChatView({
      extensionUri: vscode.Uri.file(api.ui.place.dir),
      log: silentLog,
      quiet: new Quiet(),
      connect: async () => {
        await new Promise<void>(resolve => (connected = resolve));
        return () => ({
          receive: message => void got.push(message),
          hidden: () => void got.push('hidden'),
          use: () => undefined,
          go: () => undefined,
          dispose: () => undefined,
        });
      },
    });
    try {
      chat.resolveWebviewView(view as object as vscode.WebviewView);
      said.fire({ type: 'ready' });
      view.visible = false;
      seen.fire();
      connected();
      await until('the page is connected', () => got.length > 0);
      assert.deepEqual(got, [{ type: 'ready' }, 'hidden']);
      view.visible = true;
      said.fire({ type: 'ready' });
      assert.deepEqual(got.slice(2), [{ type: 'ready' }]);
    } finally {
      restore();
      chat.dispose();
      panel.dispose();
    }
  });
});

describe('the editor tabs of conversations', () => {
  it('stay when the extension ends, so that they come back when it starts again', async () => {
    const { window, view, ui } = await hookline();
    const { conversations } = await window.get();
    const { id } = conversations.active;
    const restore = replace(
      vscode.window,
      'registerWebviewPanelSerializer',
      () => new vscode.Disposable(() => undefined),
    );
    const pages = { extensionUri: ui.extensionUri, log: silentLog, quiet: new Quiet() };
    const editors = new ChatEditors({ ...pages, window, view });
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap(group => group.tabs);
    try {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await editors.open(id);
      await until('the tab', () => tabs().length === 1 && conversations.editorTabOf(id) === 'visible');
      editors.dispose();
      await staysFalse('the tab is closed', () => tabs().length === 0);
    } finally {
      restore();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });
});
