import type { CallOrder } from '../agent/run/tool-calls';
import type { BusyUntil } from './conversation-port';
import type { DialectId } from './dialect-id';

/** Features of a hook beyond its dialect, found while its factory ran and in its text. */
export interface HookFeatures {
  /** Names of events for which the hook has registered handlers so far. */
  readonly events: ReadonlySet<string>;
  /** Methods of `pi` called so far. */
  readonly methods: ReadonlySet<string>;
  /** Whether the text uses `new` or `clear` for a new session; undefined for both or neither (docs/dialects.md, C2). */
  readonly newSessionWord: 'new' | 'clear' | undefined;
  /** The file expects names from `getAllTools`, as in pi 0.33 to 0.43 and oh-my-pi (docs/dialects.md, C41). */
  readonly listsToolNames: boolean;
  /** The text reads `message` or `entryIndex` from the elements of `context` messages (docs/dialects.md, C15). */
  readonly readsContextMessages: boolean;
  /** The text calls `getSystemPrompt`. */
  readonly readsSystemPrompt: boolean;
}

/**
 * The differences between the descriptions of the hook system. A member whose value is the same in every dialect does
 * not belong here. The runtime decides by these members and never by the `id`.
 */
export interface Dialect {
  readonly id: DialectId;
  /** The value for a cancelled dialog and a missing model (docs/dialects.md, C10). */
  readonly none: null | undefined;
  /** The reason of a block if the hook gives none. */
  readonly blockedText: string;
  /** The text before a thrown value that is not an `Error`. */
  readonly failedPrefix: string;
  /** Whether `hookTimeout` limits handlers of such events; `long`: they may call a model (docs/dialects.md, C19). */
  timed(timeout: 'default' | 'long'): boolean;
  /**
   * Whether all messages that hooks return for `before_agent_start` count, or only the first one from files of such
   * dialects (docs/dialects.md, C16).
   */
  readonly injects: 'all' | 'first';
  /** The role that messages of hooks have (docs/dialects.md, C20). */
  readonly customRole: 'custom' | 'hookMessage';
  /** Whether `tool_call` gets the same input object that the tool will get (docs/dialects.md, C24). */
  readonly sharesToolInput: boolean;
  /** Whether the arguments of `edit` are the two texts of one edit, or a list of edits (docs/dialects.md, C38). */
  readonly editInput: 'pair' | 'list';
  /**
   * The text that an action of `pi` throws before the first start; undefined if the call then does nothing
   * (docs/dialects.md, C28).
   */
  notStarted(method: string): string | undefined;
  /** The word for a new session in reasons, if the text does not show it (docs/dialects.md, C2). */
  readonly newSessionWord: 'new' | 'clear';
  /** Whether `session_start` also occurs after a switch, fork or new session (docs/dialects.md, C32, D21). */
  readonly startsOnSwitch: boolean;
  /**
   * Whether the file gets `session_shutdown` when another session replaces its session, and an older `ctx` throws from
   * then on (docs/dialects.md, P6, P7).
   */
  readonly endsWithSession: boolean;
  /** Whether `navigateTree` and `reload` reject while the agent is busy (docs/dialects.md, P8). */
  readonly waitsForIdle: boolean;
  /** Whether the result of `exec` says, also without `maxBuffer`, that a command was ended because it printed too much. */
  readonly exposesTruncated: boolean;
  /**
   * Whether a flag's default must have the type of the flag, and is the flag's value while the factory runs
   * (docs/dialects.md, P9).
   */
  readonly strictFlags: boolean;
  /** Whether a run ends at `agent_end` or `agent_settled`, for `isIdle` and queued messages (docs/dialects.md, P15). */
  readonly busyUntil: BusyUntil;
  /**
   * Whether the file gets system messages, `usage` and `context_edit` entries, and what summaries contain of these
   * (docs/dialects.md, C40).
   */
  readonly exposesPromptEntries: boolean;
  /** Whether events about calls of tools have the id of the outer call; all files get them (docs/dialects.md, C42). */
  readonly exposesNestedCalls: boolean;
  /** Whether `context` messages are plain, or wrapped as `{ message, entryIndex }` (docs/dialects.md, C15). */
  readonly contextForm: 'messages' | 'wrapped';
  /**
   * Whether what a `context` handler changes in `messages` counts, or only the messages that it returns
   * (docs/dialects.md, C43).
   */
  readonly contextChanges: 'inPlace' | 'returned';
  /** Whether the system prompt of its time says the date and the folder in sentences, or in tags (docs/dialects.md, C44). */
  readonly promptPlace: 'words' | 'tags';
  /** Whether `sendMessage` without second argument starts a turn (docs/dialects.md, C14, D8). */
  turnByDefault(features: HookFeatures, display: boolean): boolean;
  /** Whether `tool_result` may change failed results and flip `isError` (docs/dialects.md, C17, C18). */
  readonly changesFailures: boolean;
  /** Whether the file gets the event before a compaction that has nothing to summarize (docs/dialects.md, P4). */
  readonly compactsNothing: boolean;
  /**
   * Whether answers to `turn_end` can add entries and continue the run; the run then waits for them without a time
   * limit (docs/dialects.md, P10).
   */
  readonly decidesTurns: boolean;
  /** How the calls of one answer run if a file handles `tool_call` or `tool_result` (docs/dialects.md, C39). */
  readonly callOrder: CallOrder;
  /** Whether the result of a tool that threw has no details, or empty ones (pi since 0.58). */
  readonly failureDetails: 'none' | 'empty';
  /** Whether `{ result: string }` is a valid answer to `tool_result` (docs/dialects.md, C34). */
  readonly answersResultText: boolean;
  /** Whether `ctx.signal` of a command is the command's own signal, or the signal of the run, as in events. */
  readonly commandSignal: 'command' | 'run';
  /** What the only parameter of a command handler means if its name does not show it (docs/dialects.md, C12). */
  readonly onlyParameter: 'ctx' | 'args';
  /** Whether keys and headers of a provider may be the bare name of a variable (docs/dialects.md, C37). */
  readonly namesKeysBare: boolean;
  /** Whether a provider's stream serves all models of its `api`, or only its own models (docs/dialects.md, P20). */
  readonly sharesApi: boolean;
  /** What the third parameter of a `custom` factory means if its name does not show it (docs/dialects.md, C11). */
  readonly thirdParameter: 'done' | 'keybindings';
}
