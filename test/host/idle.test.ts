import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { rounds } from '../support/long-run';
import { footprint, type Footprint } from './support/footprint';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';

/** The bench of an idle window asks for what it found, and for more of it. */
const FIGURES = process.env['HOOKLINE_IDLE_FIGURES'];
const ROUNDS = 4;
/** Documents that are opened, changed, saved and closed in a round. */
const DOCUMENTS = FIGURES === undefined ? rounds(4, 50) : 50;
const FILES = 4;
/** So much of the heap comes and goes with what VS Code and the engine keep. */
const HEAP_NOISE_MB = 8;
/** So many timers of VS Code may be open at one moment and not at another. */
const HANDLE_NOISE = 2;

describe('a window in which nobody asks the agent', () => {
  const folder = join(workspaceFolder(), 'idle');
  let window: HooklineWindow;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < FILES; number++) writeFileSync(pathOf(number), '');
    window = await (await hookline()).window.get();
    await toolsAreOver();
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true });
  });

  const pathOf = (number: number): string => join(folder, `file-${number % FILES}.ts`);

  /** What a person does with one file while the chat stands beside it. */
  async function edit(number: number): Promise<void> {
    const document = await vscode.workspace.openTextDocument(pathOf(number));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit(change => {
      change.replace(new vscode.Range(0, 0, document.lineCount, 0), `export const before = ${number};\n\n`);
    });
    for (let column = 0; column < 3; column++) editor.selection = new vscode.Selection(0, column, 1, column);
    await until('it is saved', () => document.save());
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }

  async function round(): Promise<Footprint> {
    for (let number = 0; number < DOCUMENTS; number++) await edit(number);
    await toolsAreOver();
    return footprint([window]);
  }

  it(`holds no more after ${ROUNDS * DOCUMENTS} documents were opened, changed, saved and closed`, async function () {
    this.timeout(rounds(180_000, 30 * 60_000));
    const prints: Footprint[] = [];
    while (prints.length < ROUNDS) prints.push(await round());
    const last = prints.at(-1);
    assert.ok(last !== undefined);
    const grown = (key: keyof Footprint): number =>
      last[key] - Math.max(...prints.slice(0, 2).map(print => print[key]));
    if (FIGURES !== undefined) {
      const [heap, handles, listeners] = [grown('heapMb'), grown('handles'), grown('listeners')];
      appendFileSync(FIGURES, `${JSON.stringify({ heap, handles, listeners })}\n`);
    }
    assert.ok(grown('listeners') <= 0, `listeners: ${JSON.stringify(prints)}`);
    assert.ok(grown('processes') <= 0, `processes: ${JSON.stringify(prints)}`);
    assert.ok(grown('handles') <= HANDLE_NOISE, `handles: ${JSON.stringify(prints)}`);
    assert.ok(grown('heapMb') <= HEAP_NOISE_MB, `heap: ${JSON.stringify(prints)}`);
  });
});
