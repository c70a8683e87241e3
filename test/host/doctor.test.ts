import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Doctor', () => {
  it('shows the report about this machine and folder in an editor', async function () {
    this.timeout(60_000);
    await vscode.commands.executeCommand('hookline.showDoctor');
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^Versions\n {2}Hookline: \d/);
    assert.match(text, /^Hooks of this folder$/m);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
