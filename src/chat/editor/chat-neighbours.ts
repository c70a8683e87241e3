import type { SessionInfo } from '../../agent/session/library/session-list';
import type { Neighbours } from '../../session/ports/ports';

/** What a chat may do with the other conversations in its window. */
export interface ChatNeighbours extends Neighbours {
  /** See `Conversations.newSession`; brings the conversation to the front. */
  newSession(): Promise<void>;
  /** See `Conversations.resume`; brings the conversation to the front. */
  resume(file: string): Promise<void>;
  /** Sessions of the workspace, newest first. */
  sessions(): Promise<readonly SessionInfo[]>;
}
