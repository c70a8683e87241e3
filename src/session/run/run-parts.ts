import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { CompactionFlow } from '../compaction/compaction-flow';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import type { SessionWriting } from './session-writing';
import type { HookEventQueue } from './hook-event-queue';
import type { StreamRules } from './stream-rules';
import type { TodoList } from './todo-list';
import type { Toolset } from './toolset';

/** What a run needs of its conversation. */
export interface RunParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly state: SessionState;
  readonly hookEvents: HookEventQueue;
  readonly toolset: Toolset;
  readonly writing: SessionWriting;
  readonly compaction: CompactionFlow;
  readonly events: SessionEvents;
  readonly rules: StreamRules;
  readonly todos: TodoList;
}

/** Tells the hooks that listen, in order and without waiting for them. */
export function queueForHooks(
  { ports, hookEvents, conversation }: Pick<RunParts, 'ports' | 'hookEvents' | 'conversation'>,
  event: HookEvent,
): void {
  const { runner } = ports.hooks;
  if (runner.hasHandlers(event.type)) hookEvents.enqueue(event.type, () => runner.emit(event, conversation));
}
