import type { OtherAgent } from '../hook-typings/context/context';
import type { ApprovalReason } from './approvals/approval-reason';
import type { DialogAnswer } from './ui/ui';

/** How one handler's part in a dispatch ended. */
export type DispatchOutcome =
  | { readonly type: 'nothing' }
  | { readonly type: 'returned'; readonly changed: readonly string[] }
  | { readonly type: 'blocked'; readonly reason: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'handled' }
  | { readonly type: 'ignored'; readonly why: string }
  | {
      readonly type: 'threw';
      readonly message: string;
      readonly line?: number;
      readonly column?: number;
      readonly stack?: string;
    }
  | { readonly type: 'late'; readonly timeoutMs: number };

/** The user was being asked: since when, ms since the epoch, and how long. */
export interface Wait {
  readonly at: number;
  readonly ms: number;
}

/** The record of one call of one handler. Sent to subscribers when the call ends. */
export interface DispatchRecord {
  /** Counts up by one per record of this host. */
  readonly seq: number;
  readonly conversation: string;
  /** The agent of others whose event it was; absent for Hookline's own. */
  readonly agent?: OtherAgent | undefined;
  readonly hookPath: string;
  /** Canonical event. */
  readonly event: string;
  /** Name under which the hook registered the handler; `command:<name>` for a slash command. */
  readonly registeredAs: string;
  /**
   * Index among the hook's handlers of that name, in order of registration. Name and index identify a handler after an edit.
   */
  readonly nth: number;
  /** Where the hook registered the handler; reading the place decodes a source map. */
  readonly registration: { readonly line: number | undefined };
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** ms since the epoch */
  readonly startedAt: number;
  /** ms, time in dialogs included */
  readonly durationMs: number;
  /** ms of it spent waiting for the user */
  readonly askedMs: number;
  /** When that was. */
  readonly waits?: readonly Wait[] | undefined;
  /** A dialog was opened where no user can answer it. */
  readonly askedInVain?: boolean;
  /** What the handler asked and was answered, in order of the answers; dropped with the payload. */
  readonly dialogs?: readonly DialogAnswer[] | undefined;
  /** There was no user interface for dialogs. */
  readonly noUi?: boolean;
  readonly outcome: DispatchOutcome;
  /** Why the built-in gate decided; absent for other hooks. */
  readonly approvalReason?: ApprovalReason | undefined;
  /** What the handler got and gave back: live objects, valid only while the subscriber runs. */
  readonly payload: unknown;
  readonly returned: unknown;
  /** For `tool_call`, whose handlers may change the input in place: the input as the handler got it, if it changed it. */
  readonly before?: unknown;
  /** For `tool_call`: the input for the tool after this handler; a live object like `payload`. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A member that a hook used in the session of another agent, where it can have no effect. */
export interface NoEffect {
  /** Absolute path of the hook's entry file. */
  readonly hookPath: string;
  /** As `ui.setWidget` or `registerTool`. */
  readonly member: string;
  /** Name of the agent, as users know it. */
  readonly agent: string;
}

/** A failure of hook code, with its place. */
export interface HookError {
  readonly hookPath: string;
  readonly event: string;
  readonly message: string;
  /** Absent: the code threw. `stopped`: the hook no longer runs, because its code did not end. */
  readonly kind?: 'late' | 'wrong-shape' | 'stopped';
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
  /** Id of the conversation whose event or call it was; absent when there was none. */
  readonly conversation?: string;
}
