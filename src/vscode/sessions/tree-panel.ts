import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Chat } from '../../chat/chat';
import type { Conversations } from '../../chat/window/conversations';
import type { SessionTreeFeed } from '../../chat/tree/session-tree-feed';
import { readTreeToHost, type HostToTree, type TreeToHost } from '../../protocol/pages/session-tree';
import { TREE_PANEL } from '../ids';
import { PagePanel, type OpenPage } from '../pages/page-panel';
import type { PageSurroundings, Receive } from '../pages/serve-page';
import { literalMessage } from '../message-text';

export interface TreePanelParts extends PageSurroundings {
  /** Starts the window if necessary. */
  readonly conversations: () => Promise<Conversations>;
  readonly showChat: () => Promise<unknown>;
}

/** The session tree of the active conversation in an editor tab. There is at most one, and it reopens after a window reload. */
export class TreePanel implements Disposable {
  private readonly panel: PagePanel<HostToTree>;
  private feed: SessionTreeFeed | undefined;
  /** The id of an entry that is kept until a page can mark it. */
  private wanted: string | undefined;

  constructor(private readonly parts: TreePanelParts) {
    this.panel = new PagePanel({
      ...parts,
      viewType: TREE_PANEL,
      title: vscode.l10n.t('Session Tree'),
      bundle: 'tree',
      failure: vscode.l10n.t('The session tree could not be shown.'),
      comesBack: true,
      connect: page => this.connect(page),
    });
  }

  /** Opens the tree or brings it to the front, and marks an entry if one is given. */
  show(entryId?: string): void {
    this.wanted = entryId;
    this.panel.show();
    this.mark();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async connect({ owned, post }: OpenPage<HostToTree>): Promise<Receive | undefined> {
    const conversations = await this.parts.conversations();
    const { SessionTreeFeed } = await import('../../chat/tree/session-tree-feed');
    if (owned.isDisposed) return undefined;
    this.feed = new SessionTreeFeed(conversations.active, post);
    owned.add(
      conversations.onDidChangeActive(conversation => {
        this.feed?.dispose();
        this.feed = new SessionTreeFeed(conversation, post);
        this.feed.start();
      }),
    );
    owned.add(
      toDisposable(() => {
        this.feed?.dispose();
        this.feed = undefined;
      }),
    );
    return raw => {
      const message = readTreeToHost(raw);
      if (message?.type === 'ready') {
        this.feed?.start();
        this.mark();
      } else if (message !== undefined) this.handle(message);
    };
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
      void vscode.window.showErrorMessage(literalMessage(messageOf(error)));
    });
  }

  private async go(entryId: string): Promise<void> {
    const chat: Chat = (await this.parts.conversations()).active;
    const { goToEntry } = await import('./go-to-entry');
    if (await goToEntry(chat.conversation, entryId)) {
      await this.parts.showChat();
      chat.reveal(entryId);
    }
  }
}
