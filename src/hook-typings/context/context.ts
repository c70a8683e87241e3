import type { Api, Model } from '@mariozechner/pi-ai';
import type { RawEntry, ViewEntry } from '../session/entries';
import type { BuildSystemPromptOptions, CompactionResult } from '../session/event-parts';
import type { ContentPart, CustomMessageDraft } from '../session/messages';
import type { ModelRegistry, ReadonlySessionManager, SessionManager } from '../session/session-manager';
import type { ExtensionUIContext, HookUIContext } from '../ui/ui';

/** How much the model may think. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What a command that was run left. */
export interface ExecResult {
  stdout: string;
  stderr: string;
  /** 1 when the command could not be started; never 0 when `killed`. */
  code: number;
  /** Ended by timeout, abort, too much output or a signal. */
  killed: boolean;
  /** It printed more than `maxBuffer` and was ended for it. pi alone. */
  truncated?: boolean;
}

/** Options of `exec`. */
export interface ExecOptions {
  signal?: AbortSignal;
  /** **Milliseconds.** */
  timeout?: number;
  /** The workspace folder when absent. */
  cwd?: string;
  /** Bytes of both streams together after which the program is ended; 256 MiB when absent. pi. */
  maxBuffer?: number;
}

/** Runs a program without a shell; never rejects. */
export type Exec = (command: string, args: readonly string[], options?: ExecOptions) => Promise<ExecResult>;

/** Tokens in the context; `null` right after a compaction, until the next answer. */
export interface ContextUsage {
  tokens: number | null;
  contextWindow: number;
  percent: number | null;
}

/** Second argument of `pi.sendMessage`. */
export interface SendMessageOptions {
  /** Start a run if the agent is idle. */
  triggerTurn?: boolean;
  /**
   * While the agent works: `steer` (the default) interrupts it after the current tool, `followUp` waits until it is
   * done, `nextTurn` waits for the user's next prompt.
   */
  deliverAs?: 'steer' | 'followUp' | 'nextTurn';
}

/** Second argument of `pi.sendUserMessage`. */
export interface SendUserMessageOptions {
  /** How a text comes that is sent while the agent works; it is refused then without. */
  deliverAs?: 'steer' | 'followUp';
  /** Commands of hooks, skills and templates count in it; off when absent. */
  expandPromptTemplates?: boolean;
}

/** Outcome of `newSession` and its kin. */
export interface SessionOutcome {
  /** A hook or the user declined. */
  cancelled: boolean;
}

/** A coding agent other than Hookline's own, whose session a hook guards (`hookline guard`). */
export interface OtherAgent {
  /** Its name in the commands of `hookline guard`, such as `claude`. */
  readonly name: string;
  /** Absent where the agent does not say it. */
  readonly version?: string;
  /** The agent's own id of its session. */
  readonly sessionId: string;
  /** The subagent that the event is about; absent for the agent itself. */
  readonly subagent?: { readonly id: string; readonly type?: string };
  /** Whether a person sits at the agent; absent where it does not say. */
  readonly isAttended?: boolean;
}

/** The members of `ctx` that all dialects have. */
export interface CommonContext {
  /** The agent of others whose session this is; `undefined` in sessions of Hookline's own agent. Hookline alone. */
  readonly agent: OtherAgent | undefined;
  /** What shows the conversation: `tui` in VS Code's panel, else the mode of the command line. pi. */
  readonly mode: 'tui' | 'rpc' | 'json' | 'print';
  /** Models that `enabledModels` or `--models` name, each with its level if one is given; empty: all of them. pi. */
  readonly scopedModels: readonly { readonly model: Model<Api>; readonly thinkingLevel?: ThinkingLevel }[];
  /** How much the model thinks now. v2, pi. */
  readonly thinkingLevel: ThinkingLevel;
  /** Fires when the running agent run is stopped; `undefined` when idle. Pass it to what may take long. pi. */
  readonly signal: AbortSignal | undefined;
  /** Whether a user can answer dialogs. Ask in the handler, not while loading: it may change. */
  readonly hasUI: boolean;
  /** Absolute path of the workspace folder. */
  readonly cwd: string;
  /** Reads the session. tree, omp, ext. */
  readonly sessionManager: ReadonlySessionManager;
  /** Models and their keys. tree, omp, ext. */
  readonly modelRegistry: ModelRegistry;
  /** Whether no run is going on. omp, ext. */
  isIdle(): boolean;
  /** Stops the run. omp, ext. */
  abort(): void;
}

/** `ctx` of handlers in v1, v2 and tree. One is made for every call; keep `pi`, not `ctx`. */
export interface HookContext extends CommonContext {
  readonly ui: HookUIContext;
  /** The model in use; `null` in v1, v2 and tree, `undefined` in omp and ext, when there is none. */
  readonly model: Model<Api> | null | undefined;
  /** Runs a program without a shell in the workspace folder; never rejects. v1, v2, tree (there also `pi.exec`). */
  readonly exec: Exec;
  /** File of the session; `null` when it is not saved. v1, v2, tree. */
  readonly sessionFile: string | null;
  /** The header at index 0, then the entries of the current path, raw ones included. v2. */
  readonly entries: readonly (ViewEntry | RawEntry)[];
  /** `null` when there is no such model. v2. */
  findModel(provider: string, modelId: string): Model<Api> | null;
  /** Models whose key is known. v2. */
  availableModels(): Promise<Model<Api>[]>;
  /** The key for a model. v2. */
  resolveApiKey(model: Model<Api>): Promise<string | undefined>;
  /** Stores an entry of your own type, which the model never sees. Prefix the type: `myhook_pop`. v2. */
  saveEntry(entry: { type: string; [member: string]: unknown }): Promise<void>;
  /** Builds the context again from the session. v2. */
  rebuildContext(): Promise<void>;
  /** Whether the user queued messages (pi 0.31, omp; `hasPendingMessages` in ext). */
  hasQueuedMessages(): boolean;
}

