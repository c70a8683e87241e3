import type { SessionStore } from '../../agent/session/store';
import { DisposableStore } from '../../base/disposable';
import { Conversation } from '../../session/conversation';
import type { ConversationPorts } from '../../session/ports/ports';
import { emitWithTimeout } from '../../session/ports/wait-for-hooks';

/** The only conversation of a process. */
export interface StartedConversation {
  readonly conversation: Conversation;
  /** Ends the run, tells hooks, and closes the session file. */
  end(): Promise<void>;
}

/**
 * Opens the conversation that has all loaded hooks for itself. They get their start event here; `onOpen` is called before
 * that, so that its listeners hear of what they do then.
 */
export async function startConversation(
  ports: ConversationPorts,
  store: SessionStore,
  onOpen?: (conversation: Conversation) => void,
): Promise<StartedConversation> {
  const { hooks, resources } = ports;
  const owned = new DisposableStore();
  const conversation = new Conversation('chat-1', ports, store);
  const { forHooks, run } = conversation;
  owned.add(hooks.onError(error => conversation.reportHookError(error)));
  owned.add(hooks.attach(forHooks));
  await conversation.open();
  hooks.setActive(forHooks);
  onOpen?.(conversation);
  await emitWithTimeout({ type: 'session_start', reason: 'startup' }, conversation.hookWait);
  await resources.discover('startup', forHooks);
  const end = async (): Promise<void> => {
    await run.stop();
    await hooks.sessions.farewell(forHooks);
    await conversation.dispose();
    owned.dispose();
  };
  return { conversation, end };
}
