import type { SessionEvent } from '../../hook-typings/session-event';
import type { PayloadSource } from './event-row';
import { entriesOf, lazy } from './payload-parts';

/**
 * Payload of the one `session` event of v1 and of the tree document: a reason, files that may be null, and what the step
 * adds (`more`, whose lazy members stay lazy and whose `type` is left out).
 */
export function sessionPayload(source: PayloadSource, reason: SessionEvent['reason'], more: object = {}): SessionEvent {
  const base = {
    type: 'session',
    reason,
    sessionFile: source.conversation?.sessionFile ?? null,
    previousSessionFile: null,
  };
  // Defined before `entries`, which an own member of `more` replaces.
  const payload = lazy(base, { entries: () => entriesOf(source.conversation) });
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(more);
  for (const name of ['type', 'reason', 'willRetry']) Reflect.deleteProperty(members, name);
  return Object.defineProperties(payload, members) as SessionEvent;
}

/** Which word this hook knows for a new session: its text decides, else its dialect (docs/dialects.md, C2). */
export function newSessionWord({ hook }: PayloadSource): 'new' | 'clear' {
  return hook.features.newSessionWord ?? hook.dialect.newSessionWord;
}

/** The file before a step, as `session` tells it. */
export function previousFile(file: string | undefined): { readonly previousSessionFile: string | null } {
  return { previousSessionFile: file ?? null };
}
