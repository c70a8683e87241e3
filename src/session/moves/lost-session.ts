import * as l10n from '@vscode/l10n';
import type { ReadAccess } from '../../agent/session/file/session-file';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import { readOnlyRefusal } from '../state/refusal';
import type { UserShells } from '../prompts/user-bash';
import type { HookQuestions } from '../questions/hook-questions';
import type { RunControl } from '../run/run-control';

export interface LostSessionParts {
  readonly events: SessionEvents;
  readonly questions: HookQuestions;
  readonly control: RunControl;
  readonly shells: Pick<UserShells, 'isRunning'>;
  readonly ports: Pick<ConversationPorts, 'mode' | 'log'>;
}

/**
 * To be called when another window or program has taken the session of a conversation. What goes on could not be recorded:
 * open questions close as canceled, everything active stops, and texts that wait return to the composer. Resolves when all
 * has ended; never rejects.
 */
export async function leaveLostSession(
  access: ReadAccess,
  { events, questions, control, shells, ports }: LostSessionParts,
): Promise<void> {
  const wasActive = !control.isIdle || shells.isRunning || questions.openCount > 0;
  const text = l10n.t('Another window or program has taken over this session.');
  ports.log.warn(`The session is lost: ${access.reason}`);
  const { more } = readOnlyRefusal(access);
  events.notice('error', wasActive ? `${text} ${l10n.t('What was running here was stopped.')}` : text, more);
  questions.cancelAll();
  await control.stop(ports.mode === 'tui' ? 'person' : 'program');
}
