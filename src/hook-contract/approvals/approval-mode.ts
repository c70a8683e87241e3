/**
 * Who decides about the tool calls of a conversation. `ask`: the user. `edits`: the user, but not about
 * writing in the workspace. `auto`: hooks alone, as in pi. `plan`: only tools that read can run until the user approves a plan.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** All modes, in the order in which the user switches through them. */
export const APPROVAL_MODES = ['ask', 'edits', 'auto', 'plan'] as const;

export function isApprovalMode(value: unknown): value is ApprovalMode {
  return APPROVAL_MODES.some(mode => mode === value);
}

/** What the settings say about files in a kind of place, when no rule applies to the call. */
export type PathAnswer = (typeof PATH_ANSWERS)[number];
export const PATH_ANSWERS = ['allow', 'ask', 'refuse'] as const;
