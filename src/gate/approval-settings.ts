import type { FileTarget } from '../agent/tools/files/file-target';
import type { ApprovalReason } from '../hook-contract/approvals/approval-reason';
import type { ApprovalRule } from '../hook-contract/approvals/approval-rule';
import type { EditedCall } from '../hook-contract/conversation-approvals';
import type { AskedCall } from '../hook-contract/approvals/asked-call';
import type { PlaceAnswers } from './built-in-gate';
import type { Places } from './calls/path-place';
import type { PlainReading } from './commands/plain-reading';

/** The settings of the gate that all conversations of a window share. */
export interface ApprovalSettings {
  /** The permanent rules; `add` stores a rule and never rejects. */
  readonly rules: { readonly current: readonly ApprovalRule[]; add(rule: ApprovalRule): Promise<void> };
  /** Returns the current settings. */
  readonly placeAnswers: () => PlaceAnswers;
  readonly places: () => Omit<Places, 'hooks' | 'hookFiles' | 'cwd'>;
  /** How commands that only read run without a question; undefined while they do not. */
  readonly plainReading: () => PlainReading | undefined;
  /** Names of tools of VS Code about which VS Code itself asks the user. */
  readonly selfAsking: () => readonly string[];
  /** Asks the process whose hook started this one, which then decides; absent when no hook started this process. */
  readonly above?: (call: AskedCall, state: CallState, signal: AbortSignal | undefined) => Promise<GateAnswer>;
}

/** What hooks did with a call before the gate gets it. */
export interface CallState {
  readonly wasAsked: boolean;
  readonly hasHooks: boolean;
}

/** What the gate answers to `tool_call`, and why. */
export interface GateAnswer {
  readonly block?: true;
  readonly reason?: string;
  readonly approvalReason: ApprovalReason;
  /** The file that the call may use; absent for calls without a file, and where it is not known. */
  readonly target?: FileTarget;
  /** The user changed the call and allowed it so; absent where they did not. */
  readonly edited?: EditedCall;
}

/** The answer where nobody decides: the call passes. */
export function passed({ hasHooks }: CallState): GateAnswer {
  return { approvalReason: { by: 'auto', hooks: hasHooks } };
}
