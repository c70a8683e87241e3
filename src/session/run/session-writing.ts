import * as l10n from '@vscode/l10n';
import type { AgentMessage } from '../../agent/messages';
import type { EntryId, StoredEntry } from '../../agent/session/entry';
import type { SessionStore } from '../../agent/session/store';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { CompactionFlow } from '../compaction/compaction-flow';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import type { StreamRules } from './stream-rules';
import type { TodoList } from './todo-list';

export interface SessionWritingParts {
  readonly log: Log;
  readonly state: SessionState;
  readonly events: SessionEvents;
  readonly compaction: Pick<CompactionFlow, 'noteMessage'>;
  readonly rules: Pick<StreamRules, 'noteMessage'>;
  readonly todos: Pick<TodoList, 'noteMessage'>;
}

/** Writes the messages of a conversation to its session. */
export class SessionWriting {
  constructor(private readonly parts: SessionWritingParts) {}

  /**
   * Writes a complete message. A failed write is shown and the conversation goes on in memory: losing the answer would be
   * worse. `aside`: on a side branch, so that it stays in the file and the path continues before it.
   */
  persist(message: AgentMessage, place?: 'aside'): void {
    const { events, compaction, rules, todos, log } = this.parts;
    try {
      this.write(message, place);
      if (place === undefined) compaction.noteMessage(message);
      rules.noteMessage(message);
    } catch (error) {
      log.error('A message could not be written to the session', error);
      // The loss of the session was reported, and has stopped the run.
      if (!this.parts.state.isOpenElsewhere) {
        events.notice('error', l10n.t('This message could not be saved: {0}', messageOf(error)));
      }
    }
    todos.noteMessage(message);
    events.fire({ type: 'status_changed' });
  }

  /** See {@link SessionState.recordSelection}; a failed write is reported together with the messages that fail with it. */
  recordSelection(): void {
    this.attempt(() => this.parts.state.recordSelection());
  }

  /** Removes messages from later contexts by entries, which it returns; the messages stay in the file. */
  leaveOut(messages: readonly AgentMessage[]): readonly StoredEntry[] {
    const { state } = this.parts;
    const { store } = state;
    const edits: StoredEntry[] = [];
    this.attempt(() => {
      for (const message of messages) {
        const entryId = state.entryIdOf(message);
        const edit = entryId === null ? undefined : store.getEntry(store.appendContextEdit(entryId, null));
        if (edit !== undefined) edits.push(edit);
      }
    });
    return edits;
  }

  /** Resolves when everything so far is in the file, or failed to be written, which the session reports. */
  async written(): Promise<void> {
    await this.parts.state.store.flush().catch(() => undefined);
  }

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.parts.log.warn(`The session was not written: ${messageOf(error)}`);
    }
  }

  /** {@link persist} for callers that handle a failure. @throws Error when the session refuses the message */
  write(message: AgentMessage, place?: 'aside'): void {
    const { state } = this.parts;
    const { store } = state;
    const before = store.getLeafId();
    state.spending.add(message);
    const entryId = this.append(message);
    if (entryId !== undefined) state.noteEntry(message, entryId);
    if (place !== 'aside') return;
    if (before === null) store.resetLeaf();
    else store.branch(before);
  }

  /** Data that a tool or a hook added may not be JSON; then the message is saved without it. */
  private append(message: AgentMessage): EntryId | undefined {
    const { state, events } = this.parts;
    try {
      return appendTo(state.store, message);
    } catch (error) {
      const bare = withoutDetails(message);
      if (bare === undefined) throw error;
      const entryId = appendTo(state.store, bare);
      const reason = messageOf(error);
      events.notice(
        'warning',
        message.role === 'toolResult'
          ? l10n.t('The details of the result of {0} are not in the session: {1}', message.toolName, reason)
          : l10n.t('The details of a message are not in the session: {0}', reason),
      );
      return entryId;
    }
  }
}

/** The message's new entry; undefined for summaries, which the session has already. */
function appendTo(store: SessionStore, message: AgentMessage): EntryId | undefined {
  switch (message.role) {
    case 'custom':
      return store.appendCustomMessageEntry(message.customType, message.content, message.display, message.details);
    case 'branchSummary':
    case 'compactionSummary':
      return undefined;
    case 'system':
    case 'user':
    case 'assistant':
    case 'toolResult':
    case 'bashExecution':
      return store.appendMessage(message);
  }
}

function withoutDetails(message: AgentMessage): AgentMessage | undefined {
  if (message.role !== 'toolResult' && message.role !== 'custom') return undefined;
  return message.details === undefined ? undefined : { ...message, details: undefined };
}
