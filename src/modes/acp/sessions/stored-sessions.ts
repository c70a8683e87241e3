import { readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ListSessionsResponse, SessionInfo as ListedSession } from '@agentclientprotocol/sdk';
import { SessionList, sessionDirFor, type SessionInfo } from '../../../agent/session/library/session-list';
import { clipped } from '../../../base/text/clipped';
import { singleLine } from '../../../base/text/single-line';
import { visibleText } from '../../../base/text/visible-text';
import { invalidParams } from '../connection/acp-error';

/** How many sessions one answer lists. */
const PAGE = 50;
/** Most characters of a title. */
const TITLE_LENGTH = 70;

/** What {@link placeOf} gives. */
const CURSOR = /^\d{4}-\d\d-\d\dT[\d:.]+Z_./;

/** Where session files are. All paths are absolute. */
export interface SessionPlaces {
  readonly agentDir: string;
  /** The folder that a flag or the environment names for all sessions; undefined when each project has its own. */
  readonly shared: string | undefined;
  /** Folders of the projects that are open, which settings or hooks may have put elsewhere. */
  readonly open: () => readonly string[];
}

/** The session files of all projects, those of pi among them. */
export class StoredSessions {
  /** Folder of session files -> its list, which remembers what it has read. */
  private readonly lists = new Map<string, SessionList>();

  constructor(private readonly places: SessionPlaces) {}

  /**
   * The latest sessions, or those of one project, from a place in the list on.
   * @throws an error of the protocol that names a cursor which no answer had
   */
  async list({
    cwd,
    cursor,
  }: {
    readonly cwd?: string | null;
    readonly cursor?: string | null;
  }): Promise<ListSessionsResponse> {
    const all = (await this.all(cwd ?? undefined)).filter(({ messageCount }) => messageCount > 0);
    if (cursor != null && !CURSOR.test(cursor)) throw invalidParams(`cursor: "${cursor}" is not one of this list.`);
    const later = cursor == null ? all : all.filter(session => placeOf(session) < cursor);
    const page = later.slice(0, PAGE);
    const last = page.at(-1);
    const isMore = later.length > PAGE && last !== undefined;
    return { sessions: page.map(listed), ...(isMore ? { nextCursor: placeOf(last) } : {}) };
  }

  /** The file of a session, whether or not it can be read; undefined when there is none. */
  async find(id: string): Promise<string | undefined> {
    if (id === '') return undefined; // Files whose first line cannot be read have no id.
    const isOwn = (name: string): boolean => name.slice(name.indexOf('_') + 1) === `${id}.jsonl`;
    for (const dir of await this.folders(undefined)) {
      const name = (await readdir(dir).catch(() => [])).find(isOwn);
      if (name !== undefined) return join(dir, name);
    }
    // A file may have been renamed.
    return (await this.all(undefined)).find(session => session.id === id)?.file;
  }

  /** Latest first. A file that cannot be read has no id: it is not among them. */
  private async all(cwd: string | undefined): Promise<readonly SessionInfo[]> {
    const lists = (await this.folders(cwd)).map(dir => this.listOf(dir).list());
    const sessions = (await Promise.all(lists)).flat().filter(({ id }) => id !== '');
    const own = cwd === undefined ? sessions : sessions.filter(isOf(await spellings(cwd)));
    return own.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  }

  private async folders(cwd: string | undefined): Promise<readonly string[]> {
    const { agentDir, shared, open } = this.places;
    if (shared !== undefined) return [shared];
    const root = join(agentDir, 'sessions');
    const usual =
      cwd === undefined ? await foldersIn(root) : (await spellings(cwd)).map(path => sessionDirFor(agentDir, path));
    return [...new Set([...usual, ...open()])];
  }

  private listOf(dir: string): SessionList {
    const known = this.lists.get(dir) ?? new SessionList(dir);
    this.lists.set(dir, known);
    return known;
  }
}

/** Files such as .DS_Store are left out. Without the folder, there are no sessions yet. */
async function foldersIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter(entry => !entry.isFile()).map(({ name }) => join(root, name));
}

/** Says where a session is in the list, which begins with the greatest place; sessions that come or go change no other place. */
function placeOf({ modified, id }: SessionInfo): string {
  return `${modified.toISOString()}_${id}`;
}

/** The path as it is written, and the one that it leads to. */
async function spellings(path: string): Promise<readonly string[]> {
  const written = resolve(path);
  return [...new Set([written, await realpath(path).catch(() => written)])];
}

function isOf(folders: readonly string[]): (session: SessionInfo) => boolean {
  return ({ cwd }) => cwd !== '' && folders.includes(resolve(cwd));
}

function listed({ id, cwd, name, firstText, modified }: SessionInfo): ListedSession {
  const title = visibleText(clipped(name ?? singleLine(firstText), TITLE_LENGTH));
  return { sessionId: id, cwd, updatedAt: modified.toISOString(), ...(title === '' ? {} : { title }) };
}
