import type { HookRuntime } from '../conversation/hook-runtime';
import type { ChatController } from '../conversation/controller';
import type { Conversations } from '../conversation/conversations';
import type { ModelSource } from '../conversation/ports';
import type { ChatView } from './chat-view';
import type { Surface } from './surface';

/** Everything of a window that is alive: conversations, hooks, and what connects them to VS Code. */
export interface HooklineWindow {
  readonly conversations: Conversations;
  readonly controller: ChatController;
  readonly hooks: HookRuntime;
  readonly models: ModelSource;
  dispose(): Promise<void>;
}

/** Starts conversations and hooks of this window. */
export function openWindow(_surface: Surface, _view: ChatView): Promise<HooklineWindow> {
  return Promise.reject(new Error('Conversations and hooks are not connected yet.'));
}
