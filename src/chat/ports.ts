import type { ChangeTracker } from '../agent/changes/tracker';
import type { RipgrepLocator } from '../agent/tools/search/ripgrep';
import type { RunStatus } from '../protocol/messages';
import type { ConversationPorts } from '../session/ports/ports';
import type { CallRecords } from './call-records/call-records';
import type { DraftStore } from './composer/drafts';
import type { ChatNeighbours } from './editor/chat-neighbours';
import type { EditorPort } from './editor/editor-port';

/** The ports of a conversation that its view answers. */
type OfView = 'hookUi' | 'runCommand' | 'prepareView' | 'askMissingFolder' | 'neighbours';

/** What all chats of a window share, except the editor, the drafts and the neighbours. */
export interface WindowPorts extends Omit<ConversationPorts, OfView> {
  readonly changes: ChangeTracker;
  /** Keeps which hooks decided about a tool call and how long it took. */
  readonly callRecords: CallRecords;
  /** Lists files for the composer. */
  readonly ripgrep: RipgrepLocator;
  readonly editor: EditorPort;
  /** Numbers for the header. */
  readonly hookCounts: () => RunStatus['hooks'];
}

/** What a chat needs of its surroundings. */
export interface ChatPorts extends WindowPorts {
  readonly neighbours: ChatNeighbours;
  /** Stores unsent drafts by session. */
  readonly drafts: DraftStore;
}
