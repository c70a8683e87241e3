import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { SessionList } from '../../agent/session/library/session-list';
import { SessionStore } from '../../agent/session/store';
import { messageOf } from '../../base/errors';
import { isEmptyDraft } from '../composer/drafts';
import type { WindowPorts } from '../ports';
import { missingFolder, openHere } from '../../session/state/missing-folder';
import type { OpenSessions, WindowMemory } from './window-memory';

type Place = Pick<WindowPorts, 'sessionDir' | 'cwd' | 'log'>;

/**
 * The first session of a window, and the other ones to open. A session that cannot be opened must not block the start:
 * the latest of the workspace, or a new one, replaces it.
 */
export async function startSessions(
  place: Place,
  resume: boolean,
  memory: WindowMemory,
): Promise<{
  readonly first: SessionStore;
  readonly others: OpenSessions['sessions'];
  /** The files of all of them, in their order. */
  readonly order: readonly string[];
}> {
  const open = resume ? memory.open : undefined;
  const shown =
    open?.shown === undefined ? undefined : await openQuietly(place, () => sessionAt(open.shown, place, memory));
  if (open === undefined) return { first: (await latest(place, resume)) ?? create(place), others: [], order: [] };
  const others = open.sessions.filter(({ file }) => file !== open.shown);
  return { first: shown ?? create(place), others, order: open.sessions.map(({ file }) => file) };
}

/** The session of a file. A session without an answer has no file and is only restored for its draft. */
export async function sessionAt(
  file: string | undefined,
  { cwd }: Pick<Place, 'cwd'>,
  memory: WindowMemory,
): Promise<SessionStore | undefined> {
  if (file === undefined) return undefined;
  if (existsSync(file)) return openHere(file, cwd);
  const draft = memory.draft(basename(file));
  return isEmptyDraft(draft) ? undefined : SessionStore.open(file, { cwd });
}

async function latest(place: Place, resume: boolean): Promise<SessionStore | undefined> {
  return openQuietly(place, async () => {
    const sessions = resume ? await new SessionList(place.sessionDir, place.cwd).list() : [];
    // A session about which the user must be asked is only opened from the list.
    const newest = sessions.find(({ file }) => missingFolder(file, place.cwd) === undefined);
    return newest === undefined ? undefined : SessionStore.openToGoOn(newest.file, place.cwd);
  });
}

function create({ sessionDir, cwd }: Place): SessionStore {
  return SessionStore.create({ dir: sessionDir, cwd });
}

async function openQuietly(
  { log }: Place,
  open: () => Promise<SessionStore | undefined>,
): Promise<SessionStore | undefined> {
  try {
    return await open();
  } catch (error) {
    log.error(`The latest session could not be opened: ${messageOf(error)}`, error);
    return undefined;
  }
}
