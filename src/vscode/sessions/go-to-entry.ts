import * as vscode from 'vscode';
import { collectBranchEntries } from '../../agent/compaction/branch-summary';
import { messageOfEntry } from '../../agent/session/context';
import type { Conversation } from '../../session/conversation';
import type { NavigateOptions } from '../../session/moves/tree-flow';

type SummaryItem = vscode.QuickPickItem & { readonly kindOfSummary: 'none' | 'summary' | 'instructions' };

/**
 * Continues a conversation at an entry of its tree, after asking whether to summarize the branch that it leaves. Resolves
 * with false when the user cancels or a hook prevents it. Rejects when it is not possible.
 */
export async function goToEntry(conversation: Conversation, entryId: string): Promise<boolean> {
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

/** Goes to the entry with a summary. A notification shows the progress and can stop it. */
function summarized(conversation: Conversation, entryId: string, options: NavigateOptions): Thenable<boolean> {
  const title = vscode.l10n.t('Summarizing the branch that you are leaving');
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

/** Asks about a summary, but only when the branch that is left has an answer of the model. Undefined when the user cancels. */
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
      detail: vscode.l10n.t('Summarize this branch for the model'),
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
