import { watch as watchFolder } from 'node:fs';
import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import { isFolder } from '../../base/files/on-disk';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { WatchTargets } from '../../startup/watch-targets';
import { planWatches } from './watch-plan';

const HOOK_FOLDERS = '{.pi,.pi/**,.omp,.omp/**,.claude,.claude/**}';

/** How long events are collected before one change is reported, ms: an editor or git changes several files at once. */
const GATHER_MS = 15;

/** Fires when something changed in the watched files. */
export class FileWatcher implements Disposable {
  private readonly changeEmitter = new Emitter<ReadonlySet<string>>();
  /**
   * Fires with the absolute paths that a watcher named, files or folders. They may have changed or not: the listener must
   * read them again.
   */
  readonly onDidChange = this.changeEmitter.event;
  private named = new Set<string>();
  private readonly store = new DisposableStore();
  private readonly watches = new Map<string, Disposable>();
  private targets: WatchTargets = { folders: [], files: [] };
  private readonly change = this.store.add(
    new DelayedCall(() => {
      // A folder may have been created or removed, so another parent folder may have to be watched now.
      this.updateWatches();
      const { named } = this;
      this.named = new Set();
      this.changeEmitter.fire(named);
    }),
  );

  /**
   * `workspaceFolder`: absolute path of the open folder, whose `.pi`, `.omp` and `.claude` are always watched. VS Code
   * watches the whole folder anyway, so one pattern is enough.
   */
  constructor(private readonly workspaceFolder: string | undefined) {
    if (workspaceFolder !== undefined) this.watchPattern(workspaceFolder, HOOK_FOLDERS, this.store);
    // For files that are edited in this window, this event comes in half the time of a file event.
    this.store.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === 'file' && this.concerns(uri.fsPath)) this.note(uri.fsPath);
      }),
    );
  }

  /** Replaces the targets; watches that are still needed stay. */
  setTargets(targets: WatchTargets): void {
    this.targets = targets;
    this.updateWatches();
  }

  dispose(): void {
    for (const watch of this.watches.values()) watch.dispose();
    this.watches.clear();
    this.store.dispose();
    this.changeEmitter.dispose();
  }

  private note(path: string): void {
    this.named.add(path);
    this.change.schedule(GATHER_MS);
  }

  private concerns(path: string): boolean {
    if (this.workspaceFolder !== undefined && path.startsWith(join(this.workspaceFolder, '.pi') + sep)) return true;
    const { folders, files } = this.targets;
    return files.includes(path) || folders.some(folder => path.startsWith(folder + sep));
  }

  private updateWatches(): void {
    const wanted = new Map(planWatches(this.targets, isFolder).map(watch => [`${watch.folder}\n${watch.glob}`, watch]));
    for (const [key, watch] of this.watches) {
      if (wanted.has(key)) continue;
      watch.dispose();
      this.watches.delete(key);
    }
    for (const [key, { folder, glob }] of wanted) {
      if (!this.watches.has(key)) this.watches.set(key, this.watch(folder, glob));
    }
  }

  private watch(folder: string, glob: string): Disposable {
    const store = new DisposableStore();
    this.watchPattern(folder, glob, store);
    this.watchWithNode(folder, glob, store);
    return store;
  }

  private watchPattern(folder: string, glob: string, store: DisposableStore): void {
    const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
    const watcher = store.add(vscode.workspace.createFileSystemWatcher(pattern));
    const changed = ({ fsPath }: vscode.Uri): void => this.note(fsPath);
    store.add(watcher.onDidCreate(changed));
    store.add(watcher.onDidChange(changed));
    store.add(watcher.onDidDelete(changed));
  }

  /** Also watches with Node, which is 80 ms faster than VS Code's watcher but misses many changes. */
  private watchWithNode(folder: string, glob: string, store: DisposableStore): void {
    const only = glob === '*' || glob.includes('**') ? undefined : glob;
    try {
      const watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        if (only === undefined || name === null || name === only) this.note(join(folder, name ?? ''));
      });
      watcher.on('error', () => watcher.close());
      store.add(toDisposable(() => watcher.close()));
    } catch {
      // The folder was just removed, or the system has no watches left. VS Code's watcher still reports changes.
    }
  }
}
