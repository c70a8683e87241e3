import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hookline } from './support/extension';

interface Binding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}

describe('our keys and those of VS Code', () => {
  let all: readonly Binding[];

  before(async () => {
    await hookline();
    // What "Open Default Keyboard Shortcuts (JSON)" shows: VS Code's own, its built-in extensions' and ours.
    const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const json = text.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/,(\s*[\]}])/g, '$1');
    all = JSON.parse(json) as readonly Binding[];
  });

  const isOurs = ({ command }: Binding): boolean => command.startsWith('hookline.');

  it('are all there', () => {
    assert.ok(all.length > 500, 'the defaults were read');
    assert.ok(all.filter(isOurs).length >= 9);
  });

  it('meet nowhere: a key that VS Code uses is ours only where only we are', () => {
    const collisions = all.filter(isOurs).flatMap(own => {
      const others = all.filter(other => !isOurs(other) && overlap(own.key, other.key));
      // These conditions hold in our own view, in our own editor or in our own question or list and nowhere else.
      const isOwnPlace =
        /focusedView == '?hookline\.|resourceScheme == '?hookline-|hookline\.(?:questionShown|choosing|pickingSession)/;
      return isOwnPlace.test(own.when ?? '')
        ? []
        : others.map(other => `${own.key}: ${own.command} and ${other.command}`);
    });
    assert.deepEqual(collisions, []);
  });

  it('do not meet each other', () => {
    const own = all.filter(isOurs).map(({ key, when }) => `${key} ${when ?? ''}`);
    assert.equal(new Set(own).size, own.length);
  });
});

/** The same key, or the first of two in a row. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}
