import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { SessionCatalog } from '../agent/session/library/catalog';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import type { CliOptions } from './arguments';
import { StartError, UsageError } from './usage-error';

/**
 * The session that the command line asks for; a new one when it asks for none.
 * @throws {UsageError | StartError} naming the flag
 */
export async function chooseSession(
  { noSession, session, continueLatest }: Pick<CliOptions, 'noSession' | 'session' | 'continueLatest'>,
  { cwd, sessionDir }: { readonly cwd: string; readonly sessionDir: string },
): Promise<SessionStore> {
  if (noSession) return SessionStore.inMemory(cwd);
  const fresh = (): SessionStore => SessionStore.create({ dir: sessionDir, cwd });
  if (session !== undefined) {
    return open(await sessionFile(session, { cwd, sessionDir, flag: '--session' }), '--session', cwd);
  }
  if (!continueLatest) return fresh();
  const [latest] = await new SessionCatalog(sessionDir).list();
  return latest === undefined ? fresh() : open(latest.file, '--continue', cwd);
}

async function open(file: string, flag: string, cwd: string): Promise<SessionStore> {
  if (existsSync(file) && !statSync(file).isFile()) throw new UsageError(`${flag}: ${file} is no file.`);
  try {
    return await SessionStore.open(file, { cwd });
  } catch (error) {
    throw new StartError(`${flag}: the session cannot be opened: ${messageOf(error)}`);
  }
}

/**
 * A name with a separator or our ending is a path, anything else the beginning of an id.
 * @throws {UsageError} naming the flag when no id, or more than one, begins so
 */
export async function sessionFile(
  given: string,
  { cwd, sessionDir, flag }: { readonly cwd: string; readonly sessionDir: string; readonly flag: string },
): Promise<string> {
  if (/[/\\]/.test(given) || given.endsWith('.jsonl')) return isAbsolute(given) ? given : resolve(cwd, given);
  const found = (await new SessionCatalog(sessionDir).list()).filter(({ id }) => id.startsWith(given));
  const [first, second] = found;
  if (first === undefined) {
    throw new UsageError(`${flag}: no session of this folder has an id that begins with "${given}".`);
  }
  if (second !== undefined) {
    const ids = found.map(({ id }) => id);
    throw new UsageError(`${flag}: "${given}" begins the ids of several sessions: ${ids.join(', ')}.`);
  }
  return first.file;
}
