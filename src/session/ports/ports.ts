import type { Api, Model } from '@mariozechner/pi-ai';
import type { Event } from '../../base/event';
import type { Log } from '../../base/log';
import type { ChangeTracker } from '../../agent/changes/tracker';
import type { AuthStorageView } from '../../agent/models/keys/auth-storage-view';
import type { KeyAdvice } from '../../agent/models/keys/missing-key';
import type { StreamFn } from '../../agent/run/loop';
import type { Message } from '../../agent/messages';
import type { ListedFrom } from '../../agent/models/registry';
import type { Route, RouteQuestion } from '../../agent/models/virtual-models';
import type { PromptOptions, PromptTools } from '../../agent/prompt/system-prompt';
import type { ThinkingLevel } from '../../agent/thinking-levels';
import type { FolderVariables } from '../../agent/tools/shell/process';
import type { AnyTool } from '../../agent/tools/tool';
import type { ApprovalPort } from './approval-port';
import type { ContextSource } from '../attachments/context-source';
import type { SubmittedCommand } from './slash-command';
import type { DialogQueue } from './dialogs';
import type { HookUIContext } from '../../hook-contract/ui/ui';
import type { ConversationMode } from '../../hook-contract/conversation-port';
import type { HookHost } from '../../hook-run/host/host';
import type { McpPort } from '../../mcp/mcp-port';
import type { SettingsSource } from '../../startup/live-settings';
import type { ResourceSource } from '../../startup/resources';

/** The models a conversation can choose from; the model registry answers it. */
export interface ModelSource {
  find(provider: string, id: string): Model<Api> | undefined;
  getAll(): readonly Model<Api>[];
  getAvailable(): readonly Model<Api>[];
  getApiKey(model: Model<Api>): Promise<string | undefined>;
  /** True when requests to this model can be tried: a key is known, or none is needed. */
  hasKey(model: Model<Api>): Promise<boolean>;
  /** See `ModelRegistry.route`. */
  route(model: Model<Api>, messages: readonly Message[], question: RouteQuestion): Promise<Route>;
  /** The name of a provider for people. */
  getProviderDisplayName(provider: string): string;
  /** How people set keys here. */
  readonly keyAdvice: KeyAdvice;
  /** Logins. */
  readonly authStorage: Pick<AuthStorageView, 'getOAuthProviders' | 'list' | 'get'>;
  /** See `ModelRegistry.addUnlisted`. */
  addUnlisted(provider: string, id: string): Model<Api> | undefined;
  /** See `ModelRegistry.askOffered`. */
  askOffered(provider: string, signal?: AbortSignal): Promise<{ readonly all: number; readonly added: number }>;
  /** See `ModelRegistry.updateCatalog`. */
  updateCatalog(signal?: AbortSignal): Promise<void>;
  /** See `ModelRegistry.listedAt`. */
  readonly listedAt: number | undefined;
  /** See `ModelRegistry.listedFrom`. */
  listedFrom(provider: string): ListedFrom | undefined;
  /** Models came, went or changed while the window is open. */
  readonly onDidChange: Event<undefined>;
}

/** A tool of the surroundings that is not offered to the agent unless a user wants it. */
export interface OptionalTool {
  readonly tool: AnyTool;
  /** The user wants it in every conversation; each may decide otherwise. */
  readonly byDefault: boolean;
}

/** What a conversation may know of the others in its window. */
export interface Neighbours {
  /** What a user calls this conversation, when there is more than one. */
  nameAmongOthers(): string | undefined;
  /** Shows the other conversation that has this session file open; resolves false when none has. */
  showFile(file: string): Promise<boolean>;
}

/** A session whose own folder is not there any more. */
export interface MissingFolder {
  /** The session's file, absolute. */
  readonly file: string;
  /** The folder that no longer exists. */
  readonly folder: string;
  /** The folder that is worked in. */
  readonly here: string;
}

