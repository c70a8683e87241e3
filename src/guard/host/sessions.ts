import { realPathIfThere } from '../../base/files/on-disk';
import { isWithin } from '../../base/files/is-within';
import { sessionKey, type GuardedEvent } from '../agents/agent';
import type { AgentId } from '../protocol/agent-call';
import type { Front } from './fronts';
import { projectFolder } from './project-folder';

/** Most sessions that are remembered; those without an event for the longest time are forgotten first. */
const MOST_SESSIONS = 1_000;

/** Who answers the calls of a session: a window, for one of its folders, or the host itself. */
export type Answerer =
  { readonly type: 'window'; readonly window: Front; readonly folder: string } | { readonly type: 'host' };

/** A session of an agent. */
export interface PinnedSession {
  readonly agent: AgentId;
  readonly id: string;
  /** Real path of the folder that the agent was started in: a window that has it open answers all calls of the session. */
  readonly startedIn: string;
  /** The folder whose hooks look where no window answers: see {@link projectFolder}. */
  readonly folder: string;
  answerer: Answerer;
}

/** Which folder the sessions of agents belong to, and who answers their calls. */
export class Sessions {
  /** By their keys, in order of their last event. */
  private readonly pinned = new Map<string, PinnedSession>();

  /** `windows`: those that are connected, in the order in which they came. */
  constructor(private readonly windows: () => readonly Front[]) {}

  /**
   * The session of an event. Its first event tells its folder. Who answers changes only between runs of the agent, so that a
   * result goes where its call went, or when a window has gone or has closed the folder.
   */
  of(event: GuardedEvent): PinnedSession {
    const key = sessionKey(event);
    const known = this.pinned.get(key);
    if (known === undefined) {
      const startedIn = realPathIfThere(event.projectDir ?? event.cwd);
      const session = { agent: event.agent, id: event.sessionId, startedIn, ...this.placeOf(startedIn) };
      this.pinned.set(key, session);
      const [oldest] = this.pinned.size > MOST_SESSIONS ? this.pinned.keys() : [];
      if (oldest !== undefined) this.pinned.delete(oldest);
      return session;
    }
    this.pinned.delete(key);
    this.pinned.set(key, known);
    const isBetweenRuns = event.type === 'session_start' || event.type === 'prompt';
    if (isBetweenRuns || !isStillThere(known)) known.answerer = this.answererOf(known.startedIn);
    return known;
  }

  /** Whose hooks count for what was started in this folder, a real path, now. `isAble`: which windows come into question. */
  placeOf(
    startedIn: string,
    isAble: (window: Front) => boolean = () => true,
  ): Pick<PinnedSession, 'folder' | 'answerer'> {
    return { folder: projectFolder(startedIn), answerer: this.answererOf(startedIn, isAble) };
  }

  private answererOf(startedIn: string, isAble: (window: Front) => boolean = () => true): Answerer {
    const open = this.windows()
      .filter(isAble)
      .flatMap(window => [...window.folders].map(([real, given]) => ({ window, real, folder: given })));
    const [longest] = open
      .filter(({ real }) => isWithin(startedIn, real))
      .sort((one, other) => other.real.length - one.real.length);
    return longest === undefined
      ? { type: 'host' }
      : { type: 'window', window: longest.window, folder: longest.folder };
  }
}

function isStillThere({ answerer, startedIn }: PinnedSession): boolean {
  if (answerer.type === 'host') return true;
  const { window } = answerer;
  return !window.ended.aborted && [...window.folders.keys()].some(real => isWithin(startedIn, real));
}
