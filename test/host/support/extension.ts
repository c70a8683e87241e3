import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
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

/** Saves a hook as a person does outside the editor. Resolves when this text of it runs. */
export async function saveHook(path: string, text: string): Promise<void> {
  const { hooks } = await (await hookline()).window.get();
  await toolsAreOver();
  writeFileSync(path, text);
  await until('the saved hook runs', () =>
    hooks.sourcesOf(path).some(source => source.path === path && source.text === text),
  );
}

/** Asserts that something stays undone while everything that was started gets its turn several times over. */
export async function staysFalse(what: string, look: () => boolean): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
    assert.equal(look(), false, what);
  }
}

type Key = 'down' | 'enter' | 'escape';

/**
 * Presses a key in the picks and input boxes that something opens one after the other, until that has ended: nobody knows
 * when they are up. Resolves or rejects as it does, also when it ends without what the test wants.
 */
export async function pressUntilOver<T>(name: Key, opening: Thenable<T>): Promise<T> {
  let isOver = false;
  const over = (): boolean => (isOver = true);
  opening.then(over, over);
  await until(`${name} ends what was opened`, async () => {
    await key(name);
    return isOver;
  });
  return opening;
}

/** What keys do in an open quick pick or input box, without a keyboard. `escape` is what VS Code does by itself. */
export async function key(name: Key): Promise<void> {
  const commands = { down: 'quickInput.next', enter: 'quickInput.accept', escape: 'quickInput.hide' };
  await vscode.commands.executeCommand(commands[name]);
}