/** How such a session goes on: as it is, in the folder that is worked in, or as a new session of that folder. */
export type GoOn = 'here' | 'fork';

/** What a conversation needs of its surroundings. */
export interface ConversationPorts {
  /** Absolute path of the workspace folder. */
  readonly cwd: string;
  /** For commands that the user runs. */
  readonly variables?: FolderVariables;
  /** Folder of this workspace's session files, absolute. */
  readonly sessionDir: string;
  readonly hooks: HookHost;
  /**
   * Whether hooks get `session_start` also at a switch, and not only at the start and after a reload; true when absent.
   */
  readonly startsOnSwitch?: () => boolean;
  readonly models: ModelSource;
  /** What the first session begins with where it says nothing itself, in place of the settings' model and level. */
  readonly start?: { readonly model?: Model<Api>; readonly thinkingLevel?: ThinkingLevel };
  readonly stream: StreamFn;
  readonly settings: SettingsSource;
  /** Reads settings and instruction files again, for a reload by the user; absent where changes are watched. */
  readonly readAgain?: () => Promise<void>;
  readonly builtInTools: readonly AnyTool[];
  /** False for a tool that is not allowed here, also if a hook registers it. Absent: all are allowed. */
  readonly allowsTool?: (name: string) => boolean;
  /** MCP servers; none when absent. */
  readonly mcp?: McpPort;
  /** Modes of approval; absent: the built-in gate lets all calls pass and is not heard of. */
  readonly approvals?: ApprovalPort;
  /** Tools of the surroundings, as they are now: the editor's, for instance. None when absent. */
  readonly optionalTools?: () => readonly OptionalTool[];
  /** Remembers what files said before tools changed them; absent: nothing is kept. */
  readonly changes?: ChangeTracker;
  /** Prompt templates, skills and stream rules. */
  readonly resources: ResourceSource;
  /** What the system prompt is made from, with these tools; asked for each turn, and never changed. */
  readonly promptOptions: (tools: PromptTools) => PromptOptions;
  /** What of the editor can be put into a message; nothing when absent. */
  readonly context?: ContextSource;
  readonly dialogs: DialogQueue;
  readonly mode: ConversationMode;
  /** What hooks get as `ctx.ui`; `ask` asks through {@link dialogs}. Absent where there is nobody to ask. */
  readonly hookUi?: (ask: HookUIContext['ask']) => HookUIContext;
  /** Runs a command that the user typed and only the view has; undefined when it has none of that name. */
  readonly runCommand?: (command: SubmittedCommand) => Promise<void> | undefined;
  /** Resolves when the view is ready for the transcript of another session; absent where there is no view. */
  readonly prepareView?: () => Promise<void>;
  /**
   * Asks how to continue a session whose folder no longer exists; undefined if the user cancels. Absent: no user can be
   * asked.
   */
  readonly askMissingFolder?: ((missing: MissingFolder) => Promise<GoOn | undefined>) | undefined;
  readonly log: Log;
  /** A hook asks for the end; `conversation` is the id of the one that it was asked in. */
  readonly shutdown: (conversation: string) => void;
  /** The view wants the events `command_output` and `command_end`; false when absent. */
  readonly followsCommands?: boolean;
  /** The view shows the todo list, so the agent has one if the settings say nothing; false when absent. */
  readonly showsTodos?: boolean;
  /** The view shows running commands, and a user of it can let one run on; false when absent. */
  readonly keepsCommands?: boolean;
  /** Absent where there is but one conversation. */
  readonly neighbours?: Neighbours;
  /**
   * Settles when the client that follows the conversation has read all output so far, so that a slow reader
   * holds up the run instead of filling the memory; undefined when that is so already.
   */
  readonly whenDrained?: () => Promise<void> | undefined;
  /** How long a step waits for hooks that do not answer, in ms; 5000 when absent. */
  readonly hookWaitMs?: number;
}
