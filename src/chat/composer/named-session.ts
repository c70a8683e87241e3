import type { SessionInfo } from '../../agent/session/library/session-list';

/** A beginning of an id that is this long means one session. */
const LEAST_OF_ID = 6;

/** The text by which a user can refer to a session: its name, or its id. */
export function sessionName({ name, id }: SessionInfo): string {
  return name ?? id;
}

/** The session with this name, id or beginning of an id. Undefined when there is none, or more than one. */
export function sessionNamed(given: string, sessions: readonly SessionInfo[]): SessionInfo | undefined {
  const lower = given.toLowerCase();
  const exact = sessions.filter(({ name, id }) => name?.toLowerCase() === lower || id === given);
  const found =
    exact.length > 0 ? exact : sessions.filter(({ id }) => given.length >= LEAST_OF_ID && id.startsWith(given));
  return found.length === 1 ? found[0] : undefined;
}
