import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SessionList, sessionDirFor, type SessionInfo } from '../../agent/session/library/session-list';
import { SessionStore } from '../../agent/session/store';
import { defined } from '../../base/defined';
import { localTime } from '../../base/text/local-time';
import { singleLine } from '../../base/text/single-line';
import { messageOf } from '../../base/errors';
import { MissingFolderError, missingFolder } from '../../session/state/missing-folder';
import type { CliOptions } from '../arguments/options';
import { confirmInTerminal, type AskInTerminal } from '../terminal/terminal-question';
import { StartError, UsageError } from '../arguments/usage-error';

/** Where the sessions of a folder are. All paths are absolute. */
export interface SessionPlace {
  readonly agentDir: string;
  readonly cwd: string;
  /** Paths on the command line are relative to it. */
  readonly startedIn: string;
  /** May also contain sessions of other folders, unless it is pi's default folder for `cwd`. */
  readonly sessionDir: string;
}

type SessionRequest = Pick<
  CliOptions,
  'noSession' | 'session' | 'sessionId' | 'fork' | 'resume' | 'continueLatest' | 'name'
>;

/** What is needed to choose a session. */
export interface SessionChoiceParts {
  readonly place: SessionPlace;
  readonly ask: AskInTerminal;
  readonly printError: (text: string) => void;
}

/**
 * The session that the command line asks for, chosen as in today's pi (docs/cli.md); a new one when it asks for none.
 * Undefined when the user was asked and chose none.
 * @throws {UsageError | StartError} that names the flag
 */
export async function chooseSession(
  request: SessionRequest,
  parts: SessionChoiceParts,
): Promise<SessionStore | undefined> {
  const store = await requestedSession(request, parts);
  if (request.name !== undefined) store?.appendSessionInfo(request.name);
  return store;
}

async function requestedSession(request: SessionRequest, parts: SessionChoiceParts): Promise<SessionStore | undefined> {
  const { place, printError } = parts;
  const { cwd, sessionDir } = place;
  const { sessionId: id } = request;
  if (request.noSession) return SessionStore.inMemory(cwd, undefined, id);
  if (request.fork !== undefined) return forkedSession(request.fork, id, place);
  if (request.session !== undefined) return namedSession(request.session, parts);
  if (request.resume) return pickedSession(parts);
  const fresh = (): SessionStore => SessionStore.create({ dir: sessionDir, cwd, id });
  if (request.continueLatest) {
    const latest = (await localSessions(place)).find(({ id, messageCount }) => id !== '' || messageCount > 0);
    return latest === undefined ? fresh() : open(latest.file, '--continue', cwd);
  }
  if (id === undefined) return fresh();
  const own = (await localSessions(place)).find(session => session.id === id);
  if (own !== undefined) return open(own.file, '--session-id', cwd);
  printError(`Warning: no session of this folder has the id "${id}"; a new session gets this id.`);
  return fresh();
}

/**
 * The session that a path or an id names. If it belongs to another folder, the user is asked whether to copy it here.
 */
async function namedSession(given: string, { place, ask }: SessionChoiceParts): Promise<SessionStore | undefined> {
  const found = await findSession(given, place, '--session');
  if (found.kind !== 'elsewhere') return open(found.file, '--session', place.cwd);
  const { file, cwd } = found.session;
  const where = `The session belongs to another folder: ${cwd}`;
  const isWanted = await confirmInTerminal(ask, `${where}\nCopy it into this folder?`);
  if (isWanted === undefined) {
    throw new StartError(`--session: ${where}; use --fork ${given} to copy it into this one.`);
  }
  return isWanted ? copyOf(file, undefined, place) : undefined;
}

async function forkedSession(given: string, id: string | undefined, place: SessionPlace): Promise<SessionStore> {
  if (id !== undefined && (await localSessions(place)).some(session => session.id === id)) {
    throw new UsageError(`--session-id: a session with the id "${id}" already exists.`);
  }
  const found = await findSession(given, place, '--fork');
  return copyOf(found.kind === 'elsewhere' ? found.session.file : found.file, id, place);
}

async function copyOf(file: string, id: string | undefined, { cwd, sessionDir }: SessionPlace): Promise<SessionStore> {
  const source = await SessionStore.open(file, { readOnly: true }).catch((error: unknown) => {
    throw new StartError(`--fork: the session cannot be read: ${messageOf(error)}`);
  });
  try {
    if (source.getHeader() === null) throw new StartError(`--fork: ${file} does not begin with a session header.`);
    return await source.forkTo({ dir: sessionDir, cwd, ...defined({ id }) });
  } finally {
    await source.dispose();
  }
}

const LISTED = 20;

