import * as l10n from '@vscode/l10n';
import type { AgentMessage } from '../../agent/messages';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { CompactionFlow } from '../run/compaction-flow';
import type { Presenter } from '../cards/presenter';
import type { SessionState } from './session-state';
import type { StreamRules } from '../run/stream-rules';

export interface SessionWritingParts {
  readonly log: Log;
  readonly state: SessionState;
  readonly presenter: Presenter;
  readonly compaction: Pick<CompactionFlow, 'noteMessage'>;
  readonly rules: Pick<StreamRules, 'noteMessage'>;
}

/** How messages of a conversation get into its session. */
export class SessionWriting {
  constructor(private readonly parts: SessionWritingParts) {}

  /** A failed write is shown and the conversation goes on in memory: losing the answer would be worse. */
  persist(message: AgentMessage, place?: 'aside'): void {
    const { presenter, compaction, rules, log } = this.parts;
    try {
      this.write(message, place);
      if (place === undefined) compaction.noteMessage(message);
      rules.noteMessage(message);
    } catch (error) {
      log.error('A message could not be written to the session', error);
      presenter.notice('error', l10n.t('This message could not be saved: {0}', messageOf(error)));
    }
  }

  /** What a tool or a hook adds for itself may be no JSON; the message is saved without it then. */
  private write(message: AgentMessage, place: 'aside' | undefined): void {
    const { state, presenter } = this.parts;
    const attempt = (written: AgentMessage): void => {
      if (place === 'aside') state.persistAside(message, written);
      else state.persist(message, written);
    };
    try {
      attempt(message);
    } catch (error) {
      const bare = withoutDetails(message);
      if (bare === undefined) throw error;
      attempt(bare);
      const reason = messageOf(error);
      presenter.notice(
        'warning',
        message.role === 'toolResult'
          ? l10n.t('The details of the result of {0} are not in the session: {1}', message.toolName, reason)
          : l10n.t('The details of a message are not in the session: {0}', reason),
      );
    }
  }
}

function withoutDetails(message: AgentMessage): AgentMessage | undefined {
  if (message.role !== 'toolResult' && message.role !== 'custom') return undefined;
  return message.details === undefined ? undefined : { ...message, details: undefined };
}
