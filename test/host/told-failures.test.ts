import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { silentLog } from '../../src/base/log';
import { RuleStore } from '../../src/gate/rules/rule-store';
import { installHookTypes } from '../../src/vscode/hook-authoring/hook-types';
import { showRules } from '../../src/vscode/pickers/rule-list';
import { hookline, until } from './support/extension';
import { Messages } from './support/messages';
import { replace } from './support/replace';

type Item = vscode.QuickPickItem;

/** Stands in for VS Code's list, whose buttons nobody can click in a test. */
class List {
  readonly itemButton = new vscode.EventEmitter<vscode.QuickPickItemButtonEvent<Item>>();
  readonly button = new vscode.EventEmitter<vscode.QuickInputButton>();
  readonly hidden = new vscode.EventEmitter<void>();
  items: readonly Item[] = [];
  buttons: readonly vscode.QuickInputButton[] = [];
  readonly onDidTriggerItemButton = this.itemButton.event;
  readonly onDidTriggerButton = this.button.event;
  readonly onDidHide = this.hidden.event;
  readonly onDidAccept = new vscode.EventEmitter<void>().event;
  readonly show = (): void => undefined;
  readonly dispose = (): void => undefined;
}

describe('what fails after a click is told', () => {
  const dir = join(tmpdir(), `hookline told ${process.pid}`);
  let errors: Messages;
  const told = (part: string): Promise<unknown> =>
    until(`an error names ${part}`, () => errors.shown.some(({ text }) => text.includes(part)));

  beforeEach(() => {
    mkdirSync(dir, { recursive: true });
    errors = new Messages('showErrorMessage', []);
  });
  afterEach(() => {
    errors.restore();
    rmSync(dir, { recursive: true, force: true });
  });

  it('of a rule that cannot be removed, and of the file with the rules', async () => {
    const file = join(dir, 'rules.json');
    const rules = await RuleStore.open(file, silentLog);
    await rules.add({ tool: 'bash', match: { type: 'exact', command: 'make' } });
    const list = new List();
    const restore = replace(
      vscode.window,
      'createQuickPick',
      (() => list) as unknown as typeof vscode.window.createQuickPick,
    );
    try {
      const shown = showRules(rules);
      const item = list.items.find(({ buttons = [] }) => buttons.length > 0);
      const [button] = item?.buttons ?? [];
      const [open] = list.buttons;
      assert.ok(item && button && open);
      writeFileSync(file, 'no JSON');
      list.itemButton.fire({ item, button });
      await told('rules.json could not be read');
      rmSync(file);
      errors.shown.length = 0;
      list.button.fire(open);
      await told('rules.json');
      await shown;
    } finally {
      restore();
    }
  });

  it('of a file that is gone when it is to be opened', async () => {
    const { place } = (await hookline()).ui;
    const types = join(dir, '.pi', 'types', 'tsconfig.json');
    mkdirSync(join(types, '..'), { recursive: true });
    mkdirSync(join(dir, '.pi', 'hooks'));
    writeFileSync(types, '{}');
    const warnings = new Messages('showWarningMessage', ['Open File']);
    const restore = replace(vscode.window, 'showTextDocument', () =>
      Promise.reject(new Error('tsconfig.json is gone')),
    );
    try {
      await installHookTypes({ extensionDir: place.dir, folder: dir, agentDir: join(dir, 'agent') });
      assert.equal(warnings.shown.length > 0, true);
      await told('tsconfig.json is gone');
    } finally {
      restore();
      warnings.restore();
    }
  });
});
