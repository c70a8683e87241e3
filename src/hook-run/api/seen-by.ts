import type { HookConversation } from '../../hook-contract/conversation-port';
import type { LoadedHook } from '../../hook-contract/loaded-hook';

/** A conversation as one hook sees it; see {@link HookConversation.seenBy}. */
export function seenBy(
  { path }: Pick<LoadedHook, 'path'>,
  conversation: HookConversation | undefined,
): HookConversation | undefined {
  return conversation?.seenBy?.(path) ?? conversation;
}
