/** What every page of ours sends beside its own messages: the user has pressed a key or a button of the mouse in it. */
export const PAGE_ACTIVITY = { type: 'userActivity' } as const;

/** Whether a message of a page is {@link PAGE_ACTIVITY}. */
export function isPageActivity(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === PAGE_ACTIVITY.type;
}
