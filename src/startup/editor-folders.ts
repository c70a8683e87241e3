import { basename, dirname, join } from 'node:path';

/** The two folders from which an extension can tell where its editor keeps its files. Both are absolute. */
export interface ExtensionFolders {
  /** The storage that VS Code gives to the extension for all windows: `<data>/User/globalStorage/<extension>`. */
  readonly storageDir: string;
  /** The folder of the extension; in the editor's folder of extensions, unless it is being developed. */
  readonly dir: string;
}

/**
 * The folders of the editor that runs the extension: its data, and in it the settings, in case the workspace is below the
 * data; and its extensions. Empty if the editor keeps them in another way.
 */
export function editorFolders({ storageDir, dir }: ExtensionFolders): readonly string[] {
  const user = userFolder(storageDir);
  const extensions = dirname(dir);
  return [
    ...(user === undefined ? [] : [dirname(user), user, join(dirname(user), 'Machine')]),
    ...(basename(extensions) === 'extensions' ? [extensions] : []),
  ];
}

/** The folder of the user's settings; a profile other than the usual one has its storage below `User/profiles`. */
function userFolder(storageDir: string): string | undefined {
  const storages = dirname(storageDir);
  if (basename(storages) !== 'globalStorage') return undefined;
  const above = dirname(storages);
  return basename(dirname(above)) === 'profiles' ? dirname(dirname(above)) : above;
}
