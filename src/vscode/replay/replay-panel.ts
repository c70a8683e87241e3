import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { HostToReplay, ReplayView } from '../../protocol/replay';
import { readReplayToHost } from '../../protocol/replay-validate';
import { chatHtml } from '../chat-html';
import { REPLAY_PANEL } from '../ids';

/** A replay that the panel can start, as often as the person wants; rejects when hooks cannot be loaded at all. */
export type ReplayJob = (told: {
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}) => Promise<ReplayView>;

/** What a replay found, in an editor tab; there is one at most. */
export class ReplayPanel implements Disposable {
  private open: { readonly panel: vscode.WebviewPanel; readonly page: DisposableStore } | undefined;
  private job: ReplayJob | undefined;
  private stop: AbortController | undefined;
  private ready = false;
  /** The last message of each kind waits for a page that is not there yet. */
  private last: HostToReplay | undefined;

  constructor(private readonly extensionUri: vscode.Uri) {}

  /** Starts a job in place of the one that runs, shows its progress, and resolves with what it found. */
  async run(job: ReplayJob): Promise<ReplayView> {
    this.job = job;
    this.stop?.abort();
    const stop = new AbortController();
    this.stop = stop;
    this.show();
    const report = await job({
      signal: stop.signal,
      onProgress: (done, all) => {
        if (!stop.signal.aborted) this.post({ type: 'progress', done, all });
      },
    });
    if (!stop.signal.aborted) this.post({ type: 'report', report });
    return report;
  }

  dispose(): void {
    this.stop?.abort();
    this.open?.panel.dispose();
  }

  private post(message: HostToReplay): void {
    this.last = message;
    if (this.ready) void this.open?.panel.webview.postMessage(message);
  }

  private show(): void {
    if (this.open !== undefined) {
      this.open.panel.reveal();
      return;
    }
    const root = vscode.Uri.joinPath(this.extensionUri, 'dist', 'webview');
    const panel = vscode.window.createWebviewPanel(
      REPLAY_PANEL,
      vscode.l10n.t('Hook Replay'),
      vscode.ViewColumn.Active,
      {
        enableScripts: true,
        localResourceRoots: [root],
      },
    );
    const page = new DisposableStore();
    this.open = { panel, page };
    page.add(
      panel.onDidDispose(() => {
        this.open = undefined;
        this.ready = false;
        this.stop?.abort();
        page.dispose();
      }),
    );
    page.add(
      panel.webview.onDidReceiveMessage(message => {
        this.handle(message);
      }),
    );
    const resource = (name: string): string => panel.webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
    panel.webview.html = chatHtml({
      script: resource('replay.js'),
      style: resource('replay.css'),
      cspSource: panel.webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
      messages: vscode.l10n.bundle,
    });
  }

  private handle(value: unknown): void {
    const message = readReplayToHost(value);
    switch (message?.type) {
      case 'ready':
        this.ready = true;
        if (this.last !== undefined) this.post(this.last);
        break;
      case 'openFile':
        void openAt(message.path, message.line);
        break;
      case 'again':
        if (this.job !== undefined) this.run(this.job).catch(tellFailure);
        break;
      case undefined:
        break; // Not one of ours.
    }
  }
}

function tellFailure(error: unknown): void {
  void vscode.window.showErrorMessage(messageOf(error));
}

async function openAt(path: string, line = 1): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), {
    selection: new vscode.Range(at, at),
    viewColumn: vscode.ViewColumn.Beside,
  });
}
