import { realpath } from 'node:fs/promises';
import type { FolderRuntime } from '../../start/folder-runtime';
import type { FolderTrust } from '../questions/folder-trust';

/** What is loaded of a folder. */
export interface OpenFolder {
  readonly runtime: FolderRuntime;
  readonly trust: FolderTrust;
}

/** What is wrong with a folder, for all sessions in it. */
export interface FolderProblems {
  tell(text: string): void;
  /** What was told so far does not hold any longer. */
  forget(): void;
}

/** Loads a folder (absolute path), and tells what is wrong with it, also later. */
export type LoadFolder = (path: string, problems: FolderProblems) => Promise<OpenFolder>;

/** A folder in use; what is wrong with it before somebody listens is told to each who does. */
export class UsedFolder implements FolderProblems {
  private readonly listeners = new Set<(text: string) => void>();
  private fromLoading: string[] = [];
  private wasHeard = false;
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
    this.loading = after.then(() => load(path, this));
  }

  /** Calls `listener` with each problem of the folder: those of loading it at once. */
  listen(listener: (text: string) => void): () => void {
    this.listeners.add(listener);
    this.wasHeard = true;
    for (const text of this.fromLoading) listener(text);
    return () => this.listeners.delete(listener);
  }

  tell(text: string): void {
    if (!this.wasHeard) this.fromLoading.push(text);
    for (const listener of this.listeners) listener(text);
  }

  forget(): void {
    this.fromLoading = [];
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
