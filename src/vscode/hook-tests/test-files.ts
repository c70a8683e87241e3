import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { oneAtATime } from '../../base/async/repeated-calls';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { COMMON_FOLDERS, TEST_ENDING, TEST_HELPER, TESTS_FOLDER } from '../../hook-insight/hook-tests/hook-test';
import { readTestFile, type TestFile } from '../../hook-insight/hook-tests/read-test-file';
import { FileWatcher } from '../watch/file-watcher';

/** Folders beside the usual ones in which tests were found, in VS Code's storage for the workspace. */
const FOUND_FOLDERS = 'hookline.hookTestFolders';

/**
 * The files of hook tests: those in the usual folders of the workspace and of the user, and those beside a helper anywhere in
 * the workspace. The whole workspace is searched only when {@link search} is called; until then, such a folder counts if it
 * was found before, or from the moment on when a test in it is opened, as a new one is.
 */
export class TestFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  /** Fires when {@link files} has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly watcher = this.store.add(new FileWatcher(undefined));
  private known: ReadonlyMap<string, TestFile> = new Map();

  constructor(
    /** Absolute. */
    private readonly agentDir: string,
    /** Of the workspace. */
    private readonly memory: vscode.Memento,
    private readonly log: Log,
  ) {
    const { workspace } = vscode;
    this.store.add(this.watcher.onDidChange(() => this.read(this.look)));
    this.store.add(workspace.onDidChangeWorkspaceFolders(() => this.read(this.look)));
    this.store.add(workspace.onDidOpenTextDocument(document => this.noteOpened([document])));
    this.noteOpened(workspace.textDocuments);
    this.read(this.look);
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
    await this.keep(folders);
    await this.look();
  });

  /** Reads the files in the known folders again. */
  readonly look = oneAtATime(async () => {
    const found = this.found();
    const folders = [...new Set([...this.usualFolders(), ...found])];
    this.watcher.setTargets({ folders, files: [] });
    const listed = await Promise.all(folders.map(async folder => ({ folder, names: await namesIn(folder) })));
    const paths = listed.flatMap(({ folder, names = [] }) => names.map(name => join(folder, name)));
    const files = await Promise.all(paths.sort().map(path => readTestFile(path, this.known.get(path))));
    const before = this.files;
    this.known = new Map(files.flatMap(file => (file === undefined ? [] : [[file.path, file]])));
    const isSame = before.length === this.known.size && this.files.every((file, index) => file === before[index]);
    if (!isSame) this.changeEmitter.fire();
    // A folder that is gone may have another name now.
    const isGone = listed.some(({ folder, names }) => names === undefined && found.includes(folder));
    if (isGone) this.read(this.search);
  });

  dispose(): void {
    this.store.dispose();
  }

  private usualFolders(): readonly string[] {
    const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const common = roots.flatMap(({ uri }) => COMMON_FOLDERS.map(name => join(uri.fsPath, name)));
    return [
      ...roots.map(({ uri }) => join(uri.fsPath, '.pi', TESTS_FOLDER)),
      ...common.filter(hasHelper),
      join(this.agentDir, TESTS_FOLDER),
    ];
  }

  /** Absolute paths of folders that were found, as far as they belong to the workspace now. */
  private found(): readonly string[] {
    const stored = this.memory.get<unknown>(FOUND_FOLDERS);
    const folders = Array.isArray(stored) ? (stored as readonly unknown[]) : [];
    return folders.filter(folder => typeof folder === 'string').filter(isInWorkspace);
  }

  /** Stores what was found for the next window. */
  private async keep(folders: readonly string[]): Promise<void> {
    const sorted = [...new Set(folders)].sort();
    if (isDeepStrictEqual(sorted, this.memory.get(FOUND_FOLDERS) ?? [])) return;
    await this.memory.update(FOUND_FOLDERS, sorted);
  }

  private noteOpened(documents: readonly vscode.TextDocument[]): void {
    const tests = documents.filter(({ uri }) => uri.scheme === 'file' && uri.fsPath.endsWith(TEST_ENDING));
    const known = [...this.usualFolders(), ...this.found()];
    const folders = new Set(tests.map(({ uri }) => dirname(uri.fsPath)));
    const others = [...folders].filter(folder => !known.includes(folder) && isInWorkspace(folder) && hasHelper(folder));
    if (others.length === 0) return;
    this.read(async () => {
      await this.keep([...this.found(), ...others]);
      await this.look();
    });
  }

  private read(how: () => Promise<void>): void {
    how().catch((error: unknown) => this.log.error(`Hook tests cannot be found: ${messageOf(error)}`, error));
  }
}

function isInWorkspace(folder: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined;
}

function hasHelper(folder: string): boolean {
  return existsSync(join(folder, TEST_HELPER));
}

/** Names of test files in a folder; undefined if the folder cannot be read. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  return names?.filter(name => name.endsWith(TEST_ENDING));
}
