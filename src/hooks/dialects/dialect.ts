import type { DialectId } from '../hook';

/** What a hook did or says, beyond its dialect; observed while its factory ran and in its text (reference section 18). */
export interface HookFeatures {
  /** Names of events, with handlers registered so far. */
  readonly events: ReadonlySet<string>;
  /** Methods of `pi` called so far. */
  readonly methods: ReadonlySet<string>;
  /** The text speaks of `before_new`/`new`, of `before_clear`/`clear`, or of both or neither (C2). */
  readonly newSessionWord: 'new' | 'clear' | undefined;
  /** The text reads `message` or `entryIndex` from the elements of `context` messages (C15). */
  readonly readsContextMessages: boolean;
}

/**
 * All that the same name means differently in one of the five documents. A member that every dialect answers alike
 * does not belong here; the runtime asks these members and never for the `id`.
 */
export interface Dialect {
  readonly id: DialectId;
  /** What a cancelled dialog and a missing model are (C10). */
  readonly none: null | undefined;
  /** Reason of a block that gives none (edge 2). */
  readonly blockedText: string;
  /** Stands before what was thrown when that is no `Error` (edge 1). */
  readonly failedPrefix: string;
  /** Whether `hookTimeout` holds for handlers of such events; `long`: they may ask a model (C19). */
  timed(timeout: 'default' | 'long'): boolean;
  /** Whether all messages of `before_agent_start` count, or only the first among the files of such dialects (C16). */
  readonly injects: 'all' | 'first';
  /** Role under which messages of hooks are seen (C20). */
  readonly customRole: 'custom' | 'hookMessage';
  /** Whether `tool_call` gets the very object that the tool will get (C24). */
  readonly sharesToolInput: boolean;
  /** Text thrown by an action of `pi` before the first start; undefined: the call does nothing (C28). */
  notStarted(method: string): string | undefined;
  /** Word for a new session in reasons, when the text does not tell (C2). */
  readonly newSessionWord: 'new' | 'clear';
  /** Whether `session_start` is also told after a switch, fork or new session (C32, D21). */
  readonly startsOnSwitch: boolean;
  /** `context` messages plain, or wrapped as `{ message, entryIndex }` (C15). */
  readonly contextForm: 'messages' | 'wrapped';
  /** Whether `sendMessage` without second argument starts a turn (C14, D8). */
  turnByDefault(features: HookFeatures, display: boolean): boolean;
  /** Whether `tool_result` may change failed results and flip `isError` (C17, C18). */
  readonly changesFailures: boolean;
  /** Whether `{ result: string }` is an answer to `tool_result` (C34). */
  readonly answersResultText: boolean;
  /** Last resort for a command handler with one parameter of an unknown name (C12). */
  readonly loneParameter: 'ctx' | 'args';
  /** Last resort for the third parameter of a `custom` factory (C11). */
  readonly thirdParameter: 'done' | 'keybindings';
}
