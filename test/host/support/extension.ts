import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { HooklineInternals } from '../../../src/extension';
import { EXTENSION_ID } from '../../../src/vscode/ids';

/** The extension under test, activated. */
export async function hookline(): Promise<HooklineInternals> {
  const extension = vscode.extensions.getExtension<HooklineInternals>(EXTENSION_ID);
  assert.ok(extension, 'the extension is installed');
  return extension.activate();
}

/** Folder of the test's workspace, absolute. */
export function workspaceFolder(): string {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'a folder is open');
  return folder.uri.fsPath;
}

const GUARD_MS = 45_000;
const LOOK_MS = 20;

/** Resolves with the first value of `look` that is not undefined, false or null; rejects naming `what` when there is none. */
export async function until<T>(what: string, look: () => T | Thenable<T>): Promise<NonNullable<T>> {
  const deadline = Date.now() + GUARD_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Waited ${GUARD_MS} ms in vain: ${what}`);
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * What changes on disk while tools run, or within a second after, counts as done by the agent and waits for approval: to
 * change a hook as a person does outside the editor, a test lets that second pass first. So do VS Code's own watchers, from
 * which it learns that a file it had open is another one now.
 */
export async function toolsAreOver(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 1600));
  const window = await (await hookline()).window.get();
  await until('no tool is at work', () => !window.isGuarding());
}

/** Asserts that something stays undone while everything that was started gets its turn several times over. */
export async function staysFalse(what: string, look: () => boolean): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
    assert.equal(look(), false, what);
  }
}

/** What keys do in an open quick pick or input box, without a keyboard. `escape` is what VS Code does by itself. */
export async function key(name: 'down' | 'enter' | 'escape'): Promise<void> {
  const commands = { down: 'quickInput.next', enter: 'quickInput.accept', escape: 'quickInput.hide' };
  await vscode.commands.executeCommand(commands[name]);
}
