import type { DialogOrigin } from '../api/ui/ui';
import type { DialogAnswer } from '../dispatch/record';
import type { ApprovalMode } from './approval-mode';
import type { CallDetails } from './call-details';
import type { ApprovalRule } from './rule';

/** A question of the built-in gate, not yet in words. */
export interface ApprovalQuestion {
  readonly facts: CallDetails;
  /** What may be allowed beyond this call, the closest first. */
  readonly offers: readonly ApprovalRule[];
  /** Paths of hooks that are held back. */
  readonly heldBack: readonly string[];
  /** An agent that a hook started wants it. */
  readonly isOfSubagent: boolean;
  readonly origin: DialogOrigin;
  readonly signal: AbortSignal | undefined;
  /** Waits for the user, and notes what was asked and answered. */
  during<V>(about: Pick<DialogAnswer, 'kind' | 'title'>, question: () => Promise<V>): Promise<V>;
}

export type ApprovalAnswer =
  | { readonly type: 'once' }
  /** `rule` is to hold for the rest of the session, or permanently. */
  | { readonly type: 'session' | 'always'; readonly rule: ApprovalRule }
  | { readonly type: 'deny' };

/** What the built-in gate needs of a conversation; `src/conversation` answers it. */
export interface ConversationApprovals {
  readonly mode: ApprovalMode;
  /** What the user allowed for this session. */
  readonly sessionRules: readonly ApprovalRule[];
  allowInSession(rule: ApprovalRule): void;
  /** Absent: nobody is there who could be asked. Never rejects. */
  readonly ask: ((question: ApprovalQuestion) => Promise<ApprovalAnswer>) | undefined;
}
