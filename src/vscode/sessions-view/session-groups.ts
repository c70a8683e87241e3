import type { SessionInfo } from '../../agent/session/library/session-list';
import type { ConversationTab } from '../../protocol/messages';

/** The groups of the Sessions view, in their order; those after `open` are by the day of the latest entry. */
export const SESSION_GROUPS = ['open', 'today', 'yesterday', 'week', 'earlier'] as const;
export type SessionGroup = (typeof SESSION_GROUPS)[number];

/** A conversation of this window. */
export interface OpenSession {
  readonly tab: ConversationTab;
  /** Absolute path of its session, which is on disk after the first answer; undefined for one in memory. */
  readonly file: string | undefined;
  /** Another window or program writes to the session. */
  readonly isElsewhere: boolean;
}

/** A session of the view. At least one of `info` and `tab` is there. */
export interface GroupedSession {
  /** What its file says; undefined while it has none. */
  readonly info: SessionInfo | undefined;
  /** The conversation of this window that has it open. */
  readonly tab: ConversationTab | undefined;
  /** Another window or program has it open to write. */
  readonly isElsewhere: boolean;
}

export interface SessionFacts {
  /** Newest first. */
  readonly infos: readonly SessionInfo[];
  /** In the order of their tabs. */
  readonly open: readonly OpenSession[];
  /** Files that a process has open to write, this one too. */
  readonly inUse: ReadonlySet<string>;
  readonly now: Date;
}

/**
 * The sessions of each group, without empty groups. A conversation in which nothing was said yet is no session, unless it has a
 * file or a hook asks something in it.
 */
export function groupSessions(facts: SessionFacts): ReadonlyMap<SessionGroup, readonly GroupedSession[]> {
  const { infos, open, inUse, now } = facts;
  const byFile = new Map(infos.map(info => [info.file, info]));
  const groups = new Map<SessionGroup, GroupedSession[]>(SESSION_GROUPS.map(group => [group, []]));
  for (const { tab, file, isElsewhere } of open) {
    const info = file === undefined ? undefined : byFile.get(file);
    if (info === undefined && tab.title === '' && tab.state === 'idle') continue;
    if (info !== undefined) byFile.delete(info.file);
    groups.get('open')?.push({ info, tab, isElsewhere });
  }
  for (const info of byFile.values()) {
    groups.get(dayOf(info.modified, now))?.push({ info, tab: undefined, isElsewhere: inUse.has(info.file) });
  }
  return new Map([...groups].filter(([, sessions]) => sessions.length > 0));
}

/** The group of a time, by the days of the user's calendar. */
function dayOf(time: Date, now: Date): SessionGroup {
  const midnight = (daysAgo: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  if (time >= midnight(0)) return 'today';
  if (time >= midnight(1)) return 'yesterday';
  return time >= midnight(6) ? 'week' : 'earlier';
}

/** What can be done with a session. `new` has no file yet; the file of a `broken` one cannot be read from its beginning. */
export type SessionStanding = 'new' | 'open' | 'past' | 'elsewhere' | 'broken';

export function standingOf({ info, tab, isElsewhere }: GroupedSession): SessionStanding {
  if (info?.problem !== undefined) return 'broken';
  if (isElsewhere) return 'elsewhere';
  if (tab === undefined) return 'past';
  return info === undefined ? 'new' : 'open';
}
