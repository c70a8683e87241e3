import type { AutocompleteItem, Component, KeyId } from '@mariozechner/pi-tui';
import type { Api, Model, Provider } from '@mariozechner/pi-ai';
import type * as typebox from '@sinclair/typebox';
import type { TSchema as LegacySchema } from '@sinclair/typebox';
import type { Static, TSchema } from 'typebox';
import type * as zod from 'zod';
import type {
  Exec,
  ExtensionCommandContext,
  ExtensionContext,
  HookCommandContext,
  HookContext,
  OmpHookCommandContext,
  OmpHookContext,
  SendMessageOptions,
  SendUserMessageOptions,
  ThinkingLevel,
  V2CommandContext,
} from './context/context';
import type { Listening } from './events/listening';
import type {
  AgentMessage,
  Attachment,
  ContentPart,
  ContextElement,
  CustomMessage,
  CustomMessageDraft,
} from './session/messages';
import type { McpServerConfig, RegisteredMcpServer } from './registered/mcp';
import type { ProviderConfig } from './registered/provider';
import type { CustomEntry } from './session/entries';
import type { SourceInfo, ToolDefinition, ToolInfo, ToolRenderers } from './context/tool-definition';
import type { KeybindingHints, Theme } from './ui/ui';
import type { ExtensionVirtualModel } from './context/virtual-models';

/** Draws a message of your `customType`; return nothing for the default. */
export type MessageRenderer<T = unknown> = (
  message: CustomMessage<T>,
  options: { expanded: boolean; width: number; outputPad: number } & KeybindingHints,
  theme: Theme,
) => Component | null | undefined;
/** Draws an entry of yours (`pi.appendEntry`); return nothing to show nothing. pi. */
export type EntryRenderer<T = unknown> = (
  entry: CustomEntry<T>,
  options: { expanded: boolean } & KeybindingHints,
  theme: Theme,
) => Component | null | undefined;

/** Texts that a {@link MarkdownTransformer} may change for the eye. */
export type MarkdownMessageType = 'user' | 'assistant' | 'assistant-thinking' | 'custom' | 'summary' | 'changelog';

/** Gives a text as it is to be shown. What is sent, stored and copied stays as it is. pi. */
export type MarkdownTransformer = (
  markdown: string,
  context: {
    messageType: MarkdownMessageType;
    /** The text is still growing. */
    isStreaming: boolean;
    /** Width of the text in columns. */
    availableWidth: number;
    /** Id of the entry that the text comes from, when it is drawn from a session. */
    messageId?: string;
    timestamp?: string;
  },
) => string;

/** Says how calls of a tool are drawn; `next` gives what the files after this one, and then the tool, would use. pi. */
export type ToolRendererResolver = (
  toolName: string,
  next: () => ToolRenderers | undefined,
) => ToolRenderers | undefined;

/** The name in v1 to omp. */
export type HookMessageRenderer<T = unknown> = MessageRenderer<T>;

type Returned = unknown;

interface CommandBase {
  /** Shown in the list of commands. */
  description?: string;
  /** What could follow `prefix` behind the command's name. */
  getArgumentCompletions?: (prefix: string) => AutocompleteItem[] | null | Promise<AutocompleteItem[] | null>;
}

/** A slash command whose handler gets what was typed behind its name, and a `ctx`. */
export interface CommandOptions<Ctx> extends CommandBase {
  /** Runs at once, also while the agent works. */
  handler: (args: string, ctx: Ctx) => Returned;
}

/**
 * A slash command of a `HookAPI`: `handler(ctx)` as in tree, or `handler(args, ctx)` as since. A lone parameter named
 * `ctx` or `context` is the context; two parameters are always arguments and context.
 */
export interface HookCommandOptions extends CommandBase {
  handler: (argsOrCtx: string & HookCommandContext, ctx: HookCommandContext) => Returned;
}

/** A slash command of v2. */
export interface V2CommandOptions extends CommandBase {
  /** `{ status }` is shown to the user. */
  handler: (ctx: V2CommandContext) => Returned;
}

