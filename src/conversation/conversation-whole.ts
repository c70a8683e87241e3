import type { ImageContent } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../agent/messages';
import type { HookConversation } from '../hooks/conversation-port';
import type { AnyTool } from '../agent/tools/tool';
import type { TextFile } from '../protocol/composer';
import type { ComposerState } from './composer/composer-state';
import type { SessionEvent } from './session/session-events';
import type { BuiltInActions } from './run/slash-commands';

/** What the parts of a conversation ask of the whole. */
export interface ConversationWhole {
  /** The conversation as hooks see it. */
  readonly bridge: HookConversation;
  readonly draft: { get(): string; set(text: string): void };
  readonly composer: ComposerState;
  readonly builtIns: BuiltInActions;
  systemPrompt(): string;
  submit(text: string): Promise<void>;
  stop(): Promise<void>;
  runBash(command: string, hidden: boolean): Promise<void>;
  /** Resolves when no outcome of a command is on its way to the session any more, or does not come in time. */
  recorded(): Promise<void>;
  /** Writes a message to the session; failures are shown, never thrown. */
  persist(message: AgentMessage, place?: 'aside'): void;
  /** A tool begins, after all hooks let it pass. */
  noteRun(tool: AnyTool, toolCallId: string, params: unknown): Promise<() => Promise<void>>;
  /** Puts a text in front of what stands in the composer. */
  giveBack(text: string, images?: readonly ImageContent[], files?: readonly TextFile[]): void;
  /** Puts a text where the composer's caret stands. */
  insert(text: string): void;
  /** Model, level and drawing follow the session. */
  follow(): Promise<void>;
  redraw(): void;
  fireStatus(): void;
  announce(event: SessionEvent): void;
}
