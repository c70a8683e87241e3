import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Conversation } from '../../conversation/conversation';
import type { Conversations } from '../../conversation/conversations';
import { SessionTreeFeed } from '../../conversation/session-tree-feed';
import type { HostToTree, TreeToHost } from '../../protocol/session-tree';
import { readTreeToHost } from '../../protocol/session-tree-validate';
import { chatHtml, failureHtml } from '../chat-html';
import { TREE_PANEL } from '../ids';
import { goToEntry } from './go-to-entry';

export interface TreePanelParts {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Starts what is needed. */
  readonly conversations: () => Promise<Conversations>;
  readonly showChat: () => Promise<void>;
}

/** The tree of the active conversation's session in an editor tab; there is one at most, a reload brings it back. */
export class TreePanel implements vscode.WebviewPanelSerializer, Disposable {
  private readonly store = new DisposableStore();
  private panel: vscode.WebviewPanel | undefined;
  private feed: SessionTreeFeed | undefined;
  /** Waits for a page that can mark it. */
  private wanted: string | undefined;

  constructor(private readonly parts: TreePanelParts) {
    this.store.add(vscode.window.registerWebviewPanelSerializer(TREE_PANEL, this));
  }

  /** Opens the tree or brings it to the front, and marks an entry in it. */
  show(entryId?: string): void {
    this.wanted = entryId;
    if (this.panel !== undefined) {
      this.panel.reveal();
      this.mark();
      return;
    }
    const title = vscode.l10n.t('Session Tree');
    this.adopt(vscode.window.createWebviewPanel(TREE_PANEL, title, vscode.ViewColumn.Active, this.options()));
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
        this.feed?.dispose();
        this.feed = undefined;
        page.dispose();
      }),
    );
    let isReady = false;
    let isConnected = false;
    const begin = (): void => {
      if (isReady && isConnected) this.feed?.start();
      this.mark();
    };
    page.add(
      panel.webview.onDidReceiveMessage((raw: unknown) => {
        const message = readTreeToHost(raw);
        if (message?.type === 'ready') {
          isReady = true;
          begin();
        } else if (message !== undefined) this.handle(message);
      }),
    );
    panel.webview.html = this.html(panel.webview);
    void this.connect(panel, page).then(() => {
      isConnected = true;
      begin();
    });
  }

  private async connect(panel: vscode.WebviewPanel, page: DisposableStore): Promise<void> {
    try {
      const conversations = await this.parts.conversations();
      if (page.isDisposed) return;
      const post = (message: HostToTree): void => {
        if (!page.isDisposed) void panel.webview.postMessage(message);
      };
      this.feed = new SessionTreeFeed(conversations.active, post);
      page.add(
        conversations.onDidChangeActive(conversation => {
          this.feed?.dispose();
          this.feed = new SessionTreeFeed(conversation, post);
          this.feed.start();
        }),
      );
    } catch (error) {
      this.parts.log.error(`The session tree could not be shown: ${messageOf(error)}`, error);
      if (page.isDisposed) return;
      panel.webview.html = failureHtml(vscode.l10n.t('The session tree could not be shown.'), messageOf(error));
    }
  }

  private mark(): void {
    if (this.feed === undefined || this.wanted === undefined) return;
    this.feed.select(this.wanted);
    this.wanted = undefined;
  }

  private handle(message: Exclude<TreeToHost, { type: 'ready' }>): void {
    if (message.type === 'label') {
      void vscode.commands.executeCommand('hookline.labelMessage', { entryId: message.id });
      return;
    }
    this.go(message.id).catch((error: unknown) => {
      this.parts.log.error('The conversation could not go to an entry of its tree', error);
      void vscode.window.showErrorMessage(messageOf(error));
    });
  }

  private async go(entryId: string): Promise<void> {
    const conversation: Conversation = (await this.parts.conversations()).active;
    if (await goToEntry(conversation, entryId)) {
      await this.parts.showChat();
      conversation.reveal(entryId);
    }
  }

  private options(): vscode.WebviewOptions {
    const root = vscode.Uri.joinPath(this.parts.extensionUri, 'dist', 'webview');
    return { enableScripts: true, localResourceRoots: [root] };
  }

  private html(webview: vscode.Webview): string {
    const resource = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.parts.extensionUri, 'dist', 'webview', name)).toString();
    return chatHtml({
      script: resource('tree.js'),
      style: resource('tree.css'),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
      messages: vscode.l10n.bundle,
    });
  }
}
