import { realpath } from 'node:fs/promises';
import type { FolderRuntime } from '../../start/folder-runtime';
import type { FolderTrust } from '../questions/folder-trust';

/** What is loaded of a folder. */
export interface OpenFolder {
  readonly runtime: FolderRuntime;
  readonly trust: FolderTrust;
}

/** Loads a folder (absolute path); `onProblem` gets what is wrong with it, also later. */
export type LoadFolder = (path: string, onProblem: (text: string) => void) => Promise<OpenFolder>;

/** A folder in use; what it says before somebody listens is kept for the first who does. */
export class UsedFolder {
  private readonly listeners = new Set<(text: string) => void>();
  private unheard: string[] = [];
  /** Sessions in it. */
  users = 0;
  /** Undefined while it loads. */
  loaded: OpenFolder | undefined;
  readonly loading: Promise<OpenFolder>;

  constructor(
    /** Absolute, without links. */
    readonly path: string,
    load: LoadFolder,
    after: Promise<unknown>,
  ) {
    this.loading = after.then(() => load(path, text => this.tell(text)));
  }

  /** Calls `listener` with each problem of the folder. */
  listen(listener: (text: string) => void): () => void {
    this.listeners.add(listener);
    for (const text of this.unheard.splice(0)) listener(text);
    return () => this.listeners.delete(listener);
  }

  private tell(text: string): void {
    if (this.listeners.size === 0) this.unheard.push(text);
    for (const listener of this.listeners) listener(text);
  }
}

/** The folders that sessions work in. Each is loaded with its first session, and closed with its last one. */
export class Folders {
  private readonly used = new Map<string, UsedFolder>();
  /** Path -> settles when the folder that was there is closed; never rejects. */
  private readonly closing = new Map<string, Promise<unknown>>();

  constructor(private readonly load: LoadFolder) {}

  /** The folders that are loaded now. */
  get loaded(): readonly FolderRuntime[] {
    return [...this.used.values()].flatMap(({ loaded }) => loaded?.runtime ?? []);
  }

  /**
   * The folder at a path, for one session; give it back with {@link release}. Rejects when the folder cannot be loaded, or
   * does not exist.
   */
  async take(cwd: string): Promise<UsedFolder> {
    const path = await realpath(cwd);
    const folder = this.used.get(path) ?? new UsedFolder(path, this.load, this.closing.get(path) ?? Promise.resolve());
    this.used.set(path, folder);
    folder.users += 1;
    try {
      folder.loaded = await folder.loading;
      return folder;
    } catch (error) {
      if (this.used.get(path) === folder) this.used.delete(path);
      throw error;
    }
  }

  /** Closes the folder when no other session uses it. Rejects as `FolderRuntime.dispose`; the folder can be used again. */
  async release(folder: UsedFolder): Promise<void> {
    folder.users -= 1;
    if (folder.users > 0) return;
    const { path } = folder;
    this.used.delete(path);
    const closed = folder.loading.then(({ runtime }) => runtime.dispose());
    const settled = closed.catch(() => undefined); // The caller gets the error.
    this.closing.set(path, settled);
    try {
      await closed;
    } finally {
      if (this.closing.get(path) === settled) this.closing.delete(path);
    }
  }
}
