import type { LoadedHook } from '../../hook-contract/loaded-hook';

/** Error of objects from a session or a load that is over. */
export const STALE =
  'This object is stale: its session was replaced or closed, or its file was reloaded. After newSession, fork or switchSession ' +
  'use the ctx that withSession gets; after reload, return from the handler.';

/** @throws when another load replaced that of the file, in dialects that say so. */
export function assertNotGone(hook: LoadedHook): void {
  if (hook.dialect.endsWithSession && hook.isGone) throw new Error(STALE);
}
