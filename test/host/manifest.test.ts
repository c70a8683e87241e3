import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { COMMANDS } from '../../src/vscode/ids';
import { hookline, until } from './support/extension';

interface Binding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}

describe('activation', () => {
  it('registers every command of the manifest', async () => {
    await hookline();
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.keys(COMMANDS).filter(id => !known.has(id)),
      [],
    );
  });

  it('binds keys only where VS Code itself binds nothing', async () => {
    const bindings = await defaultKeybindings();
    const ours = bindings.filter(binding => binding.command.startsWith('hookline.'));
    assert.ok(ours.length >= 4, 'our own keybindings are in the list');
    for (const own of ours) {
      const rivals = bindings.filter(other => other.key === own.key && !other.command.startsWith('hookline.'));
      // With rivals, ours must only count where nobody else's focus is: in our view, our question or list, our editor.
      const scoped =
        /focusedView == '?hookline|hookline\.(?:questionShown|choosing|pickingSession)|resourceScheme == '?hookline/.test(
          own.when ?? '',
        );
      assert.ok(
        scoped || rivals.length === 0,
        `${own.key} is taken by ${rivals.map(rival => rival.command).join(', ')}`,
      );
    }
  });

  it('shows the chat view', async () => {
    const { view } = await hookline();
    await vscode.commands.executeCommand('hookline.openChat');
    await until('the view is visible', () => view.isVisible);
  });
});

async function defaultKeybindings(): Promise<readonly Binding[]> {
  const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
  const text = (await vscode.workspace.openTextDocument(uri)).getText();
  const json = text.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[\]}])/g, '$1');
  return JSON.parse(json) as Binding[];
}
