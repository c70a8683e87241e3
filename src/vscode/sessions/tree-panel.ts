import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Conversation } from '../../conversation/conversation';
import type { Conversations } from '../../conversation/conversations';
import { SessionTreeFeed } from '../../conversation/session/tree/session-tree-feed';
import { readTreeToHost, type HostToTree, type TreeToHost } from '../../protocol/session-tree';
import { TREE_PANEL } from '../ids';
import { PagePanel, type OpenPage } from '../pages/page-panel';
import type { Receive } from '../pages/serve-page';
import { collectBranchEntries } from '../../agent/compaction/branch';
import { messageOfEntry } from '../../agent/session/context';
import type { NavigateOptions } from '../../conversation/session/tree/tree-flow';

export interface TreePanelParts {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Starts what is needed. */
  readonly conversations: () => Promise<Conversations>;
  readonly showChat: () => Promise<void>;
}

/** The tree of the active conversation's session in an editor tab; there is one at most, a reload brings it back. */
export class TreePanel implements Disposable {
  private readonly panel: PagePanel<HostToTree>;
  private feed: SessionTreeFeed | undefined;
  /** Waits for a page that can mark it. */
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

  /** Opens the tree or brings it to the front, and marks an entry in it. */
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
}

type SummaryItem = vscode.QuickPickItem & { readonly kindOfSummary: 'none' | 'summary' | 'instructions' };

/**
 * Lets a conversation go on at an entry of its tree, after asking what shall become of what is left. False when the
 * person gave up, or a hook declined. Rejects with the reason when it is not possible.
 */
async function goToEntry(conversation: Conversation, entryId: string): Promise<boolean> {
  const options = await askFor(conversation, entryId);
  if (options === undefined) return false;
  const done =
    options.summarize === true
      ? await summarized(conversation, entryId, options)
      : await go(conversation, entryId, options);
  if (!done) void vscode.window.showInformationMessage(vscode.l10n.t('The conversation did not change.'));
  return done;
}

async function go(conversation: Conversation, entryId: string, options: NavigateOptions): Promise<boolean> {
  return !(await conversation.tree.navigate(entryId, options)).cancelled;
}

/** The summary takes a while and can be stopped, here as in the chat. */
function summarized(conversation: Conversation, entryId: string, options: NavigateOptions): Thenable<boolean> {
  const title = vscode.l10n.t('Summarizing the branch that is left');
  const progress = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(progress, async (_progress, token) => {
    const subscription = token.onCancellationRequested(() => void conversation.run.stop());
    try {
      return await go(conversation, entryId, options);
    } finally {
      subscription.dispose();
    }
  });
}

/** Undefined when the person gives up. Nothing is asked when nothing that was said is left. */
async function askFor(conversation: Conversation, entryId: string): Promise<NavigateOptions | undefined> {
  const { store } = conversation;
  const { entries } = collectBranchEntries(store, store.getLeafId(), entryId);
  const isLeft = entries.some(entry => messageOfEntry(entry)?.role === 'assistant');
  if (!isLeft || conversation.ports.settings.current.branchSummary.skipPrompt) return {};
  const items: readonly SummaryItem[] = [
    {
      label: vscode.l10n.t('No summary'),
      detail: vscode.l10n.t('Go there without a summary'),
      kindOfSummary: 'none',
    },
    {
      label: vscode.l10n.t('Summarize'),
      detail: vscode.l10n.t('Keep what was learned on this branch'),
      kindOfSummary: 'summary',
    },
    {
      label: vscode.l10n.t('Summarize with instructions…'),
      detail: vscode.l10n.t('Say what the summary must keep'),
      kindOfSummary: 'instructions',
    },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('What should happen to the branch you are leaving?'),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return undefined;
  if (chosen.kindOfSummary === 'none') return {};
  if (chosen.kindOfSummary === 'summary') return { summarize: true };
  const customInstructions = await vscode.window.showInputBox({
    title: vscode.l10n.t('What must the summary keep?'),
    ignoreFocusOut: true,
  });
  return customInstructions === undefined ? undefined : { summarize: true, customInstructions };
}