/** The bus between hooks. Subscriptions end with the load that made them. */
export interface EventBus {
  emit(channel: string, data: unknown): void;
  /** Gives a function that ends the subscription. A listener that throws is reported, the others go on. */
  on(channel: string, listener: (data: unknown) => void): () => void;
}

/** State and rendering: tree, omp, ext. */
interface Persisting {
  /** Stores state with the session. The model never sees it; find it again among `ctx.sessionManager.getEntries()`. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names it
  appendEntry<T = unknown>(customType: string, data?: T): void;
  /** Draws messages of your `customType`. */
  registerMessageRenderer<T = unknown>(customType: string, renderer: MessageRenderer<T>): void;
  /** Runs a program without a shell; never rejects. `timeout` is in milliseconds. */
  exec: Exec;
}

/** Shortcuts, flags, active tools: pi 0.31 and later, ext. */
interface Shared<Ctx> {
  /** A key for a command of yours, while the chat has focus. Of two hooks with one key the last loaded wins. */
  registerShortcut(shortcut: KeyId, options: { description?: string; handler: (ctx: Ctx) => Returned }): void;
  /** A flag: `--name` on the command line, `hookline.hooks.flags` in VS Code. */
  registerFlag(
    name: string,
    options: { description?: string } & ({ type: 'boolean'; default?: boolean } | { type: 'string'; default?: string }),
  ): void;
  /** Its value, or its default; undefined for flags of other hooks. In pi hooks, while loading, the default only. */
  getFlag(name: string): boolean | string | undefined;
  /** Names of the tools the model may use. */
  getActiveTools(): string[];
  /** Names alone for files that import from oh-my-pi, and for `HookAPI`: so it was in pi 0.33 to 0.43. */
  getAllTools(): ToolInfo[];
  /** Unknown names are ignored. */
  setActiveTools(names: readonly string[]): void;
  /** The bus between hooks. */
  readonly events: EventBus;
}

/** `pi` of v1, v2 and tree, and of pi 0.31 to 0.34: what `@mariozechner/pi-coding-agent/hooks` documents. */
export interface HookAPI extends Listening<HookContext, ContextElement>, Persisting, Shared<HookContext> {
  /**
   * Sends a text as a message of the user: starts a run when the agent is idle, waits for the next gap when it works.
   * v1.
   */
  send(text: string, attachments?: readonly Attachment[]): void;
  /**
   * Puts a message of your own into the conversation. The model sees it, the chat if `display`. tree.
   *
   * `true` starts a run when the agent is idle. Say so: without the argument only files that follow the description of tree
   * (they listen to `session`) start one.
   */
  sendMessage<T = unknown>(message: CustomMessageDraft<T>, options?: boolean | SendMessageOptions): void;
  /** A slash command. tree: `handler(ctx)` with `ctx.args`; since: `handler(args, ctx)`. */
  registerCommand(name: string, options: HookCommandOptions): void;
  /** A slash command of v2: `ctx.args` is a list, `{ status }` is shown. */
  command(name: string, options: V2CommandOptions): void;
}

/** `pi` of oh-my-pi's hooks. */
export interface OmpHookAPI extends Listening<OmpHookContext, AgentMessage>, Persisting {
  /** Puts a message of your own into the conversation. No run is started unless `triggerTurn`. Throws while loading. */
  sendMessage<T = unknown>(message: CustomMessageDraft<T>, options?: boolean | SendMessageOptions): void;
  /** A slash command. */
  registerCommand(name: string, options: CommandOptions<OmpHookCommandContext>): void;
  /** Writes to Hookline's log. */
  readonly logger: {
    readonly [L in 'debug' | 'info' | 'warn' | 'error']: (message: string, details?: unknown) => void;
  };
  /** The module `@sinclair/typebox`. */
  readonly typebox: typeof typebox;
  /** The module `zod`. Tools take its schemas as `parameters`. */
  readonly zod: typeof zod;
  /** The module `@oh-my-pi/pi-coding-agent`. */
  readonly pi: Readonly<Record<string, unknown>>;
}