/** The name of {@link HookContext} in v1 and v2. */
export type HookEventContext = HookContext;

/** `ctx` of handlers in omp. */
export interface OmpHookContext extends CommonContext {
  readonly ui: HookUIContext<undefined>;
  /** The model in use. */
  readonly model: Model<Api> | undefined;
  /** Whether the user queued messages. */
  hasQueuedMessages(): boolean;
}

/** `ctx` of handlers and tools in ext. One is made for every call; timers may go on using theirs. */
export interface ExtensionContext extends CommonContext {
  readonly ui: ExtensionUIContext;
  /** The model in use. */
  readonly model: Model<Api> | undefined;
  /** Whether the user queued messages. */
  hasPendingMessages(): boolean;
  /** Closes the window's agent once it is idle. */
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  /** Summarizes the conversation; fire and forget. Stops the run that is going on. */
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: CompactionResult) => void;
    onError?: (error: Error) => void;
  }): void;
  /** The system prompt as it is now. */
  getSystemPrompt(): string;
  /** Whether the folder's own hooks, settings and resources count. */
  isProjectTrusted(): boolean;
}

/** What only commands may do: in an event handler it would wait for itself. */
export interface SessionCommands {
  /** Resolves once no run is going on. */
  waitForIdle(): Promise<void>;
  /**
   * Starts a new session; `setup` fills it before anybody sees it. This `ctx` belongs to the session before it: in pi hooks
   * it throws from then on, and `withSession` gets one for the new session.
   */
  newSession(options?: {
    parentSession?: string;
    setup?: (session: SessionManager) => void | Promise<void>;
    withSession?: WithSession;
  }): Promise<SessionOutcome>;
  /**
   * Starts a new session from the part before a message of the user, which goes to the input box, or with `at` from
   * everything up to an entry. ext; `branch` means the same.
   */
  fork(entryId: string, options?: { position?: 'before' | 'at'; withSession?: WithSession }): Promise<SessionOutcome>;
  /** Starts a new session from the part before a message of the user. tree, omp; `fork` means the same. */
  branch(entryId: string): Promise<SessionOutcome>;
  /**
   * Moves in the session tree. Rejects for an entry that does not exist, and without a model to summarize with. What goes on
   * is stopped for it; in pi hooks it rejects while a run, a compaction or another move goes on.
   */
  navigateTree(
    targetId: string,
    options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<SessionOutcome>;
  /** Opens another session file. ext. */
  switchSession(sessionFile: string, options?: { withSession?: WithSession }): Promise<SessionOutcome>;
  /** Loads all hooks and resources again. What acts after it still belongs to the load before: let the handler end. ext. */
  reload(): Promise<void>;
}

/** What is to be done in the session that takes the place of the one before. pi. */
export type WithSession = (ctx: ReplacedSessionContext) => void | Promise<void>;

/** What the user typed behind the command's name, in two forms that every command has. */
export interface CommandText {
  /** Everything after the one space, as typed. */
  readonly argsRaw: string;
  /** Split at spaces, outside of quotes. */
  readonly argv: readonly string[];
}

interface EarlyCommandContext extends HookContext, SessionCommands, CommandText {
  /** Closes with the command. v2. */
  readonly signal: AbortSignal | undefined;
  /** `false`: no key is known for the model. v2. */
  setModel(model: Model<Api>): Promise<boolean>;
  /** v2. */
  setThinkingLevel(level: ThinkingLevel): void;
}

/** `ctx` of commands in tree. */
export interface HookCommandContext extends EarlyCommandContext {
  /** Everything after the one space, as typed. */
  readonly args: string;
}

/** `ctx` of commands registered with v2's `pi.command`. */
export interface V2CommandContext extends EarlyCommandContext {
  /** Split at blanks, quotes respected; the text as typed is `argsRaw`. */
  readonly args: readonly string[];
}

/** `ctx` of commands in omp. */
export interface OmpHookCommandContext extends OmpHookContext, SessionCommands, CommandText {}

/** `ctx` of commands in ext. */
export interface ExtensionCommandContext extends ExtensionContext, SessionCommands, CommandText {
  /** What the system prompt is made from, before `before_agent_start` changes it for a run; a copy. */
  getSystemPromptOptions(): BuildSystemPromptOptions;
}

/** `ctx` for the session that took the place of another. Both resolve when what they led to is done. pi. */
export interface ReplacedSessionContext extends ExtensionCommandContext {
  sendMessage<T = unknown>(message: CustomMessageDraft<T>, options?: SendMessageOptions): Promise<void>;
  sendUserMessage(content: string | ContentPart[], options?: SendUserMessageOptions): Promise<void>;
}
