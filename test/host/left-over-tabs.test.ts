import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TEXT_SCHEME } from '../../src/vscode/ids';
import { closeLeftOverTabs } from '../../src/vscode/left-over-tabs';
import { replace } from './support/replace';

describe('tabs of an earlier window', () => {
  it('are closed also when one of them stays, which is told', async () => {
    const tabOf = (uri: string): unknown => ({ input: new vscode.TabInputText(vscode.Uri.parse(uri)), isDirty: false });
    const [first, second, third] = [`${TEXT_SCHEME}:/a.md`, `${TEXT_SCHEME}:/b.md`, 'file:///c.md'].map(tabOf);
    const closed: unknown[] = [];
    const close = (tab: unknown): Promise<boolean> => {
      if (tab === first) return Promise.reject(new Error('the tab stays'));
      closed.push(tab);
      return Promise.resolve(true);
    };
    const groups: object = { all: [{ tabs: [first, second, third] }], close };
    const restore = replace(vscode.window, 'tabGroups', groups as vscode.TabGroups);
    try {
      await assert.rejects(closeLeftOverTabs(), /the tab stays/);
      assert.deepEqual(closed, [second]);
    } finally {
      restore();
    }
  });
});
