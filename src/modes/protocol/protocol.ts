import type { SessionEvent } from '../../conversation/session/session-events';
import type { HookError } from '../../hooks/dispatch/record';

/** The versions of pi's JSON and RPC protocol that are spoken, as `--rpc-version` names them; the first is the default. */
export const PROTOCOL_VERSIONS = ['1.5', '0.73'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** How one version of the protocol writes down what a conversation tells of itself. */
export interface Protocol {
  /** The records of an event, in order; none for what the version does not know. */
  recordsOf(event: SessionEvent): readonly object[];
  /** The record of a failure of a hook; undefined where the mode has none, and it is only written to stderr. */
  hookError(error: HookError, mode: 'json' | 'rpc'): object | undefined;
}