/** A command as `pi.getCommands` lists it. */
export interface SlashCommandInfo {
  name: string;
  description?: string;
  source: 'extension' | 'prompt' | 'skill';
  location?: 'user' | 'project' | 'path';
  path?: string;
  /** Where it comes from. pi. */
  sourceInfo: SourceInfo;
}

/**
 * `pi` of extensions. Register at any time; what acts on a conversation throws until the factory is through.
 */
export interface ExtensionAPI extends Listening<ExtensionContext, AgentMessage>, Persisting, Shared<ExtensionContext> {
  /** Puts a message of your own into the conversation. No run is started unless `triggerTurn`. */
  sendMessage<T = unknown>(message: CustomMessageDraft<T>, options?: SendMessageOptions): void;
  /**
   * Sends a message as the user would, without commands being run; always starts a run. While the agent works
   * `deliverAs` is required.
   */
  sendUserMessage(content: string | ContentPart[], options?: SendUserMessageOptions): void;
  /** A slash command, with completions. The first loaded of one name wins, built-in ones always. */
  registerCommand(name: string, options: CommandOptions<ExtensionCommandContext>): void;
  /** A tool for the model. It is available from the next turn on. */
  registerTool<S extends LegacySchema, D = unknown>(tool: ToolDefinition<S, D, S['static']>): void;
  /** A tool for the model. It is available from the next turn on. */
  registerTool<S extends TSchema, D = unknown>(tool: ToolDefinition<S, D, NoInfer<Static<S>>>): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  /** Labels an entry; `undefined` removes the label. Throws when there is no such entry. */
  setLabel(entryId: string, label: string | undefined): void;
  /** Commands of hooks, prompts and skills; built-in ones are not listed. */
  getCommands(): SlashCommandInfo[];
  /** `false`: no key is known for the model. */
  setModel(model: Model<Api>): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;
  /** Adds models, or changes where those of a provider are reached. It goes with the load that added it. */
  registerProvider(name: string, config: ProviderConfig): void;
  /** Adds a whole provider of pi-ai, with keys, models and streams of its own. pi. */
  registerProvider(provider: Provider): void;
  unregisterProvider(name: string): void;
  /** Draws entries of your `customType`, which the model never sees. pi. */
  registerEntryRenderer<T = unknown>(customType: string, renderer: EntryRenderer<T>): void;
  /**
   * Changes how texts are shown: messages of the user, answers and thoughts, or what `messageTypes` says. One for each
   * file; keep it quick. pi.
   */
  registerMarkdownTransformer(
    transformer: MarkdownTransformer,
    options?: { messageTypes?: readonly MarkdownMessageType[] },
  ): void;
  /** Says how calls of any tool are drawn, whoever registered it. pi. */
  registerToolRenderer(resolver: ToolRendererResolver): void;
  /** Adds a model to choose that sends each request to another one. It goes with the load that added it. pi. */
  registerVirtualModel<State = unknown>(model: ExtensionVirtualModel<State>): void;
  unregisterVirtualModel(provider: string, id: string): void;
  /** A copy of the settings in force, as pi's settings files say them. pi. */
  getSettings(): Record<string, unknown>;
  /**
   * Adds an MCP server, which is connected beside those of `mcp.json`; one there of the same name counts more. Throws for a
   * configuration that cannot be used, and for the name of another hook's server. pi.
   */
  registerMcpServer(name: string, config: McpServerConfig): void;
  unregisterMcpServer(name: string): void;
  /** The MCP servers of all hooks. pi. */
  getMcpServers(): RegisteredMcpServer[];
}

/** Default export of a hook file. */
export type HookFactory = (pi: HookAPI) => void | Promise<void>;
/** Default export of an oh-my-pi hook file. */
export type OmpHookFactory = (pi: OmpHookAPI) => void | Promise<void>;
/** Default export of an extension. */
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;
