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

/** Proof of life: one handler ran once. Kept in a bounded ring and told to subscribers as it happens. */
export interface DispatchRecord {
  /** Counts up by one per record of this host. */
  readonly seq: number;
  readonly conversation: string;
  readonly hookPath: string;
  /** Canonical event. */
  readonly event: string;
  /** Name under which the hook registered the handler. */
  readonly registeredAs: string;
  /** 1-based position of the `on` call in the TypeScript source, when known. */
  readonly line?: number;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** ms since the epoch */
  readonly startedAt: number;
  /** ms, time in dialogs included */
  readonly durationMs: number;
  /** ms of it spent waiting for the user */
  readonly askedMs: number;
  readonly outcome: DispatchOutcome;
  /** What the handler got and gave back: live objects, valid only while the subscriber runs. */
  readonly payload: unknown;
  readonly returned: unknown;
}

/** A failure of hook code, told with its place (reference section 16). */
export interface HookError {
  readonly hookPath: string;
  readonly event: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}
