import { existsSync } from 'node:fs';
import { SessionList } from '../../agent/session/library/session-list';
import { SessionStore } from '../../agent/session/store';
import type { ConversationPorts, GoOn, MissingFolder } from '../ports/ports';

/** The folder of a session is missing, and there is no user to ask. In pi's words. */
export class MissingFolderError extends Error {
  override readonly name = 'MissingFolderError';

  constructor({ file, folder, here }: MissingFolder) {
    super(
      `Stored session working directory does not exist: ${folder}\nSession file: ${file}\nCurrent working directory: ${here}`,
    );
  }
}

/** The missing folder of a session; undefined when the folder exists or the file names none. */
export function missingFolder(file: string, here: string): MissingFolder | undefined {
  if (!existsSync(file)) return undefined;
  const { cwd: folder } = SessionList.at(file);
  return folder === '' || existsSync(folder) ? undefined : { file, folder, here };
}

/** Opens a session in the current folder, which replaces its own folder if that is missing. */
export function openHere(file: string, cwd: string): Promise<SessionStore> {
  return SessionStore.openToGoOn(file, cwd, missingFolder(file, cwd) === undefined ? {} : { standIn: cwd });
}

type Place = Pick<ConversationPorts, 'cwd' | 'sessionDir' | 'askMissingFolder'>;

/**
 * The file to open: the given one, or, if its folder is missing and the user agrees, a fork of it in this folder.
 * Undefined when the user cancels; then nothing was written.
 * @throws MissingFolderError when nobody can be asked
 */
export async function fileToGoTo(file: string, place: Place): Promise<string | undefined> {
  const missing = missingFolder(file, place.cwd);
  const goOn = missing === undefined ? 'here' : await askToGoOn(missing, place);
  return goOn === 'fork' ? forkInto(file, place) : goOn && file;
}

/**
 * Asks the user how to continue.
 * @throws MissingFolderError if no user can be asked
 */
export async function askToGoOn(
  missing: MissingFolder,
  { askMissingFolder }: Pick<Place, 'askMissingFolder'>,
): Promise<GoOn | undefined> {
  if (askMissingFolder === undefined) throw new MissingFolderError(missing);
  return askMissingFolder(missing);
}

/** Copies a session with all its branches into a new one of this folder; resolves with its file. */
export async function forkInto(file: string, { cwd, sessionDir }: Pick<Place, 'cwd' | 'sessionDir'>): Promise<string> {
  const source = await SessionStore.open(file, { readOnly: true });
  try {
    const fork = await source.forkTo({ dir: sessionDir, cwd });
    const path = fork.getSessionFile();
    await fork.dispose();
    if (path === undefined) throw new Error(`${file} has no file to fork.`);
    return path;
  } finally {
    await source.dispose();
  }
}
