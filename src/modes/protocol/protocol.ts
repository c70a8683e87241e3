import type { ProgramEvent } from '../../session/ports/session-events';
import type { HookError } from '../../hook-contract/record';

/** The supported versions of pi's JSON and RPC protocol, as `--rpc-version` names them; the first is the default. */
export const PROTOCOL_VERSIONS = ['1.5', '0.73'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** How one version of the protocol represents the events of a conversation. */
export interface Protocol {
  /** Whether the host application is told that a question has ended without its answer. */
  readonly withdraws: boolean;
  /** The records of an event, in order; none if the version does not have the event. */
  recordsOf(event: ProgramEvent): readonly object[];
  /** The record of an error of a hook; undefined if the mode has none, so that the error is only written to stderr. */
  hookError(error: HookError, mode: 'json' | 'rpc'): object | undefined;
}
