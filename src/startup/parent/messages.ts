import { isRecord } from '../../base/json/is-record';
import { TOOL_KINDS, type AskedCall } from '../../hook-contract/approvals/asked-call';
import type { CallState, GateAnswer } from '../../gate/approval-settings';
import type { DialectId } from '../../hook-contract/dialect-id';
import type { ChildStep } from '../../hook-run/host/child-call';
import type { RunningFile } from '../../hook-load/files/hook-slot';

/** Environment variable with which a started process finds this one: JSON of {@link ParentAddress}. */
export const PARENT_VARIABLE = 'HOOKLINE_PARENT';

export interface ParentAddress {
  readonly address: string;
  /** See `StartTokens`. */
  readonly token: string;
}

/** Reads a step of a tool call from a line of a started agent; undefined when the line is not one. */
export function childStep(message: Readonly<Record<string, unknown>>): ChildStep | undefined {
  const { step, id, name, args, isError, error, durationMs } = message;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  if (step === 'start' && isRecord(args)) return { step, id, name, args };
  if (step !== 'end' || typeof isError !== 'boolean' || typeof error !== 'string') return undefined;
  return { step, id, name, isError, error, ...(typeof durationMs === 'number' ? { durationMs } : {}) };
}

/** What the process whose hook started an agent sends to it first. */
export interface ParentInfo {
  /** Absolute; the workspace folder. */
  readonly cwd: string;
  readonly hooks: readonly RunningFile[];
  /** Absolute path of a hook file -> the dialect that the user chose for it. */
  readonly dialects: Readonly<Record<string, DialectId>>;
  /** Absolute paths of hooks that the user turned off. */
  readonly disabled: readonly string[];
}

/** What it sends instead to a process whose token it does not accept. */
export interface ParentRefusal {
  readonly refused: 'inUse' | 'unknown';
}

/** Asks for the API key that the user typed for a provider. */
export interface KeyQuestion {
  readonly id: number;
  readonly provider: string;
}

/** The answer to {@link KeyQuestion}; `key` is absent when there is none, or when it may not be sent. */
export interface KeyAnswer {
  readonly id: number;
  readonly key?: string;
}

/** Asks whether a tool call may run: the process above decides about all calls of the agents below it. */
export interface ApprovalRequest {
  readonly id: number;
  readonly call: AskedCall;
  readonly state: CallState;
}

export interface ApprovalReply {
  readonly id: number;
  readonly decided: GateAnswer;
}

/** Reads an approval request from a line; undefined when the line is not one. */
export function approvalRequest({ id, call, state }: Readonly<Record<string, unknown>>): ApprovalRequest | undefined {
  if (typeof id !== 'number' || !isRecord(call) || !isRecord(state)) return undefined;
  const { toolName, kind, input, cwd, definition } = call;
  const known = TOOL_KINDS.find(each => each === kind);
  if (typeof toolName !== 'string' || known === undefined || !isRecord(input) || typeof cwd !== 'string') {
    return undefined;
  }
  const { wasAsked, hasHooks } = state;
  return {
    id,
    call: { toolName, kind: known, input, cwd, ...(typeof definition === 'string' ? { definition } : {}) },
    state: { wasAsked: wasAsked === true, hasHooks: hasHooks === true },
  };
}
