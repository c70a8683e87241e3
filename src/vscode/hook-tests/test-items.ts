import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { FoundTest } from '../../hook-insight/hook-tests/find-tests';
import type { TestFile } from '../../hook-insight/hook-tests/read-test-file';
import type { CollectedTest } from '../../hook-insight/hook-tests/test-event';
import { shortPath } from '../short-path';

/** The items of the Test Explorer: a file, its suites, and their tests. */
export class TestItems {
  /** What each item of a file shows. */
  private readonly shown = new Map<string, TestFile>();

  constructor(private readonly controller: vscode.TestController) {}

  /** Shows these files and no others. */
  show(files: readonly TestFile[]): void {
    const paths = new Set(files.map(({ path }) => path));
    for (const [path] of this.shown) {
      if (paths.has(path)) continue;
      this.shown.delete(path);
      this.controller.items.delete(path);
    }
    for (const file of files) if (this.shown.get(file.path) !== file) this.showFile(file);
    this.nameFiles([...paths]);
  }

  /** The file that an item belongs to. */
  fileOf(item: vscode.TestItem): TestFile | undefined {
    return this.shown.get(rootOf(item).id);
  }

  /** The item of a test that ran. A test whose title is computed gets its item here. */
  itemFor({ path, place }: CollectedTest, file: vscode.TestItem): vscode.TestItem {
    let item = file;
    for (const { id, title } of path) item = this.child(item.children, { id, title, uri: file.uri });
    if (item.range === undefined && place !== undefined) {
      const start = new vscode.Position(place.line - 1, place.column - 1);
      item.range = new vscode.Range(start, start);
    }
    return item;
  }

  private showFile(file: TestFile): void {
    this.shown.set(file.path, file);
    const { items } = this.controller;
    const uri = vscode.Uri.file(file.path);
    const item = this.child(items, { id: file.path, title: basename(file.path), uri });
    const { problem } = file;
    item.error = problem === undefined ? undefined : problemText(problem);
    this.showTests(item, file.tests);
  }

  /** Names the folders if there are several. VS Code reads a description aloud in place of the name, so the name says it. */
  private nameFiles(paths: readonly string[]): void {
    const isOneFolder = new Set(paths.map(path => dirname(path))).size === 1;
    for (const path of paths) {
      const item = this.controller.items.get(path);
      if (item === undefined) continue;
      item.label = isOneFolder ? basename(path) : `${basename(path)} (${folderName(dirname(path))})`;
    }
  }

  private showTests(parent: vscode.TestItem, tests: readonly FoundTest[]): void {
    const ids = new Set(tests.map(({ id }) => id));
    for (const [id] of parent.children) if (!ids.has(id)) parent.children.delete(id);
    for (const { id, title, range, tests: inner } of tests) {
      const item = this.child(parent.children, { id, title, uri: parent.uri });
      const { start, end } = range;
      item.range = new vscode.Range(start.line - 1, start.column, end.line - 1, end.column);
      item.sortText = String(start.line).padStart(7, '0');
      this.showTests(item, inner ?? []);
    }
  }

  /** The item with this id, which is made if it is not there. */
  private child(
    items: vscode.TestItemCollection,
    { id, title, uri }: { readonly id: string; readonly title: string; readonly uri: vscode.Uri | undefined },
  ): vscode.TestItem {
    const known = items.get(id);
    if (known !== undefined) return known;
    const item = this.controller.createTestItem(id, title, uri);
    items.add(item);
    return item;
  }
}

/** With several workspace folders, it begins with the name of one. */
function folderName(folder: string): string {
  const inWorkspace = vscode.workspace.asRelativePath(folder);
  return inWorkspace === folder ? shortPath(folder) : inWorkspace;
}

/** Says where a file is wrong, and how. */
function problemText({ line, message }: NonNullable<TestFile['problem']>): string {
  return line === undefined ? message : vscode.l10n.t('Line {0}: {1}', line, message);
}

/** The item of the file that an item belongs to. */
export function rootOf(item: vscode.TestItem): vscode.TestItem {
  return item.parent === undefined ? item : rootOf(item.parent);
}

/** The tests in an item: itself if it contains none. */
export function leavesOf(item: vscode.TestItem): readonly vscode.TestItem[] {
  const children = [...item.children].map(([, child]) => child);
  return children.length === 0 ? [item] : children.flatMap(leavesOf);
}
