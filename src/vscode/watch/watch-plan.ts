import { basename, dirname } from 'node:path';

/** What to keep an eye on, all absolute. Nothing needs to exist yet. */
export interface WatchTargets {
  /** Folders of which everything matters, such as `~/.pi/agent/hooks`. */
  readonly folders: readonly string[];
  /** Single files: hooks named in settings, targets of symbolic links, modules that hooks import. */
  readonly files: readonly string[];
}

/** One watch: entries of this folder that match. The glob is `**` for folders that are themselves a target. */
export interface FolderWatch {
  readonly folder: string;
  readonly glob: string;
}

/**
 * What to watch for these targets now: existing folders with all they hold; for a missing one only the next name in
 * its nearest existing parent (never everything below a home folder); for a file its name in its folder. To be asked
 * again after each change, because folders come and go.
 */
export function planWatches(targets: WatchTargets, isFolder: (path: string) => boolean): readonly FolderWatch[] {
  const plan = new Map<string, FolderWatch>();
  const add = (folder: string, glob: string): void => {
    plan.set(`${folder}\n${glob}`, { folder, glob });
  };
  const addName = (path: string): void => {
    let at = path;
    while (dirname(at) !== at && !isFolder(dirname(at))) at = dirname(at);
    add(dirname(at), globFor(basename(at)));
  };
  for (const folder of targets.folders) {
    if (isFolder(folder)) add(folder, '**');
    // Also its own name in its parent: only there a watcher sees that the folder is created or removed.
    addName(folder);
  }
  for (const file of targets.files) addName(file);
  return [...plan.values()];
}

/** Globs know no escape: a name with their signs in it is watched as any name, and the listener looks for itself. */
function globFor(name: string): string {
  return /[*?[\]{}]/.test(name) ? '*' : name;
}
