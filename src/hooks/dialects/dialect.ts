import type { CallOrder } from '../../agent/tool-calls';
import type { BusyUntil } from '../conversation-port';
import type { DialectId } from '../hook';

/** What a hook did or says, beyond its dialect; observed while its factory ran and in its text. */
export interface HookFeatures {
  /** Names of events, with handlers registered so far. */
  readonly events: ReadonlySet<string>;
  /** Methods of `pi` called so far. */
  readonly methods: ReadonlySet<string>;
  /** The text mentions `before_new`/`new`, of `before_clear`/`clear`, or of both or neither (docs/dialects.md, C2). */
  readonly newSessionWord: 'new' | 'clear' | undefined;
  /** The file knows `getAllTools` as giving names: pi 0.33 to 0.43 and oh-my-pi (docs/dialects.md, C41). */
  readonly listsToolNames: boolean;
  /** The text reads `message` or `entryIndex` from the elements of `context` messages (docs/dialects.md, C15). */
  readonly readsContextMessages: boolean;
}

/**
 * All that the same name means differently in one of the descriptions. A member that every dialect answers alike
 * does not belong here; the runtime asks these members and never for the `id`.
 */
export interface Dialect {
  readonly id: DialectId;
  /** What a cancelled dialog and a missing model are (docs/dialects.md, C10). */
  readonly none: null | undefined;
  /** Reason of a block that gives none. */
  readonly blockedText: string;
  /** Stands before what was thrown when that is no `Error`. */
  readonly failedPrefix: string;
  /** Whether `hookTimeout` holds for handlers of such events; `long`: they may ask a model (docs/dialects.md, C19). */
  timed(timeout: 'default' | 'long'): boolean;
  /**
   * Whether all messages of `before_agent_start` count, or only the first among the files of such dialects
   * (docs/dialects.md, C16).
   */
  readonly injects: 'all' | 'first';
  /** Role under which messages of hooks are seen (docs/dialects.md, C20). */
  readonly customRole: 'custom' | 'hookMessage';
  /** Whether `tool_call` gets the very object that the tool will get (docs/dialects.md, C24). */
  readonly sharesToolInput: boolean;
  /** Whether the arguments of `edit` are one edit's two texts, or a list of edits (docs/dialects.md, C38).*/
  readonly editInput: 'pair' | 'list';
  /**
   * Text thrown by an action of `pi` before the first start; undefined: the call does nothing (docs/dialects.md, C28).
   */
  notStarted(method: string): string | undefined;
  /** Word for a new session in reasons, when the text does not tell (docs/dialects.md, C2). */
  readonly newSessionWord: 'new' | 'clear';
  /** Whether `session_start` is also told after a switch, fork or new session (docs/dialects.md, C32, D21). */
  readonly startsOnSwitch: boolean;
  /**
   * Whether the end of a session is an end for the file: `session_shutdown` tells it, and a `ctx` handed out before throws
   * from then on (docs/dialects.md, P6, P7).
   */
  readonly endsWithSession: boolean;
  /** Whether `navigateTree` and `reload` reject while something goes on (docs/dialects.md, P8). */
  readonly waitsForIdle: boolean;
  /** Whether `exec` tells that a command was ended because it printed too much. */
  readonly tellsTruncated: boolean;
  /** Whether a flag's default must be of its kind, and be all that is known of it while the factory runs (docs/dialects.md, P9). */
  readonly strictFlags: boolean;
  /** What ends a run for `isIdle` and for messages that join it: `agent_end`, or `agent_settled` (docs/dialects.md, P15). */
  readonly busyUntil: BusyUntil;
  /**
   * Whether system messages, `usage` and `context_edit` entries, and what summaries hold of these, are told
   * (docs/dialects.md, C40).
   */
  readonly tellsPromptEntries: boolean;
  /** Whether calls that tools make are marked as such; all files get events about them (docs/dialects.md, C42). */
  readonly tellsNestedCalls: boolean;
  /** `context` messages plain, or wrapped as `{ message, entryIndex }` (docs/dialects.md, C15). */
  readonly contextForm: 'messages' | 'wrapped';
  /** Whether `sendMessage` without second argument starts a turn (docs/dialects.md, C14, D8). */
  turnByDefault(features: HookFeatures, display: boolean): boolean;
  /** Whether `tool_result` may change failed results and flip `isError` (docs/dialects.md, C17, C18). */
  readonly changesFailures: boolean;
  /** Whether it is asked about a compaction that has nothing to summarize (docs/dialects.md, P4). */
  readonly compactsNothing: boolean;
  /**
   * Whether its answers to `turn_end` add entries and requests, for which the run waits as long as they take
   * (docs/dialects.md, P10).
   */
  readonly decidesTurns: boolean;
  /** How calls of one answer run while a file handles `tool_call` or `tool_result` (docs/dialects.md, C39). */
  readonly callOrder: CallOrder;
  /** Whether a tool that threw has no details, or empty ones (pi since 0.58). */
  readonly failureDetails: 'none' | 'empty';
  /** Whether `{ result: string }` is an answer to `tool_result` (docs/dialects.md, C34). */
  readonly answersResultText: boolean;
  /** Whether `ctx.signal` of a command is the command's own, or that of the run as in events. */
  readonly commandSignal: 'command' | 'run';
  /** Last resort for a command handler with one parameter of an unknown name (docs/dialects.md, C12). */
  readonly loneParameter: 'ctx' | 'args';
  /** Whether keys and headers of a provider may be the bare name of a variable (docs/dialects.md, C37). */
  readonly namesKeysBare: boolean;
  /** Whether a provider's stream serves all models of its `api`, or the provider's own alone (docs/dialects.md, P20). */
  readonly sharesApi: boolean;
  /** Last resort for the third parameter of a `custom` factory (docs/dialects.md, C11). */
  readonly thirdParameter: 'done' | 'keybindings';
}
