import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { HookLog } from '../../hooks/recording/hook-log';
import type { LogEntry } from '../../hooks/recording/log-entry';
import type { HostToLog, LogFilter, LogToHost } from '../../protocol/log';
import { readLogToHost } from '../../protocol/log-validate';
import { chatHtml, failureHtml } from '../chat-html';
import type { HookTarget } from '../hooks-view/hook-target';
import { LOG_PANEL } from '../ids';
import { detailsOf, entryKey, keyOf, rowOf } from './log-rows';

/** What the panel shows and does. */
export interface LogPanelSource {
  readonly log: HookLog;
  /** Where a handler is registered. */
  readonly fileOf: (entry: LogEntry) => string;
  readonly exportLog: () => Promise<void>;
  readonly makeTest: (entry: LogEntry) => Promise<unknown>;
}

export interface LogPanelParts {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Starts what is needed. */
  readonly source: () => Promise<LogPanelSource>;
}

/** The hook log in an editor tab; there is one at most, and a reload of the window brings it back. */
export class LogPanel implements vscode.WebviewPanelSerializer, Disposable {
  private readonly store = new DisposableStore();
  private panel: vscode.WebviewPanel | undefined;
  private post: ((message: HostToLog) => void) | undefined;
  /** Waits for a page that can show it. */
  private filter: LogFilter | undefined;

  constructor(private readonly parts: LogPanelParts) {
    this.store.add(vscode.window.registerWebviewPanelSerializer(LOG_PANEL, this));
  }

  /** Opens the log or brings it to the front; with a target, only that is let through. */
  show(target: HookTarget | undefined): void {
    if (target !== undefined) {
      const { hookPath, registeredAs = '' } = target;
      this.filter = { hookPath, registeredAs, tool: '', outcome: '', text: '' };
    }
    if (this.panel !== undefined) {
      this.panel.reveal();
      this.sendFilter();
      return;
    }
    void closeForgottenTabs();
    const title = vscode.l10n.t('Hook Log');
    this.adopt(vscode.window.createWebviewPanel(LOG_PANEL, title, vscode.ViewColumn.Active, this.options()));
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.options();
    if (this.panel === undefined) this.adopt(panel);
    else panel.dispose();
    return Promise.resolve();
  }

  dispose(): void {
    this.panel?.dispose();
    this.store.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    const page = new DisposableStore();
    page.add(
      panel.onDidDispose(() => {
        this.panel = undefined;
        this.post = undefined;
        page.dispose();
      }),
    );
    const waiting: unknown[] = [];
    let receive = (message: unknown): void => void waiting.push(message);
    page.add(
      panel.webview.onDidReceiveMessage(message => {
        receive(message);
      }),
    );
    panel.webview.html = this.html(panel.webview);
    void this.connect(panel, page).then(connected => {
      if (connected === undefined) return;
      receive = connected;
      for (const message of waiting.splice(0)) receive(message);
    });
  }

  private async connect(
    panel: vscode.WebviewPanel,
    page: DisposableStore,
  ): Promise<((message: unknown) => void) | undefined> {
    try {
      const source = await this.parts.source();
      if (page.isDisposed) return undefined;
      const post = (message: HostToLog): void => {
        if (!page.isDisposed) void panel.webview.postMessage(message);
      };
      const { log } = source;
      page.add(
        log.onDidAdd(entries => {
          post({ type: 'rows', rows: entries.map(entry => rowOf(entry, log.run)), replace: false });
        }),
      );
      page.add(
        log.onDidReplace(() => {
          post({ type: 'rows', rows: log.entries.map(entry => rowOf(entry, log.run)), replace: true });
        }),
      );
      return message => {
        const read = readLogToHost(message);
        if (read !== undefined) this.handle(read, source, post);
      };
    } catch (error) {
      this.parts.log.error(`The hook log could not be shown: ${messageOf(error)}`, error);
      if (!page.isDisposed) {
        panel.webview.html = failureHtml(vscode.l10n.t('The hook log could not be shown.'), messageOf(error));
      }
      return undefined;
    }
  }

  private handle(message: LogToHost, source: LogPanelSource, post: (message: HostToLog) => void): void {
    const { log } = source;
    switch (message.type) {
      case 'ready':
        this.post = post;
        post({ type: 'rows', rows: log.entries.map(entry => rowOf(entry, log.run)), replace: true });
        this.sendFilter();
        break;
      case 'select': {
        const entry = find(log, message.key);
        if (entry !== undefined) post({ type: 'details', details: detailsOf(entry, source.fileOf(entry)) });
        break;
      }
      case 'search':
        post({ type: 'found', text: message.text, keys: log.search(message.text.trim()).map(keyOf) });
        break;
      case 'copy': {
        const entry = find(log, message.key);
        if (entry !== undefined) void vscode.env.clipboard.writeText(JSON.stringify(entry, undefined, 2));
        break;
      }
      case 'makeTest': {
        const entry = find(log, message.key);
        if (entry !== undefined) source.makeTest(entry).catch(tellFailure);
        break;
      }
      case 'replay':
        void vscode.commands.executeCommand('hookline.replayHooks');
        break;
      case 'openFile':
        void openAt(message.path, message.line);
        break;
      case 'export':
        void source.exportLog();
        break;
      case 'clear':
        void vscode.commands.executeCommand('hookline.clearHookLog');
        break;
    }
  }

  private sendFilter(): void {
    if (this.post === undefined || this.filter === undefined) return;
    this.post({ type: 'filter', filter: this.filter });
    this.filter = undefined;
  }

  private options(): vscode.WebviewOptions {
    const root = vscode.Uri.joinPath(this.parts.extensionUri, 'dist', 'webview');
    return { enableScripts: true, localResourceRoots: [root] };
  }

  private html(webview: vscode.Webview): string {
    const resource = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.parts.extensionUri, 'dist', 'webview', name)).toString();
    return chatHtml({
      script: resource('log.js'),
      style: resource('log.css'),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
      messages: vscode.l10n.bundle,
    });
  }
}

/** After a reload of the window a tab in the background comes alive only when it is shown; until then it is not ours. */
async function closeForgottenTabs(): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(LOG_PANEL));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

function tellFailure(error: unknown): void {
  void vscode.window.showErrorMessage(messageOf(error));
}

function find(log: HookLog, key: string): LogEntry | undefined {
  const read = entryKey(key);
  return read === undefined ? undefined : log.find(read.run, read.seq);
}

async function openAt(path: string, line = 1): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), {
    selection: new vscode.Range(at, at),
    viewColumn: vscode.ViewColumn.Beside,
  });
}
