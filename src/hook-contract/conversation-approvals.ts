import type { DialogOrigin, DialogAnswer } from './ui/ui';
import type { ApprovalMode } from './approvals/approval-mode';
import type { CallDetails } from './approvals/asked-call';
import type { ApprovalRule } from './approvals/approval-rule';

/** A question of the built-in gate, as data from which the dialog is made. */
export interface ApprovalQuestion {
  readonly facts: CallDetails;
  /** Rules that the user may make with the answer, in the order in which they are offered. */
  readonly offers: readonly ApprovalRule[];
  /** Paths of hooks that are held back. */
  readonly heldBack: readonly string[];
  /** Whether the call comes from an agent that a hook started. */
  readonly isOfSubagent: boolean;
  /** Whether a rule allowed the tool, and its server says something else about it now. */
  readonly isChanged: boolean;
  readonly origin: DialogOrigin;
  readonly signal: AbortSignal | undefined;
  /** Runs `question`, which waits for the user, and records what was asked and answered. */
  during<V>(about: Pick<DialogAnswer, 'kind' | 'title'>, question: () => Promise<V>): Promise<V>;
}

/** A call as the user changed it before they allowed it. */
export interface EditedCall {
  readonly input: Readonly<Record<string, unknown>>;
  /** What the user changed in the text that the call would have made, for the model. */
  readonly change: string;
}

export type ApprovalAnswer =
  | { readonly type: 'once'; readonly edited?: EditedCall }
  /** `rule` applies for the rest of the session, or permanently. */
  | { readonly type: 'session' | 'always'; readonly rule: ApprovalRule }
  /** `says`: what the user tells the agent that makes the call. */
  | { readonly type: 'deny'; readonly says?: string }
  /** Nobody decided; `why` is for the model. */
  | { readonly type: 'unanswered'; readonly why: string };

/** Name of the source file of the built-in gate's decisions. It ships in `dist/approvals`, so that users can read it. */
export const GATE_FILE = 'built-in-gate.ts';

/** What the built-in gate needs from a conversation; `src/session` implements it. */
export interface ConversationApprovals {
  readonly mode: ApprovalMode;
  /** Absolute real paths of folders that count as the workspace, besides the one in which the agent works. */
  readonly folders: readonly string[];
  /** The rules that the user made for this session. */
  readonly sessionRules: readonly ApprovalRule[];
  allowInSession(rule: ApprovalRule): void;
  /** Asks the user; undefined when there is no user who could be asked. Never rejects. */
  readonly ask: ((question: ApprovalQuestion) => Promise<ApprovalAnswer>) | undefined;
}
