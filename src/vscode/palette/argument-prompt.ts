import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import type { CommandCompletion } from '../../hooks/api/commands/commands';

/** What the user is asked for. */
export interface ArgumentQuestion {
  /** Name of the command, without the slash. */
  readonly name: string;
  readonly description: string;
  /** The command's own proposals for what was typed so far; never rejects. */
  readonly completions: ((typed: string) => Promise<readonly CommandCompletion[]>) | undefined;
}

type Item = vscode.QuickPickItem & { readonly value: string };

/** Asks for a command's arguments; undefined when the user cancels. Empty arguments are an answer. */
export async function askForArguments(question: ArgumentQuestion): Promise<string | undefined> {
  const { name, description, completions } = question;
  if (completions !== undefined) return pickArguments(question, completions);
  return vscode.window.showInputBox({
    title: titleFor(name, description),
    prompt: vscode.l10n.t('Arguments for the command (optional)'),
  });
}

async function pickArguments(
  { name, description }: ArgumentQuestion,
  completions: (typed: string) => Promise<readonly CommandCompletion[]>,
): Promise<string | undefined> {
  const store = new DisposableStore();
  const pick = store.add(vscode.window.createQuickPick<Item>());
  pick.title = titleFor(name, description);
  pick.placeholder = vscode.l10n.t('Arguments for the command; Enter runs it');
  pick.matchOnDescription = true;
  const propose = async (): Promise<void> => {
    const typed = pick.value;
    pick.busy = true;
    const offered = await completions(typed);
    // What was typed since has an answer of its own on the way.
    if (store.isDisposed || pick.value !== typed) return;
    pick.items = itemsFor(name, typed, offered);
    pick.busy = false;
  };
  const chosen = new Promise<string | undefined>(resolve => {
    store.add(pick.onDidChangeValue(() => void propose()));
    store.add(pick.onDidAccept(() => resolve(pick.selectedItems[0]?.value ?? pick.value)));
    store.add(pick.onDidHide(() => resolve(undefined)));
  });
  await propose();
  pick.show();
  try {
    return await chosen;
  } finally {
    store.dispose();
  }
}

/** The command's proposals, and what was typed as it stands, so that nobody is held to the proposals. */
function itemsFor(name: string, typed: string, offered: readonly CommandCompletion[]): Item[] {
  const proposals = offered.map(({ value, label, description }) => ({
    label,
    description: description ?? (value === label ? '' : value),
    value,
    // The command has chosen what fits; VS Code's own filter would hide what it matches in another way.
    alwaysShow: true,
  }));
  if (proposals.some(({ value }) => value === typed)) return proposals;
  const asTyped = {
    label: `/${name}${typed === '' ? '' : ` ${typed}`}`,
    description: typed === '' ? vscode.l10n.t('without arguments') : vscode.l10n.t('as typed'),
    value: typed,
    alwaysShow: true,
  };
  // Proposals that do not go on from what was typed are no answer to it: Enter must not take one by accident.
  const fitting = proposals.filter(({ value }) => value.startsWith(typed));
  return [...fitting, asTyped, ...proposals.filter(proposal => !fitting.includes(proposal))];
}

function titleFor(name: string, description: string): string {
  return description === '' ? `/${name}` : `/${name} — ${description}`;
}
