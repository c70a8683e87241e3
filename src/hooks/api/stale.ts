import type { LoadedHook } from '../loaded-hook';

/** Error of objects from a session or a load that is over. */
export const STALE =
  'This object is stale: its session was replaced or closed, or its file was loaded anew. After newSession, fork or switchSession ' +
  'work with the ctx that withSession gets; after reload let the handler end.';

/** @throws when another load replaced that of the file, in dialects that say so. */
export function assertNotGone(hook: LoadedHook): void {
  if (hook.dialect.endsWithSession && hook.isGone) throw new Error(STALE);
}
