import type { Static, TSchema } from '@sinclair/typebox';

/** The answer to a request. */
export interface Answered {
  readonly result: object;
  /**
   * Is called right after the result was written: what it sends arrives after it. Is not called when the client is gone.
   * Must not throw.
   */
  readonly after?: () => void;
}

/** A method that the client requests. */
export interface RequestMethod {
  readonly params: TSchema;
  /** Gets params that fit. `signal` is aborted when the client cancels the request or is gone. May throw an `AcpError`. */
  handle(params: unknown, signal: AbortSignal): Answered | Promise<Answered>;
}

/** A method that the client only notifies of. Params that do not fit are ignored. */
export interface NotificationMethod {
  readonly params: TSchema;
  handle(params: unknown): void;
}

/** Methods by their names. */
export interface MethodTable {
  readonly requests: Readonly<Record<string, RequestMethod>>;
  readonly notifications: Readonly<Record<string, NotificationMethod>>;
}

/** The methods of sessions, and all sessions that were opened by them. */
export interface SessionMethods extends MethodTable {
  /** Restores globals that hooks deleted, without which nothing goes on. */
  restoreGlobals(): void;
  /** Ends every run, lets hooks shut down and closes all sessions. Errors of hooks do not make it reject. */
  dispose(): Promise<void>;
}

/** An entry of {@link MethodTable.requests}. */
export function onRequest<S extends TSchema>(
  params: S,
  handle: (params: Static<S>, signal: AbortSignal) => Answered | Promise<Answered>,
): RequestMethod {
  return { params, handle };
}

/** An entry of {@link MethodTable.notifications}. */
export function onNotification<S extends TSchema>(params: S, handle: (params: Static<S>) => void): NotificationMethod {
  return { params, handle };
}
