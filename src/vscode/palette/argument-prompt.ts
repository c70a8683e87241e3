import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import type { CommandCompletion } from '../../hook-run/api/commands/commands';
import { ChangingItems } from '../pickers/changing-items';

/** The command whose arguments the user is asked for. */
export interface ArgumentQuestion {
  /** Name of the command, without the slash. */
  readonly name: string;
  readonly description: string;
  /** The command's completions for the typed text; never rejects. Undefined when the command has none. */
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
  const items = new ChangingItems(pick);
  pick.title = titleFor(name, description);
  pick.placeholder = vscode.l10n.t('Arguments for the command; Enter runs it');
  pick.matchOnDescription = true;
  const propose = async (): Promise<void> => {
    const typed = pick.value;
    pick.busy = true;
    const offered = await completions(typed);
    // The user has typed on, so another call is already asking for completions.
    if (store.isDisposed || pick.value !== typed) return;
    items.set(itemsFor(name, typed, offered));
    pick.busy = false;
  };
  const chosen = new Promise<string | undefined>(resolve => {
    store.add(pick.onDidChangeValue(() => void propose()));
    store.add(
      pick.onDidAccept(() => {
        resolve(items.seen(pick.selectedItems[0])?.value ?? pick.value);
      }),
    );
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

/** The command's completions, and an item for the typed text, so that the user is not limited to the completions. */
function itemsFor(name: string, typed: string, offered: readonly CommandCompletion[]): Item[] {
  const proposals = offered.map(({ value, label, description }) => ({
    label,
    description: description ?? (value === label ? '' : value),
    value,
    // The command has already filtered. VS Code's filter could hide completions that the command matches in another way.
    alwaysShow: true,
  }));
  if (proposals.some(({ value }) => value === typed)) return proposals;
  const asTyped = {
    label: `/${name}${typed === '' ? '' : ` ${typed}`}`,
    description: typed === '' ? vscode.l10n.t('without arguments') : vscode.l10n.t('as typed'),
    value: typed,
    alwaysShow: true,
  };
  // Completions that do not begin with the typed text come last, so that Enter does not take one by accident.
  const fitting = proposals.filter(({ value }) => value.startsWith(typed));
  return [...fitting, asTyped, ...proposals.filter(proposal => !fitting.includes(proposal))];
}

function titleFor(name: string, description: string): string {
  return description === '' ? `/${name}` : `/${name} — ${description}`;
}
