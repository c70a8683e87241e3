/** Whether an entry is a message of the conversation, and not one that only tells the model of its prompt and tools. */
export function isSaid(entry: { readonly type: string }): boolean {
  const { message } = entry as { readonly message?: { readonly role?: unknown } };
  return entry.type === 'message' && message?.role !== 'system';
}
