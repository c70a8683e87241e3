import * as vscode from 'vscode';

/** Set only for its answer, see {@link ChangingItems}. */
const SHOWN_LIST = 'hookline.shownList';

/**
 * The items of a quick pick whose list changes while it is open. VS Code names a row by its position, so a row that the user
 * chose in the list before is reported as another row of the new one.
 */
export class ChangingItems<T extends vscode.QuickPickItem> {
  private sent: readonly T[] = [];
  private shown: readonly T[] = [];

  constructor(private readonly pick: vscode.QuickPick<T>) {}

  set(items: readonly T[]): void {
    this.sent = items;
    this.pick.items = items;
    // The items are sent at the end of the tick. An answer to a later message says that VS Code shows them.
    setTimeout(() => {
      const answered = vscode.commands.executeCommand('setContext', SHOWN_LIST, items.length);
      answered.then(
        () => (this.shown = items),
        () => undefined, // The window closes.
      );
    }, 0);
  }

  /** The row that the user saw in the place of the one that is reported as chosen. */
  seen(reported: T | undefined): T | undefined {
    return reported === undefined ? undefined : this.shown[this.sent.indexOf(reported)];
  }
}
