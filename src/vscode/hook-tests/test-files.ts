import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { oneAtATime } from '../../base/async/repeated-calls';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { TEST_ENDING, TEST_HELPER, TESTS_FOLDER } from '../../hook-insight/hook-tests/hook-test';
import { readTestFile, type TestFile } from '../../hook-insight/hook-tests/read-test-file';
import { FileWatcher } from '../watch/file-watcher';

/**
 * The files of hook tests: those in the usual folders of the workspace and of the user, and those beside a helper anywhere in
 * the workspace.
 */
export class TestFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  /** Fires when {@link files} has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly watcher = this.store.add(new FileWatcher(undefined));
  private known: ReadonlyMap<string, TestFile> = new Map();
  /** Folders beside the usual ones. */
  private others: ReadonlySet<string> = new Set();

  constructor(
    /** Absolute. */
    private readonly agentDir: string,
    private readonly log: Log,
  ) {
    this.store.add(this.watcher.onDidChange(() => this.read(this.look)));
    const helpers = this.store.add(vscode.workspace.createFileSystemWatcher(`**/${TEST_HELPER}`, false, true, true));
    this.store.add(helpers.onDidCreate(() => this.read(this.search)));
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.read(this.search)));
    this.read(this.search);
  }

  /** In the order of their paths. */
  get files(): readonly TestFile[] {
    return [...this.known.values()];
  }

  /** Searches the workspace again, and reads what it finds. */
  readonly search = oneAtATime(async () => {
    const glob = `**/${TEST_HELPER}`;
    const helpers = await vscode.workspace.findFiles(glob, '**/node_modules/**');
    const folders = helpers.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => dirname(fsPath));
    this.others = new Set(folders);
    await this.look();
  });

  /** Reads the files in the known folders again. */
  readonly look = oneAtATime(async () => {
    const folders = [...new Set([...this.usualFolders(), ...this.others])];
    this.watcher.setTargets({ folders, files: [] });
    const listed = await Promise.all(folders.map(async folder => ({ folder, names: await namesIn(folder) })));
    const paths = listed.flatMap(({ folder, names = [] }) => names.map(name => join(folder, name)));
    const files = await Promise.all(paths.sort().map(path => readTestFile(path, this.known.get(path))));
    const before = this.files;
    this.known = new Map(files.flatMap(file => (file === undefined ? [] : [[file.path, file]])));
    const isSame = before.length === this.known.size && this.files.every((file, index) => file === before[index]);
    if (!isSame) this.changeEmitter.fire();
    // A folder that is gone may have another name now.
    const isGone = listed.some(({ folder, names }) => names === undefined && this.others.has(folder));
    if (isGone) this.read(this.search);
  });

  dispose(): void {
    this.store.dispose();
  }

  private usualFolders(): readonly string[] {
    const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    return [...roots.map(({ uri }) => join(uri.fsPath, '.pi', TESTS_FOLDER)), join(this.agentDir, TESTS_FOLDER)];
  }

  private read(how: () => Promise<void>): void {
    how().catch((error: unknown) => this.log.error(`Hook tests cannot be found: ${messageOf(error)}`, error));
  }
}

/** Names of test files in a folder; undefined if the folder cannot be read. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  return names?.filter(name => name.endsWith(TEST_ENDING));
}
