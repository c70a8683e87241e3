import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { TestFiles } from './test-files';
import { TestItems } from './test-items';
import { TestRuns, type TestRunPlace } from './test-runs';

/**
 * The tests of hooks in VS Code's Test Explorer. They appear there with the first test, because VS Code shows the view of
 * tests only to those who have some.
 */
export class HookTests implements Disposable {
  private readonly store = new DisposableStore();
  private readonly files: TestFiles;
  private items: TestItems | undefined;
  /** The controller, once there is a test. */
  controller: vscode.TestController | undefined;

  constructor(
    private readonly place: TestRunPlace,
    /** Of the workspace. */
    memory: vscode.Memento,
    log: Log,
  ) {
    this.files = this.store.add(new TestFiles(place.agentDir, memory, log));
    this.store.add(this.files.onDidChange(() => this.show()));
  }

  dispose(): void {
    this.store.dispose();
  }

  private show(): void {
    const { files } = this.files;
    this.items ??= this.open();
    this.items.show(files);
  }

  private open(): TestItems {
    const { tests, TestRunProfileKind: kinds, l10n } = vscode;
    const controller = this.store.add(tests.createTestController('hookline.hookTests', l10n.t('Hookline Hook Tests')));
    const items = new TestItems(controller);
    const runs = this.store.add(new TestRuns(controller, items, this.place));
    const search = (): Promise<void> => this.files.search();
    const handler = (debugs: boolean) => async (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      // A file that was just saved may not have been noticed yet.
      await this.files.look();
      await runs.run(request, token, debugs);
    };
    controller.resolveHandler = search;
    controller.refreshHandler = search;
    controller.createRunProfile(l10n.t('Run'), kinds.Run, handler(false), true);
    controller.createRunProfile(l10n.t('Debug'), kinds.Debug, handler(true), true);
    this.controller = controller;
    return items;
  }
}
