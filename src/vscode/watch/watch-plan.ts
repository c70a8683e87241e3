import { basename, dirname } from 'node:path';
import type { WatchTargets } from '../../startup/watch-targets';

/** Watches the entries of one folder that match the glob. The glob is `**` for a folder that is itself a target. */
export interface FolderWatch {
  readonly folder: string;
  readonly glob: string;
}

/**
 * The watches that these targets need now. An existing folder is watched with everything in it. A file is watched by its
 * name in its folder. When the parent folder is missing, only the next name in the nearest existing folder is watched
 * (never everything below a home folder). To be called again after each change, because folders are created and deleted.
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
    // Also watches the folder's name in its parent, because only there a watcher sees that the folder is created or removed.
    addName(folder);
  }
  for (const file of targets.files) addName(file);
  return [...plan.values()];
}

/** Globs have no escape character. For a name with special characters, all names are watched. */
function globFor(name: string): string {
  return /[*?[\]{}]/.test(name) ? '*' : name;
}