async function pickedSession({ place, ask }: SessionChoiceParts): Promise<SessionStore | undefined> {
  const sessions = (await localSessions(place)).slice(0, LISTED);
  if (sessions.length === 0) throw new StartError('--resume: this folder has no sessions.');
  const lines = sessions.map((session, index) => `${String(index + 1).padStart(3)}  ${titleOf(session)}`);
  const answer = await ask(`${lines.join('\n')}\nNumber of the session (Enter for none): `);
  if (answer === undefined) {
    const ids = sessions.slice(0, 3).map(({ id }) => id);
    throw new UsageError(
      `--resume needs a terminal to choose in; use --session with an id, such as ${ids.join(', ')}.`,
    );
  }
  if (answer.trim() === '') return undefined;
  const chosen = sessions[Number(answer) - 1];
  if (chosen === undefined) throw new UsageError(`--resume: "${answer.trim()}" is not a number in the list.`);
  return open(chosen.file, '--resume', place.cwd);
}

function titleOf({ name, firstText, modified, id }: SessionInfo): string {
  const text = singleLine(name ?? firstText).slice(0, 60);
  return `${localTime(modified).slice(0, 16)}  ${text === '' ? id : text}`;
}

async function open(file: string, flag: string, cwd: string): Promise<SessionStore> {
  if (existsSync(file) && !statSync(file).isFile()) throw new UsageError(`${flag}: ${file} is not a file.`);
  const store = await SessionStore.openToGoOn(file, cwd, { cwd }).catch((error: unknown) => {
    throw new StartError(`${flag}: the session cannot be opened: ${messageOf(error)}`);
  });
  const { access } = store;
  if (access.kind === 'write' || access.cause !== 'damaged') return store;
  await store.dispose();
  throw new StartError(`${flag}: ${file} contains no readable session.`);
}

type FoundSession =
  | { readonly kind: 'here'; readonly file: string }
  /** The session belongs to another folder. */
  | { readonly kind: 'elsewhere'; readonly session: SessionInfo };

/** Whether this is a path and not the beginning of an id. */
function isSessionPath(given: string): boolean {
  return /[/\\]/.test(given) || given.endsWith('.jsonl');
}

/**
 * Finds a session. A text with a slash or that ends with `.jsonl` is a path; any other text is an id or its beginning,
 * first of a session of this folder, then of any.
 * @throws {UsageError} that names the flag when no id begins with the text
 */
export async function findSession(given: string, place: SessionPlace, flag: string): Promise<FoundSession> {
  if (isSessionPath(given)) return { kind: 'here', file: resolve(place.startedIn, given) };
  const own = byId(given, await localSessions(place));
  if (own !== undefined) return { kind: 'here', file: own.file };
  const other = byId(given, await allSessions(place));
  if (other !== undefined) return { kind: 'elsewhere', session: other };
  throw new UsageError(`${flag}: no session has an id that begins with "${given}".`);
}

/** The session with exactly this id, or else the newest one whose id begins with it. */
function byId(given: string, sessions: readonly SessionInfo[]): SessionInfo | undefined {
  return sessions.find(({ id }) => id === given) ?? sessions.find(({ id }) => id.startsWith(given));
}

/** The sessions of this folder, newest first. */
async function localSessions({ agentDir, cwd, sessionDir }: SessionPlace): Promise<readonly SessionInfo[]> {
  const sessions = await listed(sessionDir);
  if (resolve(sessionDir) === sessionDirFor(agentDir, cwd)) return sessions;
  return sessions.filter(session => session.cwd !== '' && resolve(session.cwd) === resolve(cwd));
}

async function listed(dir: string): Promise<readonly SessionInfo[]> {
  return new SessionList(dir).list().catch((error: unknown) => {
    throw new StartError(`the sessions in ${dir} cannot be listed: ${messageOf(error)}`);
  });
}

/** The sessions of all folders, newest first within each. */
async function allSessions({ agentDir, cwd, sessionDir }: SessionPlace): Promise<readonly SessionInfo[]> {
  if (resolve(sessionDir) !== sessionDirFor(agentDir, cwd)) return listed(sessionDir);
  const root = join(agentDir, 'sessions');
  const folders = await readdir(root).catch(() => []); // There are no sessions yet.
  const lists = await Promise.all(folders.map(name => new SessionList(join(root, name)).list().catch(() => [])));
  return lists.flat();
}

/**
 * The folder in which to work: that of the session if it is named by its file, or else the one in which the program was
 * started.
 * @throws {StartError} when that folder does not exist any more, or the file cannot be read
 */
export function workingFolder({ session, noSession }: SessionRequest, startedIn: string): string {
  if (noSession || session === undefined || !isSessionPath(session)) return startedIn;
  const file = resolve(startedIn, session);
  if (!existsSync(file) || !statSync(file).isFile()) return startedIn;
  try {
    const missing = missingFolder(file, startedIn);
    if (missing !== undefined) throw new MissingFolderError(missing);
    const { cwd } = SessionList.at(file);
    return cwd === '' ? startedIn : cwd;
  } catch (error) {
    throw new StartError(messageOf(error));
  }
}
