/**
 * Who decides about tool calls of a conversation: the user is asked (`ask`), hooks alone (`auto`, as in pi), or nothing
 * but reading is possible until a plan is accepted (`plan`).
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** In the order in which a user goes through them. */
export const APPROVAL_MODES = ['ask', 'auto', 'plan'] as const;

export function isApprovalMode(value: unknown): value is ApprovalMode {
  return APPROVAL_MODES.some(mode => mode === value);
}

/** What becomes of a call that no rule mentions. */
export type PathAnswer = (typeof PATH_ANSWERS)[number];
export const PATH_ANSWERS = ['allow', 'ask', 'refuse'] as const;
