import type { Disposable } from '../base/disposable';
import type { Event } from '../base/event';
import type { AnyTool } from '../agent/tools/tool';
import type { CommandCompletion } from '../hooks/api/commands';
import type { HookConversation } from '../hooks/conversation-port';
import type { HookEvent, HookEventType, HookResult } from '../hooks/events/hook-event';
import type { HookCommandInfo, HookInfo } from '../hooks/hook';
import type { DispatchRecord, HookError } from '../hooks/dispatch/record';
import type { MessageRenderer, ToolRenderers } from '../hooks/api/ui/renderers';

/** What a conversation needs of the window's hooks; `HookHost` answers it. */
export interface HookRuntime {
  /** Sends one lifecycle step to all hooks and merges their answers; never rejects for what a hook does. Without a signal
   * of its own, a step that a run cannot go on without is given up when the run is stopped. */
  emit<E extends HookEvent>(
    event: E,
    conversation: HookConversation,
    options?: {
      /** When it fires, handlers still busy are given up shortly after, and their answers dropped. */
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<HookResult<E['type']>>;
  hasHandlers(type: HookEventType): boolean;
  /** Wraps tools so that hooks see each call and result. */
  wrapTools(tools: readonly AnyTool[], conversation: HookConversation): readonly AnyTool[];
  /** Tools that hooks registered. */
  tools(conversation: HookConversation): readonly AnyTool[];
  readonly commands: readonly HookCommandInfo[];
  /** What a hook proposes as arguments of its command for what was typed of them; never rejects. */
  completeArguments(name: string, typed: string): Promise<readonly CommandCompletion[]>;
  /** Runs a command of a hook; resolves false when none has that name. Errors of the handler are reported as data. */
  runCommand(name: string, args: string, conversation: HookConversation): Promise<boolean>;
  infos(): readonly HookInfo[];
  /** The set of hooks, or what they registered, changed. */
  readonly onDidChange: Event<void>;
  readonly onDidDispatch: Event<DispatchRecord>;
  /** Failures of hook code, each told once. */
  readonly onError: Event<HookError>;
  /** Loads all hooks anew. */
  reload(): Promise<void>;
  /** Hooks may speak to the conversation until the result is disposed. */
  attach(conversation: HookConversation): Disposable;
  /** Late calls of hooks that belong to no conversation go here. */
  setActive(conversation: HookConversation): void;
  /** How a hook draws its messages of one kind; undefined: none does. */
  messageRenderer(customType: string): MessageRenderer | undefined;
  /** How a hook draws calls of its tool; undefined: none offers the tool. */
  toolRenderers(toolName: string): ToolRenderers | undefined;
  /** Keys that hooks registered shortcuts for, as written there. */
  readonly shortcuts: readonly string[];
  /** Resolves false when no hook has the key. */
  runShortcut(key: string, conversation: HookConversation): Promise<boolean>;
  /** Colours for everything that hooks draw from now on; unknown names are ignored. */
  useTheme(name: string, colors: Readonly<Record<string, string>>): void;
  /** Asks hooks, before there is a conversation, where session files shall lie; undefined leaves it as it is. */
  sessionDirectory(cwd: string): Promise<string | undefined>;
  /** Tells hooks, once, that the conversation ends. */
  farewell(conversation: HookConversation): Promise<void>;
}
