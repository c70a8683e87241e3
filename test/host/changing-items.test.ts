import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ChangingItems } from '../../src/vscode/pickers/changing-items';
import { until } from './support/extension';

describe('a list that changes while it is open', () => {
  it('does not take a row that was chosen in the list before for another one', async () => {
    const pick = vscode.window.createQuickPick();
    const items = new ChangingItems(pick);
    const heard: (string | undefined)[][] = [];
    const accept = (): Thenable<unknown> =>
      vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    pick.ignoreFocusOut = true;
    pick.onDidAccept(() => {
      const [reported] = pick.selectedItems;
      heard.push([reported?.label, items.seen(reported)?.label]);
    });
    try {
      pick.show();
      items.set([{ label: 'first' }, { label: 'second' }]);
      await until('the first list', () => items.seen(pick.activeItems[0])?.label === 'first');
      // Enter is on its way when the list changes.
      const accepted = accept();
      items.set([{ label: 'new' }, { label: 'first' }, { label: 'second' }]);
      await accepted;
      await until('Enter in the list before', () => heard.length === 1);
      assert.deepEqual(heard[0], ['new', 'first']);
      await until('the second list', () => items.seen(pick.items[0])?.label === 'new');
      await accept();
      await until('Enter in the list that is shown', () => heard.length === 2);
      assert.equal(heard[1]?.[0], heard[1]?.[1]);
    } finally {
      pick.dispose();
    }
  });
});
